// scalediag phases DIR: the program's phases and the equations of their communication
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/scaling_input.h"
#include "cli/number_checks.h"
#include "cli/standard_output.h"
#include "loggp/phases/instructions/phase_instructions.h"
#include "report/render/text/instructions_text.h"
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
  std::vector<int> leave_out;
  bool all = false;
  bool json = false;
};

// Holds the instructions that are predicted for a number of ranks that was counted and left out against the counted
// ones.
Result<loggp::InstructionChecks> check(const loggp::ScalingModel& model,
                                       const std::vector<loggp::PhaseInstructions>& predicted,
                                       const PhasesOptions& options) {
  const auto is_left_out = [&](int ranks) {
    return std::count(options.leave_out.begin(), options.leave_out.end(), ranks) > 0;
  };
  if (!is_left_out(model.target) || predicted.empty()) return loggp::InstructionChecks{};
  const auto all = TRY(read_scaling_model(options.folder, {}, 0));
  auto checks = loggp::check_instructions(predicted, model, all);
  if (checks.phases.empty()) warn("the instructions on " + std::to_string(model.target) + " ranks cannot be compared");
  return checks;
}

Result<int> show_phases(const PhasesOptions& options) {
  const auto model = TRY(read_scaling_model(options.folder, options.leave_out, options.np));
  if (model.target <= loggp::kMostChecked) {
    tell_unmatched(loggp::ScaledTraces(model, model.target), options.folder);
  }
  const auto instructions = loggp::instructions_of(model);
  const auto checks = TRY(check(model, instructions, options));
  if (!options.json) {
    return print(report::phases_text(model, options.all) +
                 report::instructions_text(instructions, checks, options.all));
  }
  nlohmann::ordered_json document = report::phases_json(model);
  document["instructions"] = report::instructions_json(instructions, checks);
  return print_json(document, 4);
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
      ->check(number_of_ranks());
  command
      ->add_option(
          "--leave-out", options->leave_out,
          "Leave out the runs with these numbers of ranks; with --np one of them, counted instructions are compared")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(number_of_ranks());
  command->add_flag("--all", options->all, "Also the phases beyond 95 % of the time");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = show_phases(*options); });
}

}  // namespace scalediag::cli
