// scalediag advise INPUT
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/study_input.h"
#include "cli/standard_output.h"
#include "report/proposal/advice.h"

namespace scalediag::cli {
namespace {

struct AdviseOptions {
  std::string input;
  StudyRequest study;
  bool json = false;
};

int advise(const AdviseOptions& options) {
  const core::Result<report::Study> study = load_study(options.input, options.study);
  if (!study) return report(study.error());
  const double bound = options.study.efficiency_bound;
  if (!options.json) return print(report::advice_text(study.value(), bound, terminal_width()));
  const core::Result<std::string> json = report::advice_json(study.value(), bound);
  return json ? print(json.value()) : report(json.error());
}

}  // namespace

void add_advise_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<AdviseOptions>();
  CLI::App* command = app.add_subcommand("advise", "Tell how many processes the next job should have, and its cost");
  command->add_option("INPUT", options->input, "An experiment folder or a profile.json")->required();
  add_study_options(*command, options->study);
  command->add_flag("--json", options->json, "Print JSON (scalediag-advise/1)");
  command->footer(
      "Examples:\n"
      "  scalediag advise app.scalediag\n"
      "  scalediag advise app.scalediag --np 64,128,256 --cores-per-node 128 --efficiency 0.6\n"
      "  scalediag advise app.scalediag --json");
  command->callback([options, &invocation] { invocation.exit_status = advise(*options); });
}

}  // namespace scalediag::cli
