// The common part of all subcommands. Each has a file of its own, adds itself to the command line and, when it was
// asked for, runs and leaves its exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/exit_status.h"
#include "core/result.h"

namespace scalediag::cli {

struct Invocation {
  std::vector<std::string> words;        // of the command line, behind the name of this program
  std::vector<std::string> application;  // the words after "--", unchanged
  // Set by the subcommand that runs. An error is printed, also that of a command that is refused though its options are
  // right.
  Result<int> exit_status = core::kExitSuccess;
};

// Each function declares a subcommand's options on `app`; its callback runs it. `invocation` outlives `app`'s parsing.
void add_profile_command(CLI::App& app, Invocation& invocation);
void add_merge_command(CLI::App& app, Invocation& invocation);
void add_show_command(CLI::App& app, Invocation& invocation);
void add_predict_command(CLI::App& app, Invocation& invocation);
void add_improve_command(CLI::App& app, Invocation& invocation);
void add_report_command(CLI::App& app, Invocation& invocation);
void add_advise_command(CLI::App& app, Invocation& invocation);
void add_proposal_command(CLI::App& app, Invocation& invocation);
void add_models_command(CLI::App& app, Invocation& invocation);
void add_export_command(CLI::App& app, Invocation& invocation);
void add_machine_command(CLI::App& app, Invocation& invocation);
void add_doctor_command(CLI::App& app, Invocation& invocation);
void add_network_command(CLI::App& app, Invocation& invocation);
void add_trace_command(CLI::App& app, Invocation& invocation);
void add_phases_command(CLI::App& app, Invocation& invocation);
void add_points_command(CLI::App& app, Invocation& invocation);
void add_scale_command(CLI::App& app, Invocation& invocation);
void add_groups_command(CLI::App& app, Invocation& invocation);
void add_simulate_command(CLI::App& app, Invocation& invocation);
void add_synth_command(CLI::App& app, Invocation& invocation);
void add_emulate_command(CLI::App& app, Invocation& invocation);
void add_diff_command(CLI::App& app, Invocation& invocation);
void add_blocks_command(CLI::App& app, Invocation& invocation);
void add_check_command(CLI::App& app, Invocation& invocation);
void add_record_command(CLI::App& app, Invocation& invocation);
void add_replay_command(CLI::App& app, Invocation& invocation);
void add_completion_command(CLI::App& app, Invocation& invocation);
void add_man_command(CLI::App& app, Invocation& invocation);

// Adds all subcommands, in the order of `scalediag --help`.
void add_commands(CLI::App& app, Invocation& invocation);

}  // namespace scalediag::cli
