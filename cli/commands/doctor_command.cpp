// scalediag doctor [PROGRAM]: the things that work here, those that do not, and remedies
#include <memory>

#include "cli/command.h"
#include "cli/standard_output.h"
#include "collector/launch/host/doctor_report.h"

namespace scalediag::cli {
namespace {

Result<int> run_doctor(const std::string& program, bool json) {
  const launch::Diagnosis diagnosis = launch::diagnose(program);
  const std::string text = TRY(json ? launch::doctor_json(diagnosis) : launch::doctor_text(diagnosis));
  if (const int printed = print(text); printed != core::kExitSuccess) return printed;
  return diagnosis.can_profile() ? core::kExitSuccess : core::kExitEnvironment;
}

}  // namespace

void add_doctor_command(CLI::App& app, Invocation& invocation) {
  struct Options {
    std::string program;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("doctor", "What works on this machine and what does not, with the command that would mend it");
  command->add_option("PROGRAM", options->program, "Also look at this application: its MPI and launcher");
  command->add_flag("--json", options->json, "Print JSON (scalediag-doctor/1)");
  command->footer(
      "Exit status: 0, or 3 when profiling cannot work at all.\n\n"
      "Examples:\n"
      "  scalediag doctor\n"
      "  scalediag doctor ./app");
  command->callback([options, &invocation] { invocation.exit_status = run_doctor(options->program, options->json); });
}

}  // namespace scalediag::cli
