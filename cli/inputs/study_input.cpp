#include "cli/inputs/study_input.h"

#include <set>

#include "cli/inputs/prediction.h"
#include "core/text/numbers.h"
#include "core/text/value_list.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;

// The other parameters change with every configuration, so that no combination of theirs with a further number of
// processes is known.
bool changes_everywhere(const fit::ApplicationData& data) {
  std::set<std::vector<double>> others;
  for (const fit::ConfigurationPoint& point : data.configurations) {
    std::vector<double> rest = point.at;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(data.processes));
    others.insert(rest);
  }
  return others.size() > 1 && others.size() == data.configurations.size();
}

// Where to predict: at each problem that was measured.
std::vector<std::string> targets_of(const fit::ApplicationData& data, const std::string& processes) {
  std::vector<std::string> at;
  const MeasuredParameters measured = measured_parameters(data);
  const bool last_only = changes_everywhere(data);
  for (size_t p = 0; p < measured.names.size(); ++p) {
    const std::string values = p == measured.processes ? processes
                               : last_only             ? core::to_text(data.configurations.back().at[p])
                                                       : core::list_of(measured.values[p]);
    at.push_back(measured.names[p] + "=" + values);
  }
  return at;
}

}  // namespace

core::Result<report::Study> load_study(const std::string& input, const StudyRequest& request) {
  const core::Result<MeasurementInput> loaded = load_measurement_input(input);
  if (!loaded) return loaded.error();
  if (!loaded.value().profile) {
    return Error{ErrorCode::kInput, input + " holds measurements without the runs that they are of",
                 "name an experiment folder that `scalediag profile` wrote, or a profile.json", input};
  }
  const core::Result<fit::ApplicationData> data = data_of(loaded.value());
  if (!data) return data.error();
  if (const core::Status scales = report::check_scales(input, data.value()); !scales) return scales.error();

  report::ScalingTableOptions table = request.table;
  const std::vector<double> scales = data.value().scales();
  const double largest = scales.back();
  const bool measured_only = table.measured_only || (request.np.empty() && scales.size() < report::kScalesForSection) ||
                             changes_everywhere(data.value());
  table.measured_only = measured_only;
  const std::string further = core::to_text(2 * largest) + "," + core::to_text(4 * largest);
  PredictionRequest prediction;
  prediction.input = input;
  prediction.scaling = request.scaling;
  prediction.at = targets_of(data.value(), measured_only        ? core::to_text(largest)
                                           : request.np.empty() ? further
                                                                : request.np);
  report::FindingsOptions options;
  options.detailed = true;
  options.efficiency_bound = request.efficiency_bound;
  core::Result<report::Findings> findings = findings_of(loaded.value(), prediction, options);
  if (!findings) return findings.error();
  const core::Experiment* experiment = loaded.value().experiment ? &*loaded.value().experiment : nullptr;
  return report::study_of(input, *loaded.value().profile, experiment, data.value(), std::move(findings).value(), table);
}

}  // namespace scalediag::cli
