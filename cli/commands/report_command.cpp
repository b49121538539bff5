// scalediag report INPUT
#include <memory>
#include <utility>

#include "cli/answers/report_answer.h"
#include "cli/command.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/study_input.h"
#include "cli/number_checks.h"
#include "cli/options/written_files.h"
#include "cli/standard_output.h"
#include "core/experiment/output_file.h"
#include "report/document/figure_svg.h"
#include "report/proposal/ranking_figure.h"
#include "report/proposal/scaling_figures.h"
#include "report/render/picture.h"

namespace scalediag::cli {
namespace {

struct ReportCommandOptions : ReportOptions {
  std::string figure;  // "speedup", "efficiency", "ranking"; empty: the report
};

// The figure for a talk. Errors: the data have no such values (kInput); as picture_of().
Result<std::string> figure_of(const ReportCommandOptions& options, const MeasurementInput& input,
                              report::Findings findings) {
  const auto in_format = [&options](std::string svg) -> Result<std::string> {
    if (options.html.ends_with(".svg")) return svg;
    return report::picture_of(
        svg, options.html.ends_with(".pdf") ? report::PictureFormat::kPdf : report::PictureFormat::kPng);
  };
  if (options.figure == "ranking") {
    Result<std::string> svg = report::ranking_svg(findings);
    return svg ? in_format(std::move(svg).value()) : svg;
  }
  std::vector<report::ScalingTable> tables = TRY(scaling_tables_of(input, options.prediction, findings));
  report::Proposal proposal;
  proposal.options.efficiency_bound = options.bound;
  report::Study study;
  study.input = options.prediction.input;
  study.region = input.region;
  study.findings = std::move(findings);
  study.tables = std::move(tables);
  if (!study.tables.empty()) {
    proposal.studies.push_back(std::move(study));
    for (const report::Figure& figure : report::scaling_figures(proposal)) {
      if (figure.name != options.figure) continue;
      return in_format(report::figure_svg(figure));
    }
  }
  return Error{ErrorCode::kInput, "there is no " + options.figure + " to draw for " + options.prediction.input,
               "speed-up needs elapsed time of strong scaling, with a core for each rank: "
               "`scalediag proposal` tells what the runs lack",
               options.prediction.input};
}

Result<int> write_figure(const ReportCommandOptions& options, const MeasurementInput& input,
                         report::Findings findings) {
  TRY(write_answer(options.html, figure_of(options, input, std::move(findings))));
  return core::kExitSuccess;
}

Status check_figure(const ReportCommandOptions& options) {
  if (options.figure.empty()) return Done{};
  for (const char* ending : {".svg", ".pdf", ".png"}) {
    if (options.html.ends_with(ending)) return Done{};
  }
  return Error{ErrorCode::kUsage, options.html + " is of no format that a figure can have",
               "-o FILE.svg, FILE.pdf or FILE.png"};
}

Result<int> write_report_or_figure(const ReportCommandOptions& options) {
  TRY(check_figure(options));
  TRY(core::check_output_files({options.html, options.json}, inputs_of(options.prediction)));
  ReportedFindings reported = TRY(reported_findings(options));
  auto& [input, findings] = reported;
  if (!options.figure.empty()) return write_figure(options, input, std::move(findings));
  const std::string verdict = TRY(write_report(options, std::move(reported)));
  return print(verdict);
}

}  // namespace

void add_report_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ReportCommandOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Write a report: one HTML file with verdict, ranking, evidence and provenance");
  add_prediction_options(*command, options->prediction);
  add_ranks_per_node_option(*command, options->prediction);
  writes_file(
      command->add_option("-o,--output", options->html, "The HTML file")->capture_default_str()->type_name("FILE"));
  writes_file(
      command->add_option("--json", options->json, "Write the same as JSON (scalediag-report/1)")->type_name("FILE"));
  command
      ->add_option("--efficiency", options->bound,
                   "The efficiency that more processes have to keep, such as 0.6 or 60%")
      ->capture_default_str()
      ->transform(percent_as_share())
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
  command->callback([options, &invocation] { invocation.exit_status = write_report_or_figure(*options); });
}

}  // namespace scalediag::cli
