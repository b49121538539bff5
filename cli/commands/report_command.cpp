// scalediag report INPUT
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/scaling_input.h"
#include "cli/inputs/study_input.h"
#include "cli/options/written_files.h"
#include "cli/number_checks.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/experiment/output_file.h"
#include "core/text/quantities.h"
#include "report/document/figure_svg.h"
#include "report/proposal/ranking_figure.h"
#include "report/proposal/scaling_figures.h"
#include "report/render/html/page.h"
#include "report/render/json/report_json.h"
#include "report/render/picture.h"
#include "report/render/verdict.h"

namespace scalediag::cli {
namespace {

using core::Result;

struct ReportOptions {
  PredictionRequest prediction;
  std::string html = "report.html";
  std::string json;
  double bound = report::kEfficiencyBound;
  std::string figure;  // "speedup", "efficiency", "ranking"; empty: the report
};

void add_measurement(const MeasurementInput& input, report::Findings& findings) {
  if (!input.profile) return;
  findings.traffic = report::traffic_findings(*input.profile);
  findings.regions = report::region_findings(*input.profile);
  findings.openmp = report::openmp_findings(*input.profile);
  findings.call_tree = report::call_tree_of(*input.profile);
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

// The figure for a talk. Errors: the data have no such values (kInput); as picture_of().
Result<std::string> figure_of(const ReportOptions& options, const MeasurementInput& input, report::Findings findings) {
  const auto in_format = [&options](std::string svg) -> Result<std::string> {
    if (options.html.ends_with(".svg")) return svg;
    return report::picture_of(
        svg, options.html.ends_with(".pdf") ? report::PictureFormat::kPdf : report::PictureFormat::kPng);
  };
  if (options.figure == "ranking") {
    Result<std::string> svg = report::ranking_svg(findings);
    return svg ? in_format(std::move(svg).value()) : svg;
  }
  Result<std::vector<report::ScalingTable>> tables = scaling_tables_of(input, options.prediction, findings);
  if (!tables) return tables.error();
  report::Proposal proposal;
  proposal.options.efficiency_bound = options.bound;
  report::Study study;
  study.input = options.prediction.input;
  study.region = input.region;
  study.findings = std::move(findings);
  study.tables = std::move(tables).value();
  if (!study.tables.empty()) {
    proposal.studies.push_back(std::move(study));
    for (const report::Figure& figure : report::scaling_figures(proposal)) {
      if (figure.name != options.figure) continue;
      return in_format(report::figure_svg(figure));
    }
  }
  return core::Error{core::ErrorCode::kInput,
                     "there is no " + options.figure + " to draw for " + options.prediction.input,
                     "speed-up needs elapsed time of strong scaling, with a core for each rank: "
                     "`scalediag proposal` tells what the runs lack",
                     options.prediction.input};
}

int write_figure(const ReportOptions& options, const MeasurementInput& input, report::Findings findings) {
  const core::Status written = write(options.html, figure_of(options, input, std::move(findings)));
  return written ? core::kExitSuccess : report(written.error());
}

core::Status check_figure(const ReportOptions& options) {
  if (options.figure.empty()) return core::Done{};
  for (const char* ending : {".svg", ".pdf", ".png"}) {
    if (options.html.ends_with(ending)) return core::Done{};
  }
  return core::Error{core::ErrorCode::kUsage, options.html + " is of no format that a figure can have",
                     "-o FILE.svg, FILE.pdf or FILE.png", ""};
}

int write_report(const ReportOptions& options) {
  if (const core::Status known = check_figure(options); !known) return report(known.error());
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
  if (!options.figure.empty()) return write_figure(options, input.value(), std::move(findings).value());
  const Result<std::vector<report::ScalingTable>> tables =
      scaling_tables_of(input.value(), options.prediction, findings.value());
  if (!tables) return report(tables.error());
  add_measurement(input.value(), findings.value());
  add_phases(input.value(), findings.value());
  if (!options.json.empty()) {
    const core::Status written =
        write(options.json, report::report_json(findings.value(), report::JsonLayout::kReadable));
    if (!written) return report(written.error());
  }
  const core::Status written = write(options.html, report::report_html(findings.value(), tables.value()));
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
  writes_file(
      command->add_option("-o,--output", options->html, "The HTML file")->capture_default_str()->type_name("FILE"));
  writes_file(
      command->add_option("--json", options->json, "Write the same as JSON (scalediag-report/1)")->type_name("FILE"));
  command->add_option("--efficiency", options->bound, "The efficiency that more processes have to keep")
      ->capture_default_str()
      ->check(number_between(0.01, 1));
  command
      ->add_option("--figure", options->figure,
                   "Write one figure for a talk instead, into -o FILE.svg, FILE.pdf or FILE.png: speedup, efficiency, "
                   "ranking")
      ->check(CLI::IsMember({"speedup", "efficiency", "ranking"}));
  command->footer(
      "Without --at: 4 and 16 times the largest measured number of processes.\n\nExamples:\n"
      "  scalediag report app.scalediag --at np=256,1024\n"
      "  scalediag report app.scalediag -o today.html --json today.json --efficiency 0.7\n"
      "  scalediag report app.scalediag --figure efficiency -o efficiency.pdf");
  command->callback([options, &invocation] { invocation.exit_status = write_report(*options); });
}

}  // namespace scalediag::cli
