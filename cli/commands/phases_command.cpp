// scalediag phases DIR: the program's phases and the equations of their communication
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/scaling_input.h"
#include "cli/standard_output.h"
#include "core/json/json_writer.h"
#include "report/render/text/phases_text.h"

namespace scalediag::cli {
namespace {

constexpr const char* kPhasesFooter =
    R"(DIR is an experiment folder with traces at several numbers of ranks. What no equation explains is named with the
first event that breaks it.

Examples:
  scalediag profile -n 2,4,8,16 --trace -- ./app && scalediag phases app.scalediag
  scalediag phases app.scalediag --np 1024)";

struct PhasesOptions {
  std::string folder;
  int np = 0;
  bool all = false;
  bool json = false;
};

int show_phases(const PhasesOptions& options) {
  const auto model = read_scaling_model(options.folder, 0, options.np);
  if (!model) return report(model.error());
  if (!options.json) return print(report::phases_text(model.value(), options.all));
  const auto json = core::to_json_text(report::phases_json(model.value()), 4);
  return json ? print(json.value()) : report(json.error());
}

}  // namespace

void add_phases_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PhasesOptions>();
  CLI::App* command = app.add_subcommand("phases", "Print what repeats in traces, and how it changes with the ranks");
  command->footer(kPhasesFooter);
  command->add_option("DIR", options->folder, "Experiment folder")->required();
  command
      ->add_option("--np", options->np, "Tell what is left open at this number of ranks; else at 4 times the largest")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20));
  command->add_flag("--all", options->all, "Also the phases beyond 95 % of the time");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = show_phases(*options); });
}

}  // namespace scalediag::cli
