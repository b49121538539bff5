#include "cli/inputs/measurement_input.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/inputs/evidence/lone_input.h"
#include "cli/inputs/show_input.h"
#include "core/atomic_file.h"
#include "core/profile/call_paths.h"
#include "core/profile/call_sites.h"
#include "core/profile/region_profile.h"
#include "fit/application/call_path_data.h"
#include "fit/data/measurement_file.h"
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

}  // namespace

core::Result<MeasurementInput> load_measurement_input(const std::string& path) {
  const core::Status there = core::check_there(
      path, {ErrorCode::kInput, "there is no file or folder " + path,
             "name an experiment folder that `scalediag profile` wrote, a profile.json, or a file in Extra-P's text, "
             "JSON or JSON-lines format",
             path});
  if (!there) return there.error();
  std::error_code error;
  if (fs::is_directory(path, error)) return load_profile(path);

  core::Result<std::string> text = core::read_file(path);
  if (!text) return text.error();
  const fit::FileKind kind = fit::kind_of(text.value());
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
