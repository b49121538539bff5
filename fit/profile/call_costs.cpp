#include "fit/profile/call_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mpi_routines.h"
#include "fit/application/communication_cost.h"
#include "fit/application/slowest_rank.h"
#include "fit/numerics/nonnegative_fit.h"

namespace scalediag::fit {
namespace {

using core::Run;

// A rank's CPU time in an operation, in seconds: the mean over `ranks`, and what its `samples` may have missed by
// chance (95 %).
double most_cpu_time(double time_s, double samples, int ranks, const Run& run) {
  constexpr double kUpper = 1.645, kUpperOfNone = 3;  // of a Poisson distribution: s + 1.645 s^(1/2), and 3 of 0
  if (run.hosts.size() != 1 || !(run.sampling_rate_hz > 0)) return std::numeric_limits<double>::infinity();
  return time_s + (kUpper * std::sqrt(samples) + kUpperOfNone) / run.sampling_rate_hz / ranks;
}

// Whether messages of the operation cost the same at every scale.
bool is_of_messages(const std::string& operation) {
  return !mpi::is_collective(operation) || mpi::is(operation, mpi::Collective::kAlltoall);
}

}  // namespace

CallCosts::CallCosts(const std::vector<std::vector<const Run*>>& groups) {
  for (const auto& runs : groups) {
    for (const Run* run : runs) {
      if (run->np < 2) continue;
      for (const core::MpiOperation& o : run->operations) {
        for (const core::MpiClass& c : o.classes) learn(o, c);
      }
    }
  }
  for (const auto& runs : groups) {
    for (const Run* run : runs) {
      for (const core::MpiOperation& o : run->operations) limit(o, *run);
    }
  }
}

CallCosts::Key CallCosts::key_of(const core::MpiOperation& o, const core::MpiClass& c) {
  if (!mpi::is(o.operation, mpi::Collective::kAlltoall) || !(c.calls.sum > 0)) return {o.operation, c.bytes_from};
  const double block = c.bytes.sum / c.calls.sum / std::max(1, c.communicator_size);
  return {o.operation, block >= 1 ? std::exp2(std::floor(std::log2(block))) : 0};
}

Transfer CallCosts::transfer_of(const core::MpiOperation& o, const core::MpiClass& c) {
  return transfer_of_call(o.operation, c.communicator_size, c.calls.sum > 0 ? c.bytes.sum / c.calls.sum : 0);
}

double CallCosts::bounded(const Key& key, const Transfer& transfer, double otherwise) const {
  const auto known = fastest_.find(key);
  if (known == fastest_.end()) return otherwise;
  double least = otherwise;
  for (const auto& [ranks, fastest] : known->second) {
    least = std::min(least, fastest.time_s * relative_cost(transfer, fastest.transfer).most);
  }
  return least;
}

// The cost of a call in seconds; for a run of a single rank, its measured time.
double CallCosts::cost_of(const core::MpiOperation& o, const core::MpiClass& c, const Run& run) const {
  if (run.np < 2) return c.shortest_call_s;
  return bounded(key_of(o, c), transfer_of(o, c), c.shortest_call_s);
}

std::vector<FastestCall> CallCosts::fastest_calls(const std::string& operation) const {
  std::vector<FastestCall> calls;
  for (const auto& [key, by_size] : fastest_) {
    if (key.first != operation) continue;
    for (const auto& [ranks, fastest] : by_size) {
      calls.push_back({fastest.transfer, bounded(key, fastest.transfer, fastest.time_s)});
    }
  }
  return calls;
}

double CallCosts::limit_of(const std::string& operation) const {
  const auto limit = limits_.find(operation);
  return limit == limits_.end() ? 1 : limit->second;
}

double CallCosts::transfer_time(const core::MpiOperation& o, const Run& run) const {
  if (o.classes.empty()) return o.time_s.mean;
  double sum = 0;
  for (const core::MpiClass& c : o.classes) sum += c.calls.mean * cost_of(o, c, run);
  if (is_of_messages(o.operation)) return run.np < 2 ? sum : sum * limit_of(o.operation);
  return std::min(sum, most_cpu_time(o.time_s.mean, static_cast<double>(o.samples), run.np, run));
}

double CallCosts::transfer_time_of(int rank, const core::MpiOperation& o, const Run& run) const {
  double sum = 0;
  for (const core::MpiClass& c : o.classes) sum += at_least_of(c.calls, rank) * cost_of(o, c, run);
  if (is_of_messages(o.operation)) return run.np < 2 ? sum : sum * limit_of(o.operation);
  return std::min(sum, most_cpu_time(o.time_s.max, o.time_s.max * run.sampling_rate_hz, 1, run));
}

std::optional<MessageCost> CallCosts::message_cost(const std::string& operation) const {
  // Sizes that differ by a smaller factor than this do not show the cost of a byte.
  constexpr double kApart = 1.5;
  std::vector<double> sizes, times;
  double cheapest_short = std::numeric_limits<double>::infinity();
  for (const auto& [key, by_size] : fastest_) {
    const auto a_message = [](const auto& call) { return call.second.time_s / call.second.transfer.messages; };
    const auto [ranks, call] =
        *std::ranges::min_element(by_size, [&](const auto& a, const auto& b) { return a_message(a) < a_message(b); });
    const double cost = call.time_s / call.transfer.messages, bytes = call.transfer.bytes / call.transfer.messages;
    // The shortest call of a collective contains the ranks' waiting for one another, and a wait carries no message.
    const bool is_message = bytes > 0 && !mpi::is_collective(key.first) && mpi::can_wait(key.first);
    if (cost > 0 && is_message && bytes <= kShortMessage) cheapest_short = std::min(cheapest_short, cost);
    if (key.first != operation || !(cost > 0)) continue;
    sizes.push_back(bytes);
    times.push_back(cost);
  }
  if (sizes.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  if (*most <= kShortMessage) return MessageCost{*std::ranges::min_element(times), 0, *least};
  if (*most < kApart * std::max(*least, 1.0)) {
    if (!std::isfinite(cheapest_short)) return std::nullopt;
    sizes.push_back(0);
    times.push_back(std::min(cheapest_short, *std::ranges::min_element(times)));
  }
  const double smallest = *std::ranges::min_element(sizes);
  const std::vector<std::vector<double>> columns = {std::vector<double>(sizes.size(), 1.0), sizes};
  const auto fitted = fit_nonnegative(columns, times);
  if (!fitted) return std::nullopt;
  return MessageCost{fitted->coefficients[0], fitted->coefficients[1], smallest};
}

double CallCosts::uncertainty(const std::string& operation) const {
  double factor = 1;
  for (const auto& [key, calls] : all_) {
    if (key.first != operation) continue;
    std::vector<double> slower;  // than what all runs leave them
    for (const FastestCall& call : calls) {
      const double least = bounded(key, call.transfer, call.time_s);
      if (least > 0) slower.push_back(call.time_s / least);
    }
    if (slower.empty()) continue;
    std::ranges::sort(slower);
    factor = std::max(factor, slower[slower.size() / 2]);
  }
  return factor;
}

void CallCosts::learn(const core::MpiOperation& o, const core::MpiClass& c) {
  // A rank by itself exchanges nothing.
  const bool is_alone = mpi::is_collective(o.operation) && c.communicator_size == 1;
  if (c.calls.sum <= 0 || is_alone) return;
  const FastestCall call{transfer_of(o, c), c.shortest_call_s};
  const auto [known, is_new] = fastest_[key_of(o, c)].try_emplace(c.communicator_size, call);
  if (!is_new && call.time_s < known->second.time_s) known->second = call;
  all_[key_of(o, c)].push_back(call);
}

void CallCosts::limit(const core::MpiOperation& o, const Run& run) {
  if (run.np < 2 || !is_of_messages(o.operation)) return;
  double sum = 0;
  for (const core::MpiClass& c : o.classes) sum += c.calls.sum * cost_of(o, c, run);
  if (!(sum > 0)) return;
  const double most = run.np * most_cpu_time(o.time_s.mean, static_cast<double>(o.samples), run.np, run);
  double& least = limits_.try_emplace(o.operation, 1).first->second;
  least = std::min(least, most / sum);
}

}  // namespace scalediag::fit
