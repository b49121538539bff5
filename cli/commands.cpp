// All commands, in the groups and the order of `scalediag --help`.
#include <vector>

#include "cli/command.h"
#include "cli/options/written_files.h"

namespace scalediag::cli {
namespace {

// Refuses empty values, which a script with an unset variable passes: -o "$OUT". Only the text of --submit may be
// empty: no options for the batch system.
void refuse_empty_values(CLI::App& command) {
  const CLI::Validator not_empty(
      [](std::string& value) {
        return value.empty() ? std::string("the value is empty; give one, or leave the option out") : std::string();
      },
      "");
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() > 0 && option->get_name() != "--submit") option->check(not_empty);
  }
}

struct Group {
  const char* title;
  std::vector<void (*)(CLI::App&, Invocation&)> commands;
};

const Group kGroups[] = {
    {"Everyday", {add_profile_command, add_show_command, add_predict_command, add_improve_command, add_report_command}},
    {"Decide", {add_advise_command, add_proposal_command, add_check_command, add_diff_command}},
    {"Look inside",
     {add_models_command, add_trace_command, add_phases_command, add_groups_command, add_export_command}},
    {"Engines",
     {add_simulate_command, add_emulate_command, add_record_command, add_replay_command, add_scale_command,
      add_points_command, add_blocks_command, add_synth_command}},
    {"Machine and set-up",
     {add_doctor_command, add_machine_command, add_network_command, add_completion_command, add_man_command,
      add_merge_command}},
};

// Options that few need: they stand last, in a group of their own.
struct FewNeed {
  const char* command;
  std::vector<const char*> options;
};

const FewNeed kAdvanced[] = {
    {"profile",
     {"--max-repeat", "--target-cv", "--rate", "--sampler", "--events", "--events-precise", "--simulate-ranks",
      "--count-in-part", "--counting-budget", "--stack-bytes", "--gpu", "--count-calls", "--series", "--accept-status",
      "--inline", "--words", "--stdin", "--machine"}},
    {"predict",
     {"--replayed", "--platform", "--points", "--volume-ratio", "--measured-network", "--by", "--node-memory",
      "--ranks-per-node", "--wide"}},
    {"report", {"--replayed", "--points", "--volume-ratio", "--measured-network"}},
    {"simulate",
     {"--flops", "--seed", "--noise", "--rounds", "--blocks", "--block-factor", "--computation", "--points"}},
    {"scale", {"--leave-out", "--points"}},
};

void put_last(CLI::App& command) {
  for (const FewNeed& few : kAdvanced) {
    if (command.get_name() != few.command) continue;
    for (const char* name : few.options) {
      if (CLI::Option* const option = command.get_option_no_throw(name); option != nullptr) option->group("Advanced");
    }
  }
}

// Before the command runs.
void refuse_to_overwrite_inputs(CLI::App& command, Invocation& invocation) {
  command.parse_complete_callback([&command, &invocation] {
    const Status usable = check_written_files(command, invocation.application);
    if (usable) return;
    invocation.exit_status = usable.error();
    throw CLI::RuntimeError(core::kExitUsage);
  });
}

}  // namespace

void add_commands(CLI::App& app, Invocation& invocation) {
  for (const Group& group : kGroups) {
    for (const auto add : group.commands) {
      const size_t before = app.get_subcommands({}).size();
      add(app, invocation);
      for (size_t i = before; i < app.get_subcommands({}).size(); ++i) app.get_subcommands({})[i]->group(group.title);
    }
  }
  for (CLI::App* command : app.get_subcommands({})) {
    refuse_empty_values(*command);
    refuse_to_overwrite_inputs(*command, invocation);
    put_last(*command);
  }
}

}  // namespace scalediag::cli
