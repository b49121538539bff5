// scalediag replay DIR: runs recorded ranks again, without the others, and says what they computed
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/representatives_input.h"
#include "cli/number_checks.h"
#include "cli/standard_output.h"
#include "collector/replay/kernel_replay.h"
#include "collector/replay/repeated_replay.h"
#include "collector/replay/replay_session.h"
#include "core/atomic_file.h"
#include "core/text/formatted.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::cli {
namespace {

constexpr const char* kReplayFooter =
    R"(The program's output goes to standard output, or with --json only into the folder. Computation is CPU time between
calls of MPI; DIR/replay/rank000003.vector has it for each call. Alone, a rank has the caches and the memory of its node
for itself. With --together ranks compete for them as in a run. Ranks that were recorded with --together do so anyway:
they send their messages to one another and wait for them, node by node; others have all of their own in their logs.

Examples:
  scalediag replay app.messages --ranks 0,9
  scalediag replay app.messages --ranks 0..3:1 --together
  scalediag replay app.messages --json >computation.json)";

struct ReplayOptions {
  replay::ReplayRequest request;
  bool kernels = false, no_kernels = false;
};

// Of one rank: each value is its own.
nlohmann::ordered_json json_of(const core::Kernel& kernel) {
  nlohmann::ordered_json json = {{"name", kernel.name},
                                 {"module", kernel.module},
                                 {"file", kernel.file},
                                 {"line", kernel.line},
                                 {"samples", kernel.samples}};
  const auto time = kernel.metrics.find("time_s");
  json["time_s"] = time != kernel.metrics.end() ? time->second.sum : 0;
  json["metrics"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : kernel.metrics) {
    if (name != "time_s") json["metrics"][name] = value.sum;
  }
  return json;
}

// null: it is not known.
nlohmann::ordered_json apart_json(const replay::ReplayedRank& rank) {
  return rank.apart ? nlohmann::ordered_json(*rank.apart) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const replay::Replayed& replayed) {
  nlohmann::ordered_json document = {{"schema", "scalediag-replay/1"},
                                     {"differences", replayed.differences},
                                     {"ranks", nlohmann::ordered_json::array()}};
  for (const replay::ReplayedRank& rank : replayed.ranks) {
    document["ranks"].push_back({{"rank", rank.rank},
                                 {"computation_s", rank.computation_s},
                                 {"repeats", rank.repeats},
                                 {"error", rank.error},
                                 {"calls", rank.calls},
                                 {"log_bytes", rank.log_bytes},
                                 {"elapsed_s", rank.elapsed_s},
                                 {"program_s", rank.program_s},
                                 {"log_ahead_s", rank.log_ahead_s},
                                 {"log_in_calls_s", rank.log_in_calls_s},
                                 {"kernels", nlohmann::ordered_json::array()}});
    if (rank.iterations > 0) {
      document["ranks"].back()["iterations"] = {{"recorded", rank.recorded_iterations},
                                                {"all", rank.iterations},
                                                {"apart", apart_json(rank)},
                                                {"repeated_s", rank.repeated_s},
                                                {"from_trace_s", rank.traced_s}};
    }
  }
  return document;
}

Result<std::vector<core::Kernel>> kernels_of(const ReplayOptions& options, const replay::ReplayedRank& rank) {
  return replay::replayed_kernels(replay::profile_folder_of(options.request, rank.rank));
}

// The kernels that take most of the time, with their instructions where they were counted.
Status print_kernels(const ReplayOptions& options, const replay::ReplayedRank& rank) {
  auto kernels = TRY(kernels_of(options, rank));
  if (kernels.empty()) {
    warn("rank " + std::to_string(rank.rank) + " has no kernels: it computes for less than a sampling period",
         "--counters simulated counts the instructions of its functions, however short they are");
  }
  constexpr size_t kShown = 10;
  const auto value = [](const core::Kernel& kernel, const char* metric) {
    const auto found = kernel.metrics.find(metric);
    return found != kernel.metrics.end() ? found->second.sum : 0.0;
  };
  std::ranges::stable_sort(
      kernels, [&](const core::Kernel& a, const core::Kernel& b) { return value(a, "time_s") > value(b, "time_s"); });
  for (size_t i = 0; i < kernels.size() && i < kShown; ++i) {
    const core::Kernel& kernel = kernels[i];
    const std::string text = core::formatted("rank %d: %10.4f s  ", rank.rank, value(kernel, "time_s"));
    const double instructions = value(kernel, "instructions");
    note(text + kernel.name + " (" + kernel.module + ")" +
         (instructions > 0 ? ", " + core::to_text(instructions) + " instructions" : ""));
  }
  return Done{};
}

std::string text_of_iterations(const replay::ReplayedRank& rank) {
  const std::string apart = rank.apart ? "they are " + core::spaced_percent(*rank.apart) + " apart in the mean"
                                       : "how far they are apart is not known";
  return core::formatted(
      "rank %d: %llu of %llu iterations replayed%s, %.4f s repeat them (%s), %.4f s after the last loop are from the "
      "trace",
      rank.rank, static_cast<unsigned long long>(rank.recorded_iterations),
      static_cast<unsigned long long>(rank.iterations),
      rank.loops == 1 ? "" : (" of " + std::to_string(rank.loops) + " loops").c_str(), rank.repeated_s, apart.c_str(),
      rank.traced_s);
}

std::string text_of_log(const replay::ReplayedRank& rank) {
  char text[128];
  const bool is_ahead = rank.log_in_calls_s == 0;
  std::snprintf(text, sizeof text, is_ahead ? ", its log unpacked ahead in %.2f s" : ", of it %.2f s unpacking its log",
                is_ahead ? rank.log_ahead_s : rank.log_in_calls_s);
  return text;
}

std::string text_of_repeats(const replay::ReplayedRank& rank) {
  if (rank.repeats == 1) return "";
  return "; median of " + std::to_string(rank.repeats) + " replays, error " + core::spaced_percent(rank.error);
}

// Says which ranks those that were recorded stand for, where `record` chose them by their computation.
void tell_groups(const std::string& folder) {
  const auto text = core::read_file(folder + "/" + kGroupsFile);
  if (!text) return;
  std::istringstream lines(text.value());
  for (std::string line; std::getline(lines, line);) {
    const bool warns = line.starts_with(kGroupsWarning);
    if (warns) {
      warn(line.substr(std::string_view(kGroupsWarning).size()));
    } else {
      note(line);
    }
  }
}

Result<int> replay_ranks(ReplayOptions& options) {
  if (options.request.ranks == "all") options.request.ranks.clear();
  options.request.passes_output_on = !options.request.json;
  options.request.kernels =
      (options.request.json && !options.no_kernels) || options.kernels || options.request.counters != "none";
  const auto replayed = TRY(replay::replay(options.request, notices()));
  const std::vector<replay::ReplayedRank>& ranks = replayed.ranks;
  for (const replay::ReplayedRank& rank : ranks) {
    if (rank.interrupted_by == 0) continue;
    warn("interrupted: rank " + std::to_string(rank.rank) + " was not replayed");
    return 128 + rank.interrupted_by;
  }
  for (const replay::ReplayedRank& rank : ranks) {
    if (rank.error > replay::kEnoughError) {
      warn("rank " + std::to_string(rank.rank) + ": the median of " + std::to_string(rank.repeats) +
               " replays has an error of " + core::spaced_percent(rank.error),
           "leave the machine to it, or replay more often: --repeat 20");
    }
    if (!rank.apart || *rank.apart <= rank.most_apart) continue;
    warn("rank " + std::to_string(rank.rank) + ": successive replayed iterations are " +
             core::spaced_percent(*rank.apart) + " apart in the mean, and `record --apart` allowed " +
             core::spaced_percent(rank.most_apart) + ": those that were not recorded may be as far off",
         "record more iterations, or all of this rank");
  }
  tell_groups(options.request.folder);
  if (options.request.json) {
    auto document = json_of(replayed);
    for (size_t i = 0; i < ranks.size() && options.request.kernels; ++i) {
      const auto kernels = TRY(kernels_of(options, ranks[i]));
      for (const core::Kernel& kernel : kernels) document["ranks"][i]["kernels"].push_back(json_of(kernel));
    }
    return print_json(document, 2);
  }
  for (const replay::ReplayedRank& rank : ranks) {
    const std::string text = core::formatted(
        "rank %d: %.4f s of computation, %llu calls of MPI, replayed in %.2f s (%.2f s after MPI_Init)", rank.rank,
        rank.computation_s, static_cast<unsigned long long>(rank.calls), rank.elapsed_s, rank.program_s);
    note(text + text_of_log(rank) + text_of_repeats(rank));
    if (rank.iterations > 0) note(text_of_iterations(rank));
    if (!options.request.kernels) continue;
    TRY(print_kernels(options, rank));
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
  command
      ->add_option(
          "--repeat", options->request.repeats,
          "Replay each rank N times and take the medians (default: until their error is below 2 %, 10 times or "
          "30 s at most; once with --in-place)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--together", options->request.together,
                    "Replay the ranks at the same time, with a core each (those recorded with --together: always, node "
                    "by node)");
  command->add_flag("--share-cores", options->request.share_cores,
                    "More ranks than cores at the same time, which take turns as those of a crowded run");
  command->add_flag("--in-place", options->request.in_place,
                    "The program may write its output files again; else what it writes into its folder is thrown away");
  command
      ->add_option(
          "--program", options->request.program,
          "The program here, where it has moved, or another build of it; its calls have to be the recorded ones")
      ->type_name("FILE");
  command
      ->add_option("--directory", options->request.directory,
                   "Where the program runs and has its files (default: where it was recorded; where that is missing, "
                   "the files of `record --with-inputs`)")
      ->type_name("DIR");
  command
      ->add_option("--env", options->request.environment,
                   "A variable for the program, also where it was recorded with another value; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("-o,--output", options->request.output,
                   "Folder for what is replayed, which other commands take as they take DIR (default: DIR)")
      ->type_name("FOLDER");
  command->add_option("--timeout", options->request.timeout_s, "End a replay after S seconds")
      ->type_name("S")
      ->check(positive_number());
  CLI::Option* kernels = command->add_flag(
      "--kernels", options->kernels, "Replay each rank once more and sample in which functions it spends its time");
  command->add_flag("--no-kernels", options->no_kernels, "Leave that out with --json")->excludes(kernels);
  command
      ->add_option("--counters", options->request.counters,
                   "Also count instructions and cache hits of the functions: simulated (one rank under valgrind), papi")
      ->type_name("SOURCE")
      ->check(CLI::IsMember({"none", "simulated", "papi"}));
  command->add_flag("--json", options->request.json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = replay_ranks(*options); });
}

}  // namespace scalediag::cli
