#include "cli/replays/counts_in_part.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/inputs/representatives_input.h"
#include "cli/replays/silent_notices.h"
#include "collector/counters/callgrind/counted_parts.h"
#include "collector/counters/callgrind/counted_ranks.h"
#include "collector/counters/callgrind/part_cost.h"
#include "collector/launch/plan/pass_cost.h"
#include "collector/launch/plan/trace_cost.h"
#include "collector/launch/session/progress.h"
#include "collector/replay/counted_replay.h"
#include "collector/replay/record_session.h"
#include "core/atomic_file.h"
#include "core/scratch_folder.h"
#include "core/steady_time.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/representatives/rank_loop.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::cli {
namespace {

constexpr uint64_t kMostLogged = uint64_t{1} << 30;  // bytes, of a rank
// Of the rank's computation in a loop; every stop of counting has valgrind translate the program again.
constexpr double kLeastShare = 0.02;
constexpr size_t kMostLoops = 24;
// Loops of no more rounds are counted whole (counters::CountedExtent).
constexpr uint64_t kFewRounds = 7;
// Ranks that stand for others differ by an unknown amount where there is one alone.
constexpr size_t kLeastRanks = 2;
// Whole counts are exact: an estimate has to be so much faster, as a share of their time.
constexpr double kMostOfWhole = 0.7;

Error not_in_part(const std::string& reason) { return {ErrorCode::kInput, reason}; }

// A rank that stands for others.
struct Representative {
  int rank = 0, stands_for = 1;
  counters::CountedWork work;
  counters::CountedExtent extent;
  uint64_t events = 0;  // of its trace, in which rounds are found
};

std::vector<counters::CountedWork> works_of(std::span<const Representative> ranks) {
  std::vector<counters::CountedWork> works;
  for (const Representative& rank : ranks) works.push_back(rank.work);
  return works;
}

std::string list_of(std::span<const Representative> ranks) {
  return core::join(ranks, ",", [](const Representative& rank) { return std::to_string(rank.rank); });
}

counters::CountedWork work_of(const loggp::RankTrace& trace, const loggp::MainLoops& main) {
  counters::CountedWork work;
  for (const loggp::RankLoop& loop : main.loops) {
    work.loops.push_back({loop.before, loop.per_iteration, loop.iterations, loop.iteration_s});
  }
  work.computation_s = loggp::computation_s(trace);
  work.after_s = std::accumulate(main.after_s.begin(), main.after_s.end(), 0.0);
  return work;
}

// The loops with which a replay is shortest. Loops of few rounds are left for those within them. Nothing: there is none
// of which few rounds can be counted.
std::optional<counters::CountedWork> find_loops(const loggp::RankTrace& trace) {
  std::optional<counters::CountedWork> best;
  const auto takes_s = [](const counters::CountedWork& work) { return counters::replays_s({work}, {}, 1); };
  for (const double share : {loggp::kMainShare, kLeastShare}) {
    const auto found = loggp::main_loops_of(trace, kFewRounds, share);
    if (!found || found->loops.empty() || found->loops.size() > kMostLoops) continue;
    auto work = work_of(trace, *found);
    if (!counters::least_extent({work})) continue;
    if (!best || takes_s(work) < takes_s(*best)) best = std::move(work);
  }
  return best;
}

// The ranks that stand for all. Where one would, another one that communicates like it shares them with it, the
// farthest of them.
std::vector<Representative> ranks_to_count(const loggp::Representatives& found) {
  std::vector<Representative> ranks;
  for (const loggp::RepresentedRanks& set : found.sets) {
    ranks.push_back({set.representative, static_cast<int>(set.ranks.size()), {}, {}});
  }
  if (ranks.size() < kLeastRanks && ranks.front().stands_for > 1) {
    Representative& one = ranks.front();
    const int first = found.sets.front().ranks.front(), last = found.sets.front().ranks.back();
    const int shared = one.stands_for / 2;
    one.stands_for -= shared;
    ranks.push_back({last - one.rank > one.rank - first ? last : first, shared, {}, {}});
  }
  std::ranges::sort(ranks, {}, &Representative::rank);
  return ranks;
}

Status find_works(const std::vector<loggp::RankTrace>& traces, std::vector<Representative>& ranks) {
  for (Representative& rank : ranks) {
    const loggp::RankTrace& trace = traces[static_cast<size_t>(rank.rank)];
    const std::string name = "rank " + std::to_string(rank.rank);
    if (loggp::has_calls_of_many_events(trace)) {
      return not_in_part(name +
                         " uses neighbourhood collectives or one-sided communication, whose rounds cannot be told");
    }
    auto work = find_loops(trace);
    if (!work) return not_in_part(name + " has no main loop of more than a few rounds");
    rank.work = std::move(*work);
    rank.events = trace.n_events;
  }
  return core::Done{};
}

// "13 of 299 rounds of ranks 0,2, which stand for all"
std::string said_of(const std::vector<Representative>& ranks, int np) {
  uint64_t rounds = 0, all = 0;
  double reach = 1;
  for (const Representative& rank : ranks) {
    const auto parts = counters::plan_parts(rank.work, rank.extent).parts;
    rounds += parts.counted;
    all += parts.rounds;
    reach = std::min(reach, rank.extent.reach);
  }
  return std::to_string(rounds) + " of " + std::to_string(all) + " rounds of " +
         (ranks.size() == 1 ? "rank " : "ranks ") + list_of(ranks) +
         (static_cast<int>(ranks.size()) < np ? ", which stand for all" : "") +
         (reach < 1 ? ", in the first " + core::percent(reach) + " of the last loop" : "");
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

// Returns the recording's folder, which is `folder`. Error: also where the run is another one than the traced one, in
// which the rounds were found.
Result<std::string> record_ranks(const launch::ProfileRequest& request, const core::Configuration& configuration,
                                 const std::vector<Representative>& ranks, const std::string& folder) {
  replay::RecordRequest asked;
  static_cast<launch::ProgramRequest&>(asked) = request;
  asked.parameters.clear();
  for (const auto& [name, value] : configuration.parameters) {
    asked.parameters.push_back(name + "=" + core::to_text(value));
  }
  asked.np = configuration.np;
  asked.ranks = list_of(ranks);
  asked.output = folder;
  asked.timeout_s = request.timeout_s;
  asked.max_log_bytes = kMostLogged;
  asked.passes_output_on = false;
  SilentNotices silent;
  const auto recording = TRY(replay::record(asked, silent));
  if (!recording.given_up.empty()) return recording.given_up.front();
  if (recording.exit_status != 0) return not_in_part("the run to be recorded failed");
  for (const Representative& rank : ranks) {
    if (recording.events.at(rank.rank) == rank.events) continue;
    return not_in_part("the recorded run has other events than the traced one");
  }
  return recording.folder;
}

class Counting {
 public:
  Counting(const launch::ProfileRequest& request, const launch::ExperimentStore& store)
      : request_(request), store_(store) {}

  Result<launch::CountedInPart> count(const launch::PartCountingRequest& part) {
    const auto begin = std::chrono::steady_clock::now();
    const Runs runs = runs_of(store_, part.configuration);
    if (runs.traced.empty()) return not_in_part("no repeat of it has a trace (--fresh makes one)");
    if (std::ranges::any_of(part.repeats, [](const core::Run* run) { return run->threads_max > 1; })) {
      return not_in_part("its ranks have several threads");
    }
    const double recording_s = runs.elapsed_s / runs.n;
    const auto ranks = TRY(choose(runs.traced, part.configuration.np, most_s(part) - recording_s, recording_s));
    part.announce(said_of(ranks, part.configuration.np), recording_s + expected_s(ranks));
    // Beside the pass, whose files are moved out of it.
    const core::ScratchFolder scratch("counting", store_.folder().path());
    const std::string recording = TRY(record_ranks(request_, part.configuration, ranks, scratch.file("recording")));
    return replay_ranks(part, recording, ranks, begin);
  }

 private:
  int cores() const { return store_.experiment().host.cores; }

  static double most_s(const launch::PartCountingRequest& part) {
    return std::min(part.most_s, kMostOfWhole * part.whole_s);
  }

  double expected_s(const std::vector<Representative>& ranks) const {
    return pace_.value() * counters::replays_s(works_of(ranks), ranks.front().extent, cores());
  }

  // Gives the ranks an extent for replays of at most `most_s`, or the least; false: there is none.
  bool fit(std::vector<Representative>& ranks, double most_s) const {
    const auto works = works_of(ranks);
    const auto extent = counters::largest_extent(works, cores(), most_s / (pace_.margin() * pace_.value()));
    for (Representative& rank : ranks) rank.extent = extent ? *extent : *counters::least_extent(works);
    return extent.has_value();
  }

  // All of a few ranks where `most_s` allows that, since ranks that communicate alike may differ by some percent in
  // what they compute; else those that stand for all.
  Result<std::vector<Representative>> choose(const std::string& folder, int np, double most_s,
                                             double recording_s) const {
    const auto traces = TRY(loggp::read_traces(folder));
    std::vector<Representative> ranks;
    if (np <= counters::kChosenRanks) {
      ranks.resize(static_cast<size_t>(np));
      for (int rank = 0; rank < np; ++rank) ranks[static_cast<size_t>(rank)].rank = rank;
      TRY(find_works(traces, ranks));
      if (fit(ranks, most_s)) return ranks;
    }
    const auto run = TRY(read_representatives({folder, np, ""}));
    ranks = ranks_to_count(run.representatives);
    TRY(find_works(traces, ranks));
    if (fit(ranks, most_s)) return ranks;
    return not_in_part("a few rounds of it would take about " +
                       launch::format_duration(recording_s + expected_s(ranks)) + ", or up to " +
                       core::to_text(pace_.margin()) + " times that");
  }

  // As many ranks as there are cores at the same time. What the first ones take says how much of the others is counted;
  // where time is left for nothing, the first ones stand for all, if they are enough.
  Result<launch::CountedInPart> replay_ranks(const launch::PartCountingRequest& part, const std::string& recording,
                                             std::vector<Representative> rest,
                                             std::chrono::steady_clock::time_point begin) {
    launch::CountedInPart counted;
    std::vector<Representative> done;
    // Ranks that are far apart come first: if no others are counted, they stand for all better than neighbours do.
    if (rest.size() > 2) std::swap(rest[1], rest.back());
    while (!rest.empty()) {
      const double left_s = part.most_s - core::seconds_since(begin);
      if (pace_.margin() * expected_s(rest) > left_s && !fit(rest, left_s) && done.size() >= kLeastRanks) break;
      const auto end = rest.begin() + std::min<ptrdiff_t>(std::max(1, cores()), std::ssize(rest));
      const std::vector<Representative> batch(rest.begin(), end);
      counted.interrupted_by = TRY(replay_batch(part, recording, batch, begin));
      if (counted.interrupted_by != 0) return counted;
      done.insert(done.end(), batch.begin(), batch.end());
      rest.erase(rest.begin(), end);
    }
    const int np = part.configuration.np;
    std::ranges::sort(done, {}, &Representative::rank);
    for (const Representative& rank : done) {
      counted.ranks.push_back(rank.rank);
      counted.stands_for.push_back(rank.stands_for);
    }
    // Shared evenly: LU's ranks that communicate most like rank 0 compute no more like it than like the last one.
    for (const Representative& rank : rest) {
      for (int i = 0; i < rank.stands_for; ++i) ++*std::ranges::min_element(counted.stands_for);
    }
    counted.said = said_of(done, np);
    return counted;
  }

  // Returns the signal that interrupted it, or 0.
  Result<int> replay_batch(const launch::PartCountingRequest& part, const std::string& recording,
                           const std::vector<Representative>& ranks, std::chrono::steady_clock::time_point begin) {
    replay::CountedReplayRequest replays;
    replays.folder = recording;
    replays.valgrind = part.valgrind;
    replays.valgrind_options = part.valgrind_options;
    replays.output = part.folder;
    replays.timeout_s = std::max(1.0, launch::kBudgetOverrun * part.most_s - core::seconds_since(begin));
    for (const Representative& rank : ranks) {
      const counters::PartsPlan plan = counters::plan_parts(rank.work, rank.extent);
      TRY(core::write_file_atomically(part.folder + "/" + counters::parts_file(rank.rank),
                                      counters::text_of(plan.parts)));
      replays.ranks.push_back({rank.rank, plan.steps});
    }
    const auto started = std::chrono::steady_clock::now();
    const int interrupted_by = TRY(replay::count_replays(replays));
    pace_.add(counters::replays_s(works_of(ranks), ranks.front().extent, cores()), core::seconds_since(started));
    return interrupted_by;
  }

  const launch::ProfileRequest& request_;
  const launch::ExperimentStore& store_;
  launch::PassPace pace_;  // of replays, against replays_s()
};

}  // namespace

launch::PartCounting part_counting(const launch::ProfileRequest& request, const launch::ExperimentStore& store) {
  return [counting = Counting(request, store)](const launch::PartCountingRequest& part) mutable {
    return counting.count(part);
  };
}

}  // namespace scalediag::cli
