#include "fit/call_prices.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mpi_operations.h"
#include "fit/communication_cost.h"
#include "fit/nonnegative_fit.h"
#include "fit/slowest_rank.h"

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

// The number of messages that a rank sends or receives one after the other.
double steps(const core::MpiOperation& o, const core::MpiClass& c) {
  if (!is_collective(o.operation)) return 1;
  const double others = c.communicator_size - 1;
  return std::max(1.0, core::is_all_to_all(o.operation) ? others : std::log2(others + 1));
}

}  // namespace

CallPrices::CallPrices(const std::vector<std::vector<const Run*>>& groups) {
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

// The cost of a call in seconds; for a run of a single rank, its measured time.
double CallPrices::price_of(const core::MpiOperation& o, const core::MpiClass& c, const Run& run) const {
  const auto price = fastest_.find({o.operation, c.bytes_from});
  return run.np < 2 || price == fastest_.end() ? c.shortest_call_s : price->second * steps(o, c);
}

double CallPrices::limit_of(const std::string& operation) const {
  const auto limit = limits_.find(operation);
  return limit == limits_.end() ? 1 : limit->second;
}

double CallPrices::transfer_time(const core::MpiOperation& o, const Run& run) const {
  if (o.classes.empty()) return o.time_s.mean;
  double sum = 0;
  for (const core::MpiClass& c : o.classes) sum += c.calls.mean * price_of(o, c, run);
  if (!is_collective(o.operation)) return run.np < 2 ? sum : sum * limit_of(o.operation);
  return std::min(sum, most_cpu_time(o.time_s.mean, static_cast<double>(o.samples), run.np, run));
}

double CallPrices::transfer_time_of(int rank, const core::MpiOperation& o, const Run& run) const {
  double sum = 0;
  for (const core::MpiClass& c : o.classes) sum += at_least_of(c.calls, rank) * price_of(o, c, run);
  if (!is_collective(o.operation)) return run.np < 2 ? sum : sum * limit_of(o.operation);
  return std::min(sum, most_cpu_time(o.time_s.max, o.time_s.max * run.sampling_rate_hz, 1, run));
}

std::optional<MessageCost> CallPrices::message_cost(const std::string& operation) const {
  // The time of a message below this size, in bytes, is that of the call on any network.
  constexpr double kShortMessage = 512;
  // Sizes that differ by a smaller factor than this do not show the cost of a byte.
  constexpr double kApart = 1.5;
  std::vector<double> sizes, times;
  double cheapest_short = std::numeric_limits<double>::infinity();
  for (const auto& [key, price] : fastest_) {
    const double bytes = message_bytes_.at(key);
    // The shortest call of a collective contains the ranks' waiting for one another, and a wait carries no message.
    const bool is_message = bytes > 0 && !is_collective(key.first) && core::can_wait(key.first);
    if (price > 0 && is_message && bytes <= kShortMessage) cheapest_short = std::min(cheapest_short, price);
    if (key.first != operation || !(price > 0)) continue;
    sizes.push_back(bytes);
    times.push_back(price);
  }
  if (sizes.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  if (*most > kShortMessage && *most < kApart * std::max(*least, 1.0)) {
    if (!std::isfinite(cheapest_short)) return std::nullopt;
    sizes.push_back(0);
    times.push_back(std::min(cheapest_short, *std::min_element(times.begin(), times.end())));
  }
  const std::vector<std::vector<double>> columns = {std::vector<double>(sizes.size(), 1.0), sizes};
  const auto fitted = fit_nonnegative(columns, times);
  if (!fitted) return std::nullopt;
  return MessageCost{fitted->coefficients[0], fitted->coefficients[1]};
}

double CallPrices::uncertainty(const std::string& operation) const {
  double factor = 1;
  for (const auto& [key, prices] : all_) {
    if (key.first != operation || !(fastest_.at(key) > 0)) continue;
    std::vector<double> sorted = prices;
    std::sort(sorted.begin(), sorted.end());
    factor = std::max(factor, sorted[sorted.size() / 2] / fastest_.at(key));
  }
  return factor;
}

void CallPrices::learn(const core::MpiOperation& o, const core::MpiClass& c) {
  if (c.calls.sum <= 0) return;
  const std::pair key(o.operation, c.bytes_from);
  const double price = c.shortest_call_s / steps(o, c);
  const auto [known, is_new] = fastest_.try_emplace(key, price);
  if (is_new || price < known->second) {
    known->second = price;
    const double messages = core::is_all_to_all(o.operation) ? std::max(1, c.communicator_size - 1) : 1;
    message_bytes_[key] = c.bytes.sum / c.calls.sum / messages;
  }
  all_[key].push_back(price);
}

void CallPrices::limit(const core::MpiOperation& o, const Run& run) {
  if (run.np < 2 || is_collective(o.operation)) return;
  double sum = 0;
  for (const core::MpiClass& c : o.classes) sum += c.calls.sum * price_of(o, c, run);
  if (!(sum > 0)) return;
  const double most = run.np * most_cpu_time(o.time_s.mean, static_cast<double>(o.samples), run.np, run);
  double& least = limits_.try_emplace(o.operation, 1).first->second;
  least = std::min(least, most / sum);
}

}  // namespace scalediag::fit
