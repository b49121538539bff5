// scalediag proposal DIR... -o FILE
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/study_input.h"
#include "cli/number_checks.h"
#include "cli/options/written_files.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/experiment/output_file.h"
#include "core/text/quantities.h"
#include "report/document/figure_svg.h"
#include "report/document/html_document.h"
#include "report/document/latex_document.h"
#include "report/document/markdown_document.h"
#include "report/proposal/proposal_document.h"
#include "report/proposal/proposal_json.h"
#include "report/proposal/study_remarks.h"
#include "report/render/picture.h"

namespace scalediag::cli {
namespace {

struct ProposalCommandOptions {
  std::vector<std::string> inputs;
  StudyRequest study;
  std::optional<double> jobs, steps, measured_steps, job_processes;
  int periods = 1;
  std::string output;
  bool json = false;
};

bool ends_with(const std::string& file, const std::string& ending) {
  return file.size() > ending.size() && file.ends_with(ending);
}

Status check_usage(const ProposalCommandOptions& options) {
  const std::string& file = options.output;
  if (file.empty() && !options.json) {
    return Error{ErrorCode::kUsage, "there is no file to write", "-o FILE.tex, FILE.md or FILE.html, or --json"};
  }
  if (!file.empty() && !ends_with(file, ".tex") && !ends_with(file, ".md") && !ends_with(file, ".html")) {
    return Error{ErrorCode::kUsage, file + " is of no known format", "end its name in .tex, .md or .html"};
  }
  const bool of_jobs = options.steps || options.measured_steps || options.job_processes || options.periods > 1;
  if (of_jobs && !options.jobs) {
    return Error{ErrorCode::kUsage, "--steps, --measured-steps, --job-np and --periods are about a budget",
                 "say --jobs N as well"};
  }
  if (options.steps.has_value() != options.measured_steps.has_value()) {
    return Error{ErrorCode::kUsage, "--steps needs --measured-steps, and the other way round",
                 "say how many steps a production job has, and how many the measured runs had"};
  }
  return Done{};
}

// The names of the pictures beside a Markdown file, of either ending.
std::string picture_file(const std::string& output, const std::string& figure, const char* ending) {
  return output.substr(0, output.size() - 3) + "-" + figure + ending;
}

std::vector<std::string> outputs_of(const ProposalCommandOptions& options) {
  std::vector<std::string> all = {options.output};
  if (!ends_with(options.output, ".md")) return all;
  const char* ending = report::has_picture_library() ? ".png" : ".svg";
  for (const char* figure : {"speedup", "efficiency"}) all.push_back(picture_file(options.output, figure, ending));
  return all;
}

Status write(const std::string& path, const std::string& content) {
  const Status written = core::write_file_atomically(path, content);
  if (written) note("wrote " + path + " (" + core::bytes_text(static_cast<double>(content.size())) + ")");
  return written;
}

Status write_markdown(const std::string& output, const report::Document& document) {
  const bool png = report::has_picture_library();
  if (!png) note("figures are SVG: PNG needs librsvg (apt-get install librsvg2-2 fonts-dejavu-core)");
  std::vector<std::string> names;
  for (const report::Figure* figure : report::figures_of(document)) {
    const std::string file = picture_file(output, figure->name, png ? ".png" : ".svg");
    const std::string svg = report::figure_svg(*figure);
    const std::string picture = TRY(png ? report::picture_of(svg, report::PictureFormat::kPng) : svg);
    TRY(write(file, picture));
    names.push_back(file.substr(file.find_last_of('/') + 1));
  }
  return write(output, report::markdown_document(document, names));
}

Status write_section(const std::string& output, const report::Proposal& proposal) {
  const report::Document document = report::proposal_document(proposal);
  if (ends_with(output, ".tex")) return write(output, report::latex_document(document));
  if (ends_with(output, ".html")) return write(output, report::html_document(document));
  return write_markdown(output, document);
}

Result<int> write_proposal(ProposalCommandOptions options) {
  TRY(check_usage(options));
  if (!options.output.empty()) {
    TRY(core::check_output_files(outputs_of(options), options.inputs));
  }
  std::vector<report::Study> studies;
  for (const std::string& input : options.inputs) {
    studies.push_back(TRY(load_study(input, options.study)));
  }
  report::ProposalOptions how;
  how.efficiency_bound = options.study.efficiency_bound;
  how.job_processes = options.job_processes;
  if (options.jobs) how.budget = {*options.jobs, options.steps, options.measured_steps, options.periods};
  const report::Proposal proposal = TRY(report::proposal_of(std::move(studies), how));
  if (!options.output.empty()) {
    TRY(write_section(options.output, proposal));
    for (const report::Study& study : proposal.studies) {
      for (const std::string& remark : report::briefly(study.remarks)) warn(remark);
      if (!study.remarks.empty()) note("the remarks in full are in " + options.output);
    }
  }
  if (!options.json) return core::kExitSuccess;
  const std::string json = TRY(report::proposal_json(proposal));
  return print(json);
}

}  // namespace

void add_proposal_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ProposalCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "proposal", "Write the scaling section of a proposal for computing time: LaTeX, Markdown, HTML");
  command->add_option("INPUT", options->inputs, "Experiment folders of one program, by rising size of the problem")
      ->required();
  add_study_options(*command, options->study);
  command->add_option("--jobs", options->jobs, "The number of production jobs, for a budget")->check(positive_number());
  command->add_option("--steps", options->steps, "Steps of the main loop in a production job")
      ->check(positive_number());
  command->add_option("--measured-steps", options->measured_steps, "Steps of the main loop in the measured runs")
      ->check(positive_number());
  command
      ->add_option("--job-np", options->job_processes,
                   "Processes of a production job (default: the largest measured number that keeps --efficiency, else "
                   "the largest predicted one)")
      ->check(positive_number());
  command
      ->add_option("--periods", options->periods,
                   "Periods that the jobs are spread over, such as the quarters of a year")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  writes_file(
      command->add_option("-o,--output", options->output, "The file: .tex, .md (with pictures beside it) or .html")
          ->type_name("FILE"));
  command->add_flag("--json", options->json, "Print JSON (scalediag-proposal/1)");
  command->footer(
      "Examples:\n"
      "  scalediag proposal app.scalediag -o scaling.tex\n"
      "  scalediag proposal small.scalediag big.scalediag --cores-per-node 128 --jobs 200 --periods 4 -o scaling.html\n"
      "  scalediag proposal app.scalediag --measured-only -o scaling.md --json");
  command->callback([options, &invocation] { invocation.exit_status = write_proposal(*options); });
}

}  // namespace scalediag::cli
