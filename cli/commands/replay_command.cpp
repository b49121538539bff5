// scalediag replay DIR: runs recorded ranks again, without the others, and says what they computed
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/standard_output.h"
#include "collector/replay/replay_session.h"
#include "core/json/json_writer.h"
#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::cli {
namespace {

constexpr const char* kReplayFooter =
    R"(The program's output goes to standard output, or with --json only into the folder. Computation is CPU time between
calls of MPI; DIR/replay/rank000003.vector has it for each call. Alone, a rank has the caches and the memory of its node
for itself. With --together ranks compete for them as in a run, though they do not wait for one another.

Examples:
  scalediag replay app.messages --ranks 0,9
  scalediag replay app.messages --ranks 0..3:1 --together
  scalediag replay app.messages --json >computation.json)";

struct ReplayOptions {
  replay::ReplayRequest request;
  bool json = false;
};

nlohmann::ordered_json json_of(const std::vector<replay::ReplayedRank>& ranks) {
  nlohmann::ordered_json document = {{"schema", "scalediag-replay/1"}, {"ranks", nlohmann::ordered_json::array()}};
  for (const replay::ReplayedRank& rank : ranks) {
    document["ranks"].push_back({{"rank", rank.rank},
                                 {"computation_s", rank.computation_s},
                                 {"calls", rank.calls},
                                 {"log_bytes", rank.log_bytes},
                                 {"elapsed_s", rank.elapsed_s}});
  }
  return document;
}

int replay_ranks(ReplayOptions& options) {
  options.request.passes_output_on = !options.json;
  const auto ranks = replay::replay(options.request);
  if (!ranks) return report(ranks.error());
  if (options.json) {
    const auto json = core::to_json_text(json_of(ranks.value()), 2);
    return json ? print(json.value()) : report(json.error());
  }
  for (const replay::ReplayedRank& rank : ranks.value()) {
    char text[160];
    std::snprintf(text, sizeof text, "rank %d: %.4f s of computation, %llu calls of MPI, replayed in %.2f s", rank.rank,
                  rank.computation_s, static_cast<unsigned long long>(rank.calls), rank.elapsed_s);
    note(text);
  }
  return core::kExitSuccess;
}

}  // namespace

void add_replay_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
      app.add_subcommand("replay", "Run recorded ranks again, without the others, and measure what they compute");
  command->footer(kReplayFooter);
  command->add_option("DIR", options->request.folder, "Folder that `scalediag record` made")->required();
  command->add_option("--ranks", options->request.ranks, "Ranks to replay, one after another (default: all recorded)")
      ->type_name("LIST");
  command->add_flag("--together", options->request.together, "Replay the ranks at the same time, with a core each");
  command->add_flag("--in-place", options->request.in_place,
                    "The program may write its output files again; else what it writes into its folder is thrown away");
  command
      ->add_option("--other-binary", options->request.other_binary,
                   "Another build of the program; its calls have to be the recorded ones")
      ->type_name("FILE");
  command->add_option("--timeout", options->request.timeout_s, "End a replay after S seconds")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = replay_ranks(*options); });
}

}  // namespace scalediag::cli
