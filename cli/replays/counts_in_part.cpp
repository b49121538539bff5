#include "cli/replays/counts_in_part.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/representatives_input.h"
#include "cli/replays/silent_notices.h"
#include "collector/counters/callgrind/counted_parts.h"
#include "collector/counters/callgrind/counted_ranks.h"
#include "collector/counters/callgrind/valgrind.h"
#include "collector/launch/plan/pass_cost.h"
#include "collector/launch/plan/trace_cost.h"
#include "collector/replay/counted_replay.h"
#include "collector/replay/record_session.h"
#include "core/atomic_file.h"
#include "core/scratch_folder.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/representatives/rank_loop.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::cli {
namespace {

constexpr uint64_t kMostLogged = uint64_t{1} << 30;  // bytes, of a rank
constexpr double kStartOfCounting_s = 3;             // of a replayed rank under valgrind, with MPI_Init
constexpr double kLeastForReplays_s = 10;            // that replays may take, however short the runs are
// Of the rank's computation in a loop; every stop of counting has valgrind translate the program again.
constexpr double kLeastShare = 0.02;
constexpr size_t kMostLoops = 24;
// Of the rank's computation: what follows the last loop is guessed up to this, and beyond this counting is not in part.
constexpr double kMostGuessed = 0.02, kMostCounted = 0.8;

Error not_in_part(const std::string& reason) { return {ErrorCode::kInput, reason}; }

// A rank that stands for others, and its loops.
struct Representative {
  int rank = 0, stands_for = 1;
  loggp::MainLoops main;
  double computation_s = 0;
};

std::vector<counters::CountedLoop> counted_loops(const Representative& rank) {
  std::vector<counters::CountedLoop> loops;
  for (const loggp::RankLoop& loop : rank.main.loops)
    loops.push_back({loop.before, loop.per_iteration, loop.iterations});
  return loops;
}

double after_s(const Representative& rank) {
  return std::accumulate(rank.main.after_s.begin(), rank.main.after_s.end(), 0.0);
}

// How much of the loops is counted, and whether replays go on to the end of the program.
struct Extent {
  int places = 1;
  bool to_the_end = true;
};

double loops_s(const Representative& rank) {
  double sum_s = 0;
  for (const loggp::RankLoop& loop : rank.main.loops) sum_s += loop.iteration_s * static_cast<double>(loop.iterations);
  return sum_s;
}

// The computation of the rank that is counted, in seconds as it takes by itself.
double counted_s(const Representative& rank, const Extent& extent) {
  double sum_s = std::max(0.0, rank.computation_s - loops_s(rank));
  if (!extent.to_the_end) sum_s = std::max(0.0, sum_s - after_s(rank));
  for (const loggp::RankLoop& loop : rank.main.loops) {
    sum_s += loop.iteration_s *
             static_cast<double>(std::min<uint64_t>(1 + 2 * static_cast<uint64_t>(extent.places), loop.iterations));
  }
  return sum_s;
}

// Gives the rank the loops with which least is counted. Loops of no more rounds than `few` are left for those within
// them. False: there is none of which few rounds can be counted.
bool find_loops(const loggp::RankTrace& trace, Representative& rank) {
  std::optional<Representative> best;
  for (const uint64_t few : {8, 3, 2}) {
    for (const double share : {loggp::kMainShare, kLeastShare}) {
      auto found = loggp::main_loops_of(trace, few, share);
      if (!found || found->loops.empty() || found->loops.size() > kMostLoops) continue;
      Representative one = rank;
      one.main = std::move(*found);
      if (!best || counted_s(one, {}) < counted_s(*best, {})) best = std::move(one);
    }
  }
  if (best) rank = std::move(*best);
  return best.has_value();
}

// Gives each rank its loops.
Result<std::vector<Representative>> with_loops(const std::vector<loggp::RankTrace>& traces,
                                               std::vector<Representative> ranks) {
  std::ranges::sort(ranks, {}, &Representative::rank);
  for (Representative& rank : ranks) {
    const loggp::RankTrace& trace = traces[static_cast<size_t>(rank.rank)];
    const std::string name = "rank " + std::to_string(rank.rank);
    if (loggp::has_calls_of_many_events(trace)) {
      return not_in_part(name +
                         " uses neighbourhood collectives or one-sided communication, whose rounds cannot be told");
    }
    rank.computation_s = loggp::computation_s(trace);
    if (!find_loops(trace, rank)) return not_in_part(name + " has no main loop of more than two rounds");
  }
  return ranks;
}

double uncounted_s(const Representative& rank, const Extent& extent) {
  if (extent.to_the_end) return std::max(0.0, rank.computation_s - counted_s(rank, extent));
  double sum_s = 0;  // a replay goes through all loops but the last
  for (const loggp::RankLoop& loop : rank.main.loops) {
    if (&loop == &rank.main.loops.back()) break;
    sum_s += loop.iteration_s * static_cast<double>(loop.iterations);
  }
  return sum_s;
}

double cost_s(const std::vector<Representative>& ranks, const Extent& extent, int cores) {
  double sum_s = 0, longest_s = 0;
  for (const Representative& rank : ranks) {
    const double its_s = kStartOfCounting_s + counters::kCountingSlowdown * counted_s(rank, extent) +
                         launch::kUncountedSlowdown * uncounted_s(rank, extent);
    sum_s += its_s;
    longest_s = std::max(longest_s, its_s);
  }
  return std::max(longest_s, sum_s / std::max(1, cores));
}

// Of the ranks' computation, the share that is counted.
double counted_share(const std::vector<Representative>& ranks, const Extent& extent) {
  double all_s = 0, counted = 0;
  for (const Representative& rank : ranks) {
    all_s += rank.computation_s;
    counted += counted_s(rank, extent);
  }
  return all_s > 0 ? counted / all_s : 1;
}

// The most that `most_s` allows, while the most is not counted; the least where nothing is allowed.
Extent extent_of(const std::vector<Representative>& ranks, double most_s, int cores) {
  constexpr double kMuch = 0.5;
  const bool may_end = std::ranges::all_of(
      ranks, [](const Representative& rank) { return after_s(rank) <= kMostGuessed * rank.computation_s; });
  std::vector<Extent> extents = {{4, true}, {2, true}, {1, true}};
  if (may_end) extents.push_back({1, false});
  for (const Extent& extent : extents) {
    const bool is_little = extent.places == 1 || counted_share(ranks, extent) <= kMuch;
    if (is_little && cost_s(ranks, extent, cores) <= most_s) return extent;
  }
  return extents.back();
}

counters::PartsPlan plan_of(const Representative& rank, const Extent& extent) {
  std::optional<double> rounds_after;
  if (!extent.to_the_end) {
    const double round_s = rank.main.loops.back().iteration_s;
    rounds_after = round_s > 0 ? after_s(rank) / round_s : 0;
  }
  return counters::plan_parts(counted_loops(rank), extent.places, rounds_after);
}

struct Chosen {
  std::vector<Representative> ranks;
  Extent extent;
};

// All of a few ranks where `most_s` allows that, since ranks that communicate alike may differ by some percent in what
// they compute; else those that stand for all.
Result<Chosen> choose(const std::string& folder, int np, double most_s, int cores) {
  const auto traces = TRY(loggp::read_traces(folder));
  if (np <= counters::kChosenRanks) {
    std::vector<Representative> each(static_cast<size_t>(np));
    for (int rank = 0; rank < np; ++rank) each[static_cast<size_t>(rank)].rank = rank;
    Chosen all;
    all.ranks = TRY(with_loops(traces, std::move(each)));
    all.extent = extent_of(all.ranks, most_s, cores);
    if (cost_s(all.ranks, all.extent, cores) <= most_s) return all;
  }
  const auto run = TRY(read_representatives({folder, np, ""}));
  std::vector<Representative> few;
  for (const loggp::RepresentedRanks& set : run.representatives.sets) {
    few.push_back({set.representative, static_cast<int>(set.ranks.size()), {}, 0});
  }
  Chosen chosen;
  chosen.ranks = TRY(with_loops(traces, std::move(few)));
  chosen.extent = extent_of(chosen.ranks, most_s, cores);
  return chosen;
}

struct Runs {
  std::string traced;    // the folder of one with traces; empty: none has
  double elapsed_s = 0;  // of all
  int n = 0;
};

Runs runs_of(const launch::ExperimentStore& store, const core::Configuration& configuration) {
  Runs runs;
  for (const core::RunEntry& entry : store.experiment().runs) {
    if (entry.state != core::RunState::kComplete || !(entry.configuration == configuration)) continue;
    const std::string folder = store.folder().run_folder(core::run_id(entry.configuration, entry.repeat));
    if (runs.traced.empty() && launch::trace_bytes(folder) > 0) runs.traced = folder;
    runs.elapsed_s += entry.elapsed_s;
    ++runs.n;
  }
  return runs;
}

// Returns the recording's folder, which is `folder`.
Result<std::string> record_ranks(const launch::ProfileRequest& request, const launch::PartCountingRequest& part,
                                 const std::vector<Representative>& ranks, const std::string& folder) {
  replay::RecordRequest asked;
  static_cast<launch::ProgramRequest&>(asked) = request;
  asked.parameters.clear();
  for (const auto& [name, value] : part.configuration.parameters) {
    asked.parameters.push_back(name + "=" + core::to_text(value));
  }
  asked.np = part.configuration.np;
  asked.ranks = core::join(ranks, ",", [](const Representative& rank) { return std::to_string(rank.rank); });
  asked.output = folder;
  asked.timeout_s = request.timeout_s;
  asked.max_log_bytes = kMostLogged;
  asked.passes_output_on = false;
  SilentNotices silent;
  const auto recording = TRY(replay::record(asked, silent));
  if (!recording.given_up.empty()) return recording.given_up.front();
  if (recording.exit_status != 0) return not_in_part("the run to be recorded failed");
  return recording.folder;
}

class Counting {
 public:
  Counting(const launch::ProfileRequest& request, const launch::ExperimentStore& store)
      : request_(request), store_(store) {}

  Result<launch::CountedInPart> count(const launch::PartCountingRequest& part) const {
    const Runs runs = runs_of(store_, part.configuration);
    if (runs.traced.empty()) return not_in_part("no repeat of it has a trace (--fresh makes one)");
    if (std::ranges::any_of(part.repeats, [](const core::Run* run) { return run->threads_max > 1; })) {
      return not_in_part("its ranks have several threads");
    }
    const double most_s = std::max(kLeastForReplays_s, kMostCost * runs.elapsed_s - runs.elapsed_s / runs.n);
    const auto [ranks, extent] =
        TRY(choose(runs.traced, part.configuration.np, most_s, store_.experiment().host.cores));
    if (counted_share(ranks, extent) > kMostCounted) {
      return not_in_part("its main loop has too few rounds, or too little of the time");
    }
    // Beside the pass, whose files are moved out of it.
    const core::ScratchFolder scratch("counting", store_.folder().path());
    const std::string recording = TRY(record_ranks(request_, part, ranks, scratch.file("recording")));
    return replay_ranks(part, recording, ranks, extent);
  }

 private:
  Result<launch::CountedInPart> replay_ranks(const launch::PartCountingRequest& part, const std::string& recording,
                                             const std::vector<Representative>& ranks, const Extent& extent) const {
    launch::CountedInPart counted;
    replay::CountedReplayRequest replays;
    replays.folder = recording;
    replays.valgrind = part.valgrind;
    replays.valgrind_options = part.valgrind_options;
    replays.output = part.folder;
    if (request_.timeout_s) replays.timeout_s = *request_.timeout_s * launch::kPassTimeoutFactor;
    uint64_t rounds = 0, all_rounds = 0;
    for (const Representative& rank : ranks) {
      const counters::PartsPlan plan = plan_of(rank, extent);
      TRY(core::write_file_atomically(part.folder + "/" + counters::parts_file(rank.rank),
                                      counters::text_of(plan.parts)));
      replays.ranks.push_back({rank.rank, plan.steps});
      counted.ranks.push_back(rank.rank);
      counted.stands_for.push_back(rank.stands_for);
      rounds += plan.parts.counted;
      all_rounds += plan.parts.rounds;
    }
    counted.interrupted_by = TRY(replay::count_replays(replays));
    counted.said = "counted " + std::to_string(rounds) + " of " + std::to_string(all_rounds) + " rounds of " +
                   core::counted(ranks.size(), "rank") +
                   (extent.to_the_end ? "" : "; what follows the main loop is estimated by its rounds");
    return counted;
  }

  const launch::ProfileRequest& request_;
  const launch::ExperimentStore& store_;
};

}  // namespace

launch::PartCounting part_counting(const launch::ProfileRequest& request, const launch::ExperimentStore& store) {
  return
      [counting = Counting(request, store)](const launch::PartCountingRequest& part) { return counting.count(part); };
}

}  // namespace scalediag::cli
