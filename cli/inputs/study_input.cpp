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

void add_study_options(CLI::App& command, StudyRequest& study) {
  command
      .add_option("--np", study.np,
                  "LIST of numbers of processes to predict (default: twice and four times the largest measured one, "
                  "where four or more were measured)")
      ->type_name("LIST");
  command.add_flag("--measured-only", study.table.measured_only, "No predictions");
  command
      .add_option("--cores-per-node", study.table.cores_per_node,
                  "Cores of a node of the machine applied for (default: those of "
                  "the machine that was measured on)")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--efficiency", study.efficiency_bound, "The efficiency that a job has to keep")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 1.0));
  command.add_option("--scaling", study.scaling, "strong (fixed problem), weak (it grows with the processes), or auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "strong", "weak"}));
}

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
  const core::Experiment* experiment = loaded.value().experiment ? &*loaded.value().experiment : nullptr;
  // Predictions would be made of times in doubt, too.
  const bool doubtful = !report::doubtful_runs(*loaded.value().profile, experiment, data.value()).empty();
  const bool measured_only = table.measured_only || (request.np.empty() && scales.size() < report::kScalesForSection) ||
                             changes_everywhere(data.value()) || doubtful;
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
  return report::study_of(input, *loaded.value().profile, experiment, data.value(), std::move(findings).value(), table);
}

core::Result<std::vector<report::ScalingTable>> scaling_tables_of(const MeasurementInput& input,
                                                                  const report::Findings& findings,
                                                                  const report::ScalingTableOptions& options) {
  if (!input.profile) return std::vector<report::ScalingTable>{};
  const core::Result<fit::ApplicationData> data = data_of(input);
  if (!data) return data.error();
  if (!data.value().has_totals()) return std::vector<report::ScalingTable>{};
  const core::Experiment* experiment = input.experiment ? &*input.experiment : nullptr;
  return report::scaling_tables(*input.profile, experiment, data.value(), findings, options);
}

}  // namespace scalediag::cli
