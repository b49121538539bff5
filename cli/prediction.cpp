#include "cli/prediction.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/numbers.h"
#include "fit/application.h"
#include "report/measurement_findings.h"
#include "report/network_cost.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// The targets without --at: at the largest measured size of the problem, well beyond the measured scales.
Result<std::vector<std::vector<double>>> targets_of(const PredictionRequest& request,
                                                    const MeasuredParameters& measured) {
  std::vector<std::string> at = request.at;
  if (at.empty()) {
    for (size_t p = 0; p < measured.names.size(); ++p) {
      const double largest = measured.values[p].back();
      at.push_back(measured.names[p] + "=" +
                   (p == measured.processes ? core::to_text(4 * largest) + "," + core::to_text(16 * largest)
                                            : core::to_text(largest)));
    }
  }
  return prediction_targets(at, measured);
}

void add_note(report::Findings& findings, const std::string& note) {
  if (!note.empty()) findings.notes.push_back(note);
}

Result<report::Findings> predict_application(const core::Profile& profile, const PredictionRequest& request,
                                             const report::FindingsOptions& options) {
  Result<fit::ApplicationData> data = fit::application_data(profile);
  if (!data) return data.error();
  std::vector<std::vector<double>> points;
  for (const fit::ConfigurationPoint& c : data.value().configurations) points.push_back(c.at);
  MeasuredParameters measured = measured_parameters(data.value().parameter_names, points);
  measured.processes = 0;
  measured.whole_processes = true;
  const Result<fit::ApplicationOptions> fitting = application_fitting(request, measured.names);
  if (!fitting) return fitting.error();
  const Result<std::vector<std::vector<double>>> targets = targets_of(request, measured);
  if (!targets) return targets.error();
  const Result<fit::ApplicationModel> model = fit::fit_application(std::move(data).value(), fitting.value());
  if (!model) return model.error();
  report::Findings findings = report::application_findings(model.value(), targets.value(), options);
  findings.application = profile.application;
  findings.command = profile.command;
  findings.clock_reason = profile.runs.back().clock_reason;
  add_note(findings, size_without_effect(request.size, measured, targets.value()));
  return findings;
}

Result<report::Findings> predict_measurements(const fit::MeasurementSet& set, const PredictionRequest& request,
                                              const report::FindingsOptions& options) {
  const Result<fit::FitOptions> fitting = measurement_fitting(request, set.parameter_names);
  if (!fitting) return fitting.error();
  std::vector<std::vector<double>> points;
  for (const fit::Series& series : set.series) {
    for (const fit::Observation& o : series.observations) points.push_back(o.at);
  }
  if (points.empty()) return Error{ErrorCode::kInput, request.input + " holds no value that could be modelled", "", ""};
  const MeasuredParameters measured = measured_parameters(set.parameter_names, points);
  const Result<std::vector<std::vector<double>>> targets = targets_of(request, measured);
  if (!targets) return targets.error();
  const std::vector<Result<fit::Model>> models = fit::fit_all(set.series, fitting.value());
  if (std::none_of(models.begin(), models.end(), [](const auto& model) { return model.ok(); })) {
    const std::string name = measured.names[measured.processes];
    return Error{ErrorCode::kInput,
                 "no series of " + request.input + " can be modelled; the first: " + models.front().error().message,
                 "a trend needs at least " + std::to_string(fit::kScalesForTrend) + " values of " + name +
                     ", checking it " + std::to_string(fit::kScalesForCheck) + ": measure further ones",
                 ""};
  }
  report::Findings findings = report::measurement_findings(set, models, targets.value(), options);
  add_note(findings, size_without_effect(request.size, measured, targets.value()));
  return findings;
}

}  // namespace

core::Status set_networks(const std::string& network_file, const std::string& measured_file,
                          fit::ApplicationOptions& fitting) {
  if (network_file.empty() && !measured_file.empty()) {
    return Error{ErrorCode::kUsage, "--measured-network says nothing without --network",
                 "--network FILE names the network at the target", ""};
  }
  for (const auto& [file, cost] :
       {std::pair(&network_file, &fitting.network), std::pair(&measured_file, &fitting.measured_network)}) {
    if (file->empty()) continue;
    Result<loggp::Network> network = loggp::read_network(*file);
    if (!network) return network.error();
    auto priced = report::network_cost(std::move(network).value(), *file);
    if (!priced) return priced.error();
    *cost = std::move(priced).value();
  }
  return core::Done{};
}

core::Status check_no_network(const std::string& network, const std::string& measured_network,
                              const std::string& input) {
  if (network.empty() && measured_network.empty()) return core::Done{};
  return Error{ErrorCode::kUsage, "--network needs messages and bytes, which " + input + " does not have",
               "leave --network out, or give a profile", ""};
}

void add_network_options(CLI::App& command, std::string& network, std::string& measured_network) {
  command.add_option("--network", network,
                     "network.json of the network at the target: prices communication instead of what was measured "
                     "here");
  command.add_option("--measured-network", measured_network,
                     "network.json of the network that was measured on, where it is not that of --network");
}

MeasuredParameters measured_parameters(const std::vector<std::string>& names,
                                       const std::vector<std::vector<double>>& points) {
  MeasuredParameters measured;
  measured.names = names;
  measured.processes = report::processes_parameter(names);
  for (size_t p = 0; p < names.size(); ++p) {
    std::set<double> values;
    for (const std::vector<double>& at : points) values.insert(at[p]);
    measured.values.emplace_back(values.begin(), values.end());
  }
  return measured;
}

Result<fit::ApplicationOptions> application_fitting(const PredictionRequest& request,
                                                    const std::vector<std::string>& names) {
  if (const core::Status size = check_size(request.size, names); !size) return size.error();
  fit::ApplicationOptions fitting;
  fitting.fit.size = request.size;
  if (const core::Status priced = set_networks(request.network, request.measured_network, fitting); !priced) {
    return priced.error();
  }
  return fitting;
}

Result<fit::FitOptions> measurement_fitting(const PredictionRequest& request, const std::vector<std::string>& names) {
  if (const core::Status usable = check_no_network(request.network, request.measured_network, request.input); !usable) {
    return usable.error();
  }
  if (const core::Status size = check_size(request.size, names); !size) return size.error();
  fit::FitOptions fitting;
  fitting.processes = names[report::processes_parameter(names)];
  fitting.size = request.size;
  return fitting;
}

report::FindingsOptions with_scaling(const PredictionRequest& request, report::FindingsOptions options) {
  if (request.scaling == "strong") options.scaling = report::Scaling::kStrong;
  if (request.scaling == "weak") options.scaling = report::Scaling::kWeak;
  return options;
}

core::Status check_size(const std::string& size, const std::vector<std::string>& names) {
  if (size.empty()) return core::Done{};
  const size_t processes = report::processes_parameter(names);
  std::string others;
  for (size_t p = 0; p < names.size(); ++p) {
    if (p == processes) continue;
    if (names[p] == size) return core::Done{};
    others += (others.empty() ? "" : ", ") + names[p];
  }
  return Error{
      ErrorCode::kUsage, "--size " + size + ": the data have no such parameter besides the number of processes",
      others.empty() ? "measure with `scalediag profile --param " + size + "=LIST`" : "the data have: " + others, ""};
}

std::vector<std::string> inputs_of(const PredictionRequest& request) {
  return {request.input, request.network, request.measured_network};
}

CLI::Option* add_prediction_options(CLI::App& command, PredictionRequest& request) {
  command.add_option("INPUT", request.input, "Experiment folder, profile.json, or file in one of Extra-P's formats")
      ->required();
  CLI::Option* at =
      command
          .add_option("--at", request.at,
                      "NAME=LIST: where to predict, for example np=256,1024; once a parameter, all combinations")
          ->take_all()
          ->allow_extra_args(false)
          ->delimiter('\0');
  add_model_options(command, request);
  return at;
}

void add_model_options(CLI::App& command, PredictionRequest& request) {
  command.add_option(
      "--size", request.size,
      "The parameter that is the problem size: where it was measured at one value, others are predicted by work "
      "per process");
  add_network_options(command, request.network, request.measured_network);
  command
      .add_option("--scaling", request.scaling,
                  "strong (fixed problem), weak (it grows with the processes), or auto: what `profile --scaling` said, "
                  "else what was measured")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "strong", "weak"}));
}

core::Result<report::Findings> findings_of(const MeasurementInput& input, const PredictionRequest& request,
                                           report::FindingsOptions options) {
  options = with_scaling(request, options);
  Result<report::Findings> findings = input.profile ? predict_application(*input.profile, request, options)
                                                    : predict_measurements(*input.measurements, request, options);
  if (findings) findings.value().input = request.input;
  return findings;
}

}  // namespace scalediag::cli
