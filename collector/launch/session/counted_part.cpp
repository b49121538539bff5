#include "collector/launch/session/counted_part.h"

#include <algorithm>
#include <filesystem>

#include "collector/merge/sites/countable_loop.h"
#include "core/atomic_file.h"
#include "core/text/quantities.h"

namespace scalediag::launch {
namespace {

merge::CountableLoop loop_of(const core::ExperimentFolder& folder, const core::Run& run,
                             const std::vector<int>& ranks) {
  core::RunEntry entry;
  entry.configuration = {run.np, run.parameters};
  entry.repeat = run.repeat;
  auto loop = merge::countable_loop(folder, entry, ranks);
  if (!loop) return {{}, loop.error().message};
  return std::move(loop).value();
}

// Of the ranks where it is most.
LoopCost cost_of(const merge::CountableLoop& loop) {
  LoopCost cost;
  for (const merge::LoopOfRank& rank : loop.ranks) {
    cost.rounds = cost.rounds == 0 ? rank.plan.rounds : std::min(cost.rounds, rank.plan.rounds);
    cost.rounds_with_all_calls = std::max(cost.rounds_with_all_calls, merge::rounds_with_all_calls(rank.plan));
    cost.period = std::max(cost.period, merge::period_of_calls(rank.plan));
    cost.before = std::max(cost.before, rank.before);
    cost.round = std::max(cost.round, rank.round);
  }
  return cost;
}

double behind_of(const merge::CountableLoop& loop) {
  double behind = 0;
  for (const merge::LoopOfRank& rank : loop.ranks) behind = std::max(behind, rank.plan.behind);
  return behind;
}

std::vector<size_t> numbers_of_ranks(size_t most, bool may_take_fewer) {
  std::vector<size_t> numbers = {most};
  while (may_take_fewer && numbers.back() > 1) numbers.push_back(numbers.back() / 2);
  return numbers;
}

}  // namespace

CountedPart choose_counted_part(const core::ExperimentFolder& folder, const PartRequest& request) {
  CountedPart whole{request.ranks, {}};
  merge::CountableLoop loop = loop_of(folder, *request.measured, request.ranks.ranks);
  whole.why_whole = loop.why_not;
  if (loop.ranks.empty()) return whole;
  const double behind = behind_of(loop);
  if (behind > request.most_behind) {
    whole.why_whole = core::percent(behind) + " of the computation comes after the main loop";
    return whole;
  }
  const LoopCost cost = cost_of(loop);
  const std::vector<size_t> numbers = numbers_of_ranks(request.ranks.ranks.size(), request.may_take_fewer_ranks);
  const PassPart chosen = request.iterations ? part_of(cost, numbers.front(), *request.iterations + 1)
                                             : choose_part(cost, numbers, request.budget_s, request.expected_s);
  if (chosen.counted == 0) {
    whole.why_whole = "the main loop has too few iterations for counting a part of them";
    return whole;
  }
  CountedPart part{request.ranks, {}, chosen.part};
  if (chosen.ranks < request.ranks.ranks.size()) {
    part.ranks = counters::choose_few_ranks(request.measured->np, request.measured, chosen.ranks);
    loop = loop_of(folder, *request.measured, part.ranks.ranks);
  }
  for (merge::LoopOfRank& rank : loop.ranks) {
    rank.plan.counted = chosen.counted;
    part.plans.push_back(std::move(rank.plan));
  }
  return part;
}

core::Status write_plans(const CountedPart& part, const std::string& folder) {
  for (size_t i = 0; i < part.plans.size(); ++i) {
    const std::string file = folder + raw::plan_file(part.ranks.ranks[i]);
    if (auto written = core::write_file_atomically(file, raw::text_of(part.plans[i])); !written) return written;
  }
  return core::Done{};
}

bool have_counted(const std::vector<int>& ranks, const std::string& folder) {
  return std::ranges::all_of(ranks, [&folder](int rank) {
    std::error_code failed;
    return std::filesystem::exists(folder + raw::counted_file(rank), failed);
  });
}

}  // namespace scalediag::launch
