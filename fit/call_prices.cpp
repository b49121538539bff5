#include "fit/call_prices.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mpi_operations.h"
#include "fit/communication_cost.h"

namespace scalediag::fit {
namespace {

using core::Run;

// A rank's mean CPU time in the operation, and as much more as samples may have missed by chance (95 %).
double most_cpu_time(const core::MpiOperation& o, const Run& run) {
  constexpr double kUpper = 1.645, kUpperOfNone = 3;  // of a Poisson distribution: s + 1.645 s^(1/2), and 3 of 0
  if (run.hosts.size() != 1 || !(run.sampling_rate_hz > 0)) return std::numeric_limits<double>::infinity();
  const double missed = kUpper * std::sqrt(static_cast<double>(o.samples)) + kUpperOfNone;
  return o.time_s.mean + missed / run.sampling_rate_hz / run.np;
}

// Messages that a rank sends or receives one after the other.
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
}

double CallPrices::transfer_time(const core::MpiOperation& o, const Run& run) const {
  if (o.classes.empty()) return o.time_s.mean;
  double sum = 0;
  for (const core::MpiClass& c : o.classes) {
    const auto price = fastest_.find({o.operation, c.bytes_from});
    // A call of a single rank costs what it cost.
    sum += c.calls.mean * (run.np < 2 || price == fastest_.end() ? c.shortest_call_s : price->second * steps(o, c));
  }
  return std::min(sum, most_cpu_time(o, run));
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
  const double price = c.shortest_call_s / steps(o, c);
  const auto [known, is_new] = fastest_.try_emplace({o.operation, c.bytes_from}, price);
  if (!is_new) known->second = std::min(known->second, price);
  all_[{o.operation, c.bytes_from}].push_back(price);
}

}  // namespace scalediag::fit
