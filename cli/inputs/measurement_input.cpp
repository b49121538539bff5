#include "cli/inputs/measurement_input.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/inputs/evidence/lone_input.h"
#include "cli/inputs/run_files.h"
#include "cli/inputs/show_input.h"
#include "cli/terminal_text.h"
#include "core/atomic_file.h"
#include "core/profile/call_paths.h"
#include "core/profile/call_sites.h"
#include "core/profile/region_profile.h"
#include "core/text/table.h"
#include "fit/application/call_path_data.h"
#include "fit/data/measurement_file.h"
#include "fit/data/runs/run_set.h"
#include "fit/data/tables/timing_table.h"
#include "fit/profile/path_kernels.h"
#include "fit/profile/profile_data.h"
#include "report/render/export.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;

core::Result<MeasurementInput> load_profile(const std::string& path) {
  core::Result<report::ShownProfile> shown = load_show_input(path);
  if (!shown) return shown.error();
  MeasurementInput input{path, std::move(shown.value().profile), std::nullopt, std::move(shown.value().experiment)};
  if (input.experiment) input.lone = lone_ranks_of(path, *input.experiment, *input.profile);
  return input;
}

// Prints how the columns of a table were understood.
void say_understood(const std::string& path, const fit::TimingTable& understood) {
  core::Table table({{"column", 2, core::TableColumn::Align::kLeft},
                     {"taken as", 2, core::TableColumn::Align::kLeft},
                     {"first value", 2, core::TableColumn::Align::kLeft}});
  for (const fit::TakenColumn& column : understood.columns) table.add_row({column.name, column.taken_as, column.first});
  say(path + ", " + understood.layout + "\n" + table.text({core::kUnlimited, false, 2}) + "\n");
  if (!understood.in_seconds) note("times are as written: no unit is given (--columns 'time=COLUMN[ms]')");
}

core::Result<MeasurementInput> load_table(const std::string& path, const std::string& text,
                                          const std::vector<std::string>& columns, bool aloud) {
  core::Result<fit::TimingTable> table = fit::read_timing_table(text, path, columns);
  if (!table) return table.error();
  if (aloud) say_understood(path, table.value());
  for (const std::string& warning : table.value().set.warnings) warn(warning);
  MeasurementInput input{path, std::nullopt, std::move(table.value().set)};
  input.table = report::TableNames{table.value().whole_program, table.value().in_seconds};
  return input;
}

Error no_table(const std::string& path) {
  return {ErrorCode::kUsage, "--columns names the columns of a table, which " + path + " is not", "leave it out",
          "--columns"};
}

core::Result<MeasurementInput> load_runs(const std::string& path, const std::vector<std::string>& files,
                                         bool numbered) {
  core::Result<std::vector<fit::MeasuredRun>> runs = read_runs(files);
  if (!runs) return runs.error();
  core::Result<fit::MeasurementSet> set = fit::set_of_runs(numbered ? runs.value() : std::move(runs).value());
  if (!set && !numbered) return set.error();
  if (!set) {
    fit::MeasurementSet by_number = fit::numbered_runs(runs.value());
    by_number.notes.push_back(set.error().message);
    set = std::move(by_number);
  }
  for (const std::string& warning : set.value().warnings) warn(warning);
  // `show` prints it with what it shows.
  if (!numbered) note(set.value().origin);
  return MeasurementInput{path, std::nullopt, std::move(set).value()};
}

// An experiment has a file that says so; a profile may stand in a folder alone.
bool is_experiment(const std::string& folder) {
  std::error_code error;
  return fs::exists(folder + "/experiment.json", error) || fs::exists(folder + "/profile.json", error);
}

struct TableRequest {
  const std::vector<std::string>& columns;
  bool aloud = true;
};

core::Result<MeasurementInput> load_input(const std::string& path, const std::vector<std::string>& more,
                                          const TableRequest& of_table, bool numbered) {
  if (!more.empty()) {
    if (!of_table.columns.empty()) return no_table(path);
    std::vector<std::string> files{path};
    files.insert(files.end(), more.begin(), more.end());
    return load_runs(path + " and " + std::to_string(more.size()) + " more", files, numbered);
  }
  const core::Status there = core::check_there(
      path, {ErrorCode::kInput, "there is no file or folder " + path,
             "name an experiment folder that `scalediag profile` wrote, a profile.json, a file in Extra-P's text, JSON "
             "or JSON-lines format, a table of timings, or profiles of Score-P, Caliper, mpiP, TALP, "
             "gprof or perf",
             path});
  if (!there) return there.error();
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (!of_table.columns.empty()) return no_table(path);
    if (is_experiment(path)) return load_profile(path);
    const core::Result<std::vector<std::string>> files = run_files_in(path);
    if (!files) return files.error();
    return files.value().empty() ? load_profile(path) : load_runs(path, files.value(), numbered);
  }
  core::Result<std::string> text = core::read_file(path);
  if (!text) return text.error();
  const fit::FileKind kind = fit::kind_of(text.value());
  // A file of `export` is a table, too, whose columns may be chosen.
  const bool is_chosen = kind == fit::FileKind::kExportedCsv && !of_table.columns.empty();
  if (kind == fit::FileKind::kTable || is_chosen)
    return load_table(path, text.value(), of_table.columns, of_table.aloud);
  if (!of_table.columns.empty()) return no_table(path);
  if (kind == fit::FileKind::kProfile) return load_profile(path);
  if (fit::format_of(kind).read_run != nullptr) {
    std::string().swap(text.value());  // files of gigabytes would be in memory twice
    return load_runs(path, {path}, numbered);
  }
  core::Result<fit::MeasurementSet> set = fit::parse_measurements(text.value(), kind, path);
  if (!set) return set.error();
  for (const std::string& warning : set.value().warnings) warn(warning);
  return MeasurementInput{path, std::nullopt, std::move(set).value()};
}

}  // namespace

core::Result<MeasurementInput> load_measurement_input(const std::string& path, const std::vector<std::string>& more,
                                                      const std::vector<std::string>& columns, bool aloud) {
  return load_input(path, more, {columns, aloud}, false);
}

core::Result<MeasurementInput> load_shown_measurements(const std::string& path, const std::vector<std::string>& more) {
  return load_input(path, more, {{}, true}, true);
}

bool holds_measurements(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (is_experiment(path)) return false;
    const core::Result<std::vector<std::string>> files = run_files_in(path);
    return files && !files.value().empty();
  }
  // A pipe or a device cannot be read twice.
  if (!fs::is_regular_file(path, error)) return false;
  const core::Result<std::string> text = core::read_file(path);
  if (!text) return false;
  const fit::FileKind kind = fit::kind_of(text.value());
  if (kind == fit::FileKind::kProfile) return false;
  // A damaged profile is also JSON, and its error is said as that of a profile.
  return kind != fit::FileKind::kExtrapJson || fit::parse_measurements(text.value(), kind, path).ok();
}

core::Result<fit::ApplicationData> data_of(const MeasurementInput& input) {
  if (input.profile && input.by_call_path) return fit::call_path_data(*input.profile);
  if (input.profile) {
    core::Result<fit::ApplicationData> of_profile = fit::application_data(*input.profile);
    if (of_profile && input.region.empty()) predict::take_lone_ranks(input.lone, of_profile.value());
    return of_profile;
  }
  fit::ApplicationData data = fit::application_data(*input.measurements);
  if (!data.configurations.empty()) return data;
  return Error{ErrorCode::kInput, input.path + " holds no value that could be modelled", "", ""};
}

core::Status choose_region(MeasurementInput& input, const std::string& region) {
  if (region.empty()) return core::Done{};
  if (!input.profile) {
    return Error{ErrorCode::kInput, "--region needs a profile, which " + input.path + " is not",
                 "regions are measured by `scalediag profile`; a call path of these data is a kernel already", ""};
  }
  core::Result<core::Profile> of_region = core::profile_of_region(*input.profile, region);
  if (!of_region) return of_region.error();
  input.region = region;
  input.program = std::move(input.profile);
  input.profile = std::move(of_region).value();
  return core::Done{};
}

core::Status choose_call_sites(MeasurementInput& input) {
  if (!input.profile || !core::has_call_sites(*input.profile)) {
    return Error{ErrorCode::kInput, "--by callsite: " + input.path + " does not tell the call sites of MPI operations",
                 "`scalediag profile` of this version records them", ""};
  }
  input.profile = core::split_by_call_site(std::move(*input.profile));
  return core::Done{};
}

core::Status choose_call_paths(MeasurementInput& input) {
  if (!input.profile || !core::has_call_paths(*input.profile)) {
    return Error{ErrorCode::kInput, "--by callpath: " + input.path + " has no call paths of a profile",
                 "`scalediag profile --call-paths` records them", ""};
  }
  input.by_call_path = true;
  return core::Done{};
}

fit::MeasurementSet series_of(const MeasurementInput& input) {
  if (!input.profile) return *input.measurements;
  fit::MeasurementSet set = report::measurements_of(*input.profile);
  for (const std::string& warning : set.warnings) warn(warning);
  return set;
}

}  // namespace scalediag::cli
