// All commands, in the order of `scalediag --help`.
#include "cli/command.h"

namespace scalediag::cli {

void add_commands(CLI::App& app, Invocation& invocation) {
  for (const auto add : {add_profile_command, add_merge_command, add_show_command, add_predict_command,
                         add_report_command, add_models_command, add_diff_command, add_check_command,
                         add_export_command, add_machine_command, add_doctor_command, add_network_command,
                         add_trace_command, add_simulate_command, add_completion_command, add_man_command}) {
    add(app, invocation);
  }
}

}  // namespace scalediag::cli
