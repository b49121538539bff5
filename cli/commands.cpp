// All commands, in the order of `scalediag --help`.
#include "cli/command.h"
#include "cli/options/written_files.h"

namespace scalediag::cli {
namespace {

// Refuses empty values, which a script with an unset variable passes: -o "$OUT".
void refuse_empty_values(CLI::App& command) {
  const CLI::Validator not_empty(
      [](std::string& value) {
        return value.empty() ? std::string("the value is empty; give one, or leave the option out") : std::string();
      },
      "");
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(not_empty);
  }
}

// Before the command runs.
void refuse_to_overwrite_inputs(CLI::App& command, Invocation& invocation) {
  command.parse_complete_callback([&command, &invocation] {
    const core::Status usable = check_written_files(command, invocation.application);
    if (usable) return;
    invocation.refused = usable.error();
    throw CLI::RuntimeError(core::kExitUsage);
  });
}

}  // namespace

void add_commands(CLI::App& app, Invocation& invocation) {
  for (const auto add :
       {add_profile_command,    add_merge_command,   add_show_command,    add_predict_command, add_report_command,
        add_proposal_command,   add_advise_command,  add_models_command,  add_diff_command,    add_check_command,
        add_export_command,     add_machine_command, add_doctor_command,  add_network_command, add_trace_command,
        add_phases_command,     add_points_command,  add_scale_command,   add_groups_command,  add_blocks_command,
        add_simulate_command,   add_synth_command,   add_emulate_command, add_record_command,  add_replay_command,
        add_completion_command, add_man_command}) {
    add(app, invocation);
  }
  for (CLI::App* command : app.get_subcommands({})) {
    refuse_empty_values(*command);
    refuse_to_overwrite_inputs(*command, invocation);
  }
}

}  // namespace scalediag::cli
