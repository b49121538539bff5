// scalediag report INPUT
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/scaling_input.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/experiment/output_file.h"
#include "core/text/quantities.h"
#include "report/render/html/page.h"
#include "report/render/json/report_json.h"
#include "report/render/verdict.h"

namespace scalediag::cli {
namespace {

using core::Result;

struct ReportOptions {
  PredictionRequest prediction;
  std::string html = "report.html";
  std::string json;
  double bound = report::kEfficiencyBound;
};

void add_measurement(const MeasurementInput& input, report::Findings& findings) {
  if (!input.profile) return;
  findings.traffic = report::traffic_findings(*input.profile);
  findings.provenance = report::provenance_of(*input.profile, input.experiment ? &*input.experiment : nullptr);
}

// The phases where there are traces of several numbers of processes, and no other parameter that traces could differ
// in.
void add_phases(const MeasurementInput& input, report::Findings& findings) {
  if (!input.experiment || !input.experiment->traced || findings.measured.front().size() > 1) return;
  std::set<double> scales;
  for (const report::Point& point : findings.measured) scales.insert(point.front().second);
  if (scales.size() < 2) return;
  const auto model = read_scaling_model(input.path, {}, 0);
  if (!model) return warn("the report has no phases: " + model.error().message);
  findings.phases = report::phase_findings(model.value());
}

core::Status write(const std::string& path, const Result<std::string>& text) {
  if (!text) return text.error();
  if (const core::Status written = core::write_file_atomically(path, text.value()); !written) return written.error();
  note("wrote " + path + " (" + core::bytes_text(static_cast<double>(text.value().size())) + ")");
  return core::Done{};
}

int write_report(const ReportOptions& options) {
  const core::Status usable = core::check_output_files({options.html, options.json}, inputs_of(options.prediction));
  if (!usable) return report(usable.error());
  Result<MeasurementInput> input = load_measurement_input(options.prediction.input);
  if (!input) return report(input.error());
  if (const core::Status region = choose_region(input.value(), options.prediction.region); !region)
    return report(region.error());
  report::FindingsOptions findings_options;
  findings_options.detailed = true;
  findings_options.efficiency_bound = options.bound;
  Result<report::Findings> findings = findings_of(input.value(), options.prediction, findings_options);
  if (!findings) return report(findings.error());
  add_measurement(input.value(), findings.value());
  add_phases(input.value(), findings.value());
  if (!options.json.empty()) {
    const core::Status written =
        write(options.json, report::report_json(findings.value(), report::JsonLayout::kReadable));
    if (!written) return report(written.error());
  }
  const core::Status written = write(options.html, report::report_html(findings.value()));
  if (!written) return report(written.error());
  std::string verdict;
  for (const std::string& sentence : report::verdict_of(findings.value())) verdict += sentence + "\n";
  if (findings.value().phases) verdict += text_of(*findings.value().phases) + "\n";
  return print(verdict);
}

}  // namespace

void add_report_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Write a report: one HTML file with verdict, ranking, evidence and provenance");
  add_prediction_options(*command, options->prediction);
  command->add_option("-o,--output", options->html, "The HTML file")->capture_default_str()->type_name("FILE");
  command->add_option("--json", options->json, "Write the same as JSON (scalediag-report/1)")->type_name("FILE");
  command->add_option("--efficiency", options->bound, "The efficiency that more processes have to keep")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 1.0));
  command->footer(
      "Without --at: 4 and 16 times the largest measured number of processes.\n\nExamples:\n"
      "  scalediag report app.scalediag --at np=256,1024\n"
      "  scalediag report app.scalediag -o today.html --json today.json --efficiency 0.7");
  command->callback([options, &invocation] { invocation.exit_status = write_report(*options); });
}

}  // namespace scalediag::cli
