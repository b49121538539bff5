// scalediag predict INPUT --at np=LIST
#include <algorithm>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/measurement_input.h"
#include "cli/prediction_targets.h"
#include "cli/standard_output.h"
#include "cli/table.h"
#include "fit/application.h"
#include "report/application_findings.h"
#include "report/findings_json.h"
#include "report/measurement_findings.h"
#include "report/terminal.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

struct PredictOptions {
  std::string input;
  std::vector<std::string> at;
  std::string size;
  std::string network;
  std::string scaling = "auto";
  size_t top = 15;
  bool json = false;
  bool wide = false;
};

report::FindingsOptions findings_options(const PredictOptions& options) {
  report::FindingsOptions findings;
  if (options.scaling == "strong") findings.scaling = report::Scaling::kStrong;
  if (options.scaling == "weak") findings.scaling = report::Scaling::kWeak;
  return findings;
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

core::Status check_size(const std::string& size, const MeasuredParameters& measured) {
  if (size.empty()) return core::Done{};
  std::string others;
  for (size_t p = 0; p < measured.names.size(); ++p) {
    if (p == measured.processes) continue;
    if (measured.names[p] == size) return core::Done{};
    others += (others.empty() ? "" : ", ") + measured.names[p];
  }
  return Error{
      ErrorCode::kUsage, "--size " + size + ": the data have no such parameter besides the number of processes",
      others.empty() ? "measure with `scalediag profile --param " + size + "=LIST`" : "the data have: " + others, ""};
}

Result<report::Findings> predict_application(const core::Profile& profile, const PredictOptions& options) {
  Result<fit::ApplicationData> data = fit::application_data(profile);
  if (!data) return data.error();
  std::vector<std::vector<double>> points;
  for (const fit::ConfigurationPoint& c : data.value().configurations) points.push_back(c.at);
  MeasuredParameters measured = measured_parameters(data.value().parameter_names, points);
  measured.processes = 0;
  measured.whole_processes = true;
  if (const core::Status size = check_size(options.size, measured); !size) return size.error();
  const Result<std::vector<std::vector<double>>> targets = prediction_targets(options.at, measured);
  if (!targets) return targets.error();
  fit::ApplicationOptions fitting;
  fitting.fit.size = options.size;
  const Result<fit::ApplicationModel> model = fit::fit_application(std::move(data).value(), fitting);
  if (!model) return model.error();
  report::Findings findings = report::application_findings(model.value(), targets.value(), findings_options(options));
  findings.application = profile.application;
  findings.command = profile.command;
  return findings;
}

Result<report::Findings> predict_measurements(const fit::MeasurementSet& set, const PredictOptions& options) {
  if (!options.network.empty()) {
    return Error{ErrorCode::kUsage, "--network needs messages and bytes, which " + options.input + " does not have",
                 "leave --network out, or give a profile", ""};
  }
  std::vector<std::vector<double>> points;
  for (const fit::Series& series : set.series) {
    for (const fit::Observation& o : series.observations) points.push_back(o.at);
  }
  if (points.empty()) return Error{ErrorCode::kInput, options.input + " holds no value that could be modelled", "", ""};
  const MeasuredParameters measured = measured_parameters(set.parameter_names, points);
  if (const core::Status size = check_size(options.size, measured); !size) return size.error();
  const Result<std::vector<std::vector<double>>> targets = prediction_targets(options.at, measured);
  if (!targets) return targets.error();
  fit::FitOptions fitting;
  fitting.processes = set.parameter_names[measured.processes];
  fitting.size = options.size;
  const std::vector<Result<fit::Model>> models = fit::fit_all(set.series, fitting);
  if (std::none_of(models.begin(), models.end(), [](const auto& model) { return model.ok(); })) {
    const std::string name = measured.names[measured.processes];
    return Error{ErrorCode::kInput,
                 "no series of " + options.input + " can be modelled; the first: " + models.front().error().message,
                 "a trend needs at least " + std::to_string(fit::kScalesForTrend) + " values of " + name +
                     ", checking it " + std::to_string(fit::kScalesForCheck) + ": measure further ones",
                 ""};
  }
  return report::measurement_findings(set, models, targets.value(), findings_options(options));
}

int predict(const PredictOptions& options) {
  Result<MeasurementInput> input = load_measurement_input(options.input);
  if (!input) return report(input.error());
  if (!options.network.empty()) {
    return report({ErrorCode::kUsage, "--network is not available yet",
                   "leave it out: communication is then priced by forms fitted to the measured times", ""});
  }
  Result<report::Findings> findings = input.value().profile
                                          ? predict_application(*input.value().profile, options)
                                          : predict_measurements(*input.value().measurements, options);
  if (!findings) return report(findings.error());
  findings.value().input = options.input;
  if (options.json) {
    const Result<std::string> text = report::findings_json(findings.value());
    return text ? print(text.value()) : report(text.error());
  }
  report::TerminalOptions terminal;
  terminal.top = options.top;
  terminal.width = options.wide ? kUnlimited : terminal_width();
  terminal.color = use_color();
  return print(report::findings_text(findings.value(), terminal));
}

}  // namespace

void add_predict_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command =
      app.add_subcommand("predict", "Predict larger scales: what takes the time, what stops scaling, why");
  command->add_option("INPUT", options->input, "Experiment folder, profile.json, or file in one of Extra-P's formats")
      ->required();
  command
      ->add_option("--at", options->at,
                   "NAME=LIST: where to predict, for example np=256,1024; once a parameter, all combinations")
      ->required()
      ->take_all()
      ->allow_extra_args(false)
      ->delimiter('\0');
  command->add_option("--size", options->size,
                      "The parameter that is the problem size; models then know work per process");
  command->add_option("--network", options->network, "network.json that prices communication");
  command
      ->add_option("--scaling", options->scaling, "strong (fixed problem), weak (it grows with the processes), or auto")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "strong", "weak"}));
  command->add_option("--top", options->top, "Kernels to print a target, 0 for all")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  command->add_flag("--wide", options->wide, "Full names, however long the lines become");
  command->add_flag("--json", options->json, "Print JSON (scalediag-predict/1) with every kernel");
  command->callback([options, &invocation] { invocation.exit_status = predict(*options); });
}

}  // namespace scalediag::cli
