#include "cli/inputs/measurement_input.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/inputs/evidence/lone_input.h"
#include "cli/inputs/show_input.h"
#include "cli/terminal_text.h"
#include "core/atomic_file.h"
#include "core/profile/call_paths.h"
#include "core/profile/call_sites.h"
#include "core/profile/region_profile.h"
#include "core/text/table.h"
#include "fit/application/call_path_data.h"
#include "fit/data/measurement_file.h"
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

}  // namespace

core::Result<MeasurementInput> load_measurement_input(const std::string& path, const std::vector<std::string>& columns,
                                                      bool aloud) {
  const core::Status there = core::check_there(
      path, {ErrorCode::kInput, "there is no file or folder " + path,
             "name an experiment folder that `scalediag profile` wrote, a profile.json, a file in Extra-P's text, JSON "
             "or JSON-lines format, or a table of timings",
             path});
  if (!there) return there.error();
  std::error_code error;
  if (fs::is_directory(path, error)) return columns.empty() ? load_profile(path) : no_table(path);

  core::Result<std::string> text = core::read_file(path);
  if (!text) return text.error();
  const fit::FileKind kind = fit::kind_of(text.value());
  if (kind == fit::FileKind::kTable) return load_table(path, text.value(), columns, aloud);
  if (!columns.empty()) return no_table(path);
  if (kind == fit::FileKind::kProfile) return load_profile(path);
  core::Result<fit::MeasurementSet> set = fit::parse_measurements(text.value(), kind, path);
  if (!set) return set.error();
  for (const std::string& warning : set.value().warnings) warn(warning);
  return MeasurementInput{path, std::nullopt, std::move(set).value()};
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
