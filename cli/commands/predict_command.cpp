// scalediag predict INPUT --at np=LIST
#include <memory>

#include "cli/answers/platform_answer.h"
#include "cli/answers/prediction_answer.h"
#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/standard_output.h"

namespace scalediag::cli {

void add_predict_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command =
      app.add_subcommand("predict", "Predict larger scales: what takes the time, what stops scaling, why");
  command->footer(
      "Examples:\n"
      "  scalediag predict app.scalediag --at np=64,1024\n"
      "  scalediag predict app.scalediag --at np=64,1024 --details\n"
      "  scalediag predict app.scalediag --at np=256..4096 --at grid=512 --size grid\n"
      "  scalediag predict app.scalediag --at np=256 --network network.json\n"
      "  scalediag predict app.scalediag --at np=1024 --by callsite\n"
      "  scalediag predict app.scalediag --at np=1024 --by callpath\n"
      "  scalediag predict app.scalediag --at np=64 --replayed app64.messages\n"
      "  scalediag predict app.scalediag --at np=64 --platform a=a.messages,a.json,0.02 --platform "
      "b=b.messages,b.json\n"
      "  scalediag predict large.scalediag --at np=256 --points small.scalediag\n"
      "  scalediag predict app.scalediag --at np=4096 --node-memory 256GB --ranks-per-node 64\n"
      "  scalediag predict data.jsonl --at p=512 --json");
  add_prediction_options(*command, options->prediction)->required();
  CLI::Option* const platforms =
      command
          ->add_option(
              "--platform", options->platforms,
              "A machine: ranks replayed there, its network as of --network, and what a core-hour costs, if that "
              "is known; repeatable, for one table of all")
          ->type_name("NAME=DIR,NETWORK[,PRICE]")
          ->take_all()
          ->allow_extra_args(false)
          ->delimiter('\0')
          ->excludes(command->get_option("--replayed"))
          ->excludes(command->get_option("--network"));
  command
      ->add_option("--by", options->prediction.by,
                   "all that is known: costs of calls, and the experiment's traces where there are any and a network, "
                   "scaled to the target and simulated; costs (no traces), callsite (costs of each place that calls "
                   "MPI by itself), or simulation (an error where it cannot be had). callpath: call paths with all "
                   "that they called are predicted in place of functions and operations; needs `profile "
                   "--call-paths`")
      ->capture_default_str()
      ->check(CLI::IsMember({kByAll, kByCosts, kByCallSite, kByCallPath, kBySimulation}));
  command
      ->add_option("--node-memory", options->prediction.node_memory_bytes,
                   "The memory of a node (64GB, 256GiB): from which number of processes it no longer suffices; needs "
                   "--ranks-per-node")
      ->transform(CLI::AsSizeValue(true));
  add_ranks_per_node_option(*command, options->prediction);
  CLI::Option* const all_details = command->add_flag(
      "--details", options->details,
      "All that is known in place of the first screen: every source, efficiencies, kernels at each target");
  CLI::Option* const most_kernels =
      command
          ->add_option_function<size_t>(
              "--top",
              [options](size_t top) {
                options->top = top;
                options->details = true;
              },
              "Kernels to print a target, 0 for all; with --details, for which it stands, too")
          ->default_str(std::to_string(options->top))
          ->check(CLI::Range(0, 1000000));
  command->add_flag("--wide", options->wide, "Full names, however long the lines become");
  command->add_flag("--json", options->json,
                    "Print JSON (scalediag-predict/1) with every kernel; with --platform scalediag-platforms/1");
  platforms->excludes(all_details)->excludes(most_kernels);
  command->callback([options, &invocation] {
    const core::Result<std::string> text =
        options->platforms.empty() ? prediction_text(*options) : platforms_answer(*options);
    invocation.exit_status = text ? print(text.value()) : report(text.error());
  });
}

}  // namespace scalediag::cli
