#include "fit/profile/operation_kernels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/mpi_routines.h"
#include "core/profile/metric_names.h"

namespace scalediag::fit {
namespace {

using core::Run;

// A rank that makes this many times as many messages as the mean of the others has a series of its own; so has one
// whose surplus grows at least as the square root of the number of processes.
constexpr double kManyMore = 2;
constexpr double kSurplusGrows = 0.5;

class OperationBuilder {
 public:
  OperationBuilder(const RunSeries& runs, const CallCosts& costs, const RunTerms& terms)
      : runs_(runs), costs_(costs), terms_(terms), wall_(runs.clock() == core::Clock::kWall) {}

  KernelData kernel(const std::string& name) const {
    KernelData kernel;
    kernel.name = name;
    kernel.kind = KernelKind::kMpi;
    const auto find = [&name](const Run& run) -> const core::MpiOperation* {
      for (const core::MpiOperation& o : run.operations) {
        if (o.operation == name) return &o;
      }
      return nullptr;
    };
    const auto value = [&](const char* metric, auto of) {
      kernel.series[metric] = runs_.series(name, metric, [&](const Run& run) -> std::optional<double> {
        const core::MpiOperation* o = find(run);
        return o == nullptr ? 0.0 : of(*o, run);
      });
    };
    value(metric::kTime, [this](const core::MpiOperation& o, const Run& run) { return mean_time(o, run); });
    value(metric::kElapsed, [](const core::MpiOperation& o, const Run&) { return o.wall_s.mean; });
    value(metric::kBlocked, [](const core::MpiOperation& o, const Run&) { return o.blocked_s.mean; });
    value(metric::kCalls, [](const core::MpiOperation& o, const Run&) { return o.calls.sum; });
    value(metric::kBytes, [](const core::MpiOperation& o, const Run&) { return o.bytes.sum; });
    if (!wall_) {
      kernel.cost_uncertainty = costs_.uncertainty(name);
      kernel.cost_limit = costs_.limit_of(name);
    }
    kernel.message_cost = costs_.message_cost(name);
    kernel.fastest_calls = costs_.fastest_calls(name);
    add_communicator_size(kernel, find);
    for (const auto& runs : runs_.by_configuration()) {
      for (const Run* run : runs) {
        const core::MpiOperation* o = find(*run);
        if (o == nullptr) continue;
        kernel.largest_share = std::max(kernel.largest_share, mean_time(*o, *run) / terms_.mean_rank_run_s(*run));
      }
    }
    kernel.hardly_sampled = hardly_sampled(find);
    add_rooted(kernel, find);
    return kernel;
  }

 private:
  using FindOperation = std::function<const core::MpiOperation*(const Run&)>;

  double mean_time(const core::MpiOperation& o, const Run& run) const {
    return wall_ ? o.time_s.mean : costs_.transfer_time(o, run);
  }

  // The form of a collective has the logarithm of the size, whose mean over calls is that of the geometric mean.
  void add_communicator_size(KernelData& kernel, const FindOperation& find) const {
    if (!mpi::is_collective(kernel.name)) return;
    bool always_all = true;
    Series sizes = runs_.series(kernel.name, metric::kCommunicatorSize, [&](const Run& run) -> std::optional<double> {
      const core::MpiOperation* o = find(run);
      if (o == nullptr) return std::nullopt;
      double calls = 0, logs = 0;
      for (const core::MpiClass& c : o->classes) {
        if (c.communicator_size < 1) continue;
        calls += c.calls.sum;
        logs += c.calls.sum * std::log(c.communicator_size);
        always_all = always_all && c.communicator_size == run.np;
      }
      return calls > 0 ? std::optional(std::exp(logs / calls)) : std::nullopt;
    });
    if (!always_all) kernel.series.emplace("communicator_size", std::move(sizes));
  }

  // Whether the operation has too few samples to say more; where calls were not counted, samples are all that is known
  // of it.
  bool hardly_sampled(const FindOperation& find) const {
    double fewest = std::numeric_limits<double>::infinity();
    for (const auto& runs : runs_.by_configuration()) {
      double samples = 0;
      for (const Run* run : runs) {
        const core::MpiOperation* o = find(*run);
        if (o == nullptr) continue;
        if (o->calls.sum > 0) return false;
        samples += static_cast<double>(o->samples);
      }
      fewest = std::min(fewest, samples);
    }
    return fewest < kFewestSamples;
  }

  // The rank that makes many more calls or bytes than the others wherever several others could: "critical_calls",
  // "critical_bytes" and "critical_s" are its own. None in collectives, in which all ranks take part.
  void add_rooted(KernelData& kernel, const FindOperation& find) const {
    kernel.series[metric::kCritical] = kernel.series[metric::kTime];
    kernel.series[metric::kCritical].metric = metric::kCritical;
    if (mpi::is_collective(kernel.name)) return;
    const auto root = rooted_on(find, &core::MpiOperation::calls);
    kernel.slowest_rank = root ? root : rooted_on(find, &core::MpiOperation::bytes);
    if (!kernel.slowest_rank) return;
    const auto value = [&](const char* metric, auto of) {
      kernel.series[metric] = runs_.series(kernel.name, metric, [&](const Run& run) -> std::optional<double> {
        const core::MpiOperation* o = find(run);
        const int rank = *kernel.slowest_rank == kLastRank ? run.np - 1 : *kernel.slowest_rank;
        return o == nullptr ? 0.0 : of(*o, run, rank);
      });
    };
    value("critical_calls", [](const core::MpiOperation& o, const Run&, int r) { return at_least_of(o.calls, r); });
    value("critical_bytes", [](const core::MpiOperation& o, const Run&, int r) { return at_least_of(o.bytes, r); });
    value(metric::kCritical, [&](const core::MpiOperation& o, const Run& run, int rank) {
      const double calculated = costs_.transfer_time_of(rank, o, run);
      // The rank's own waiting is part of its time.
      if (wall_) return std::max(calculated, o.time_s.rank_of_max == rank ? o.time_s.max : 0.0);
      return std::max(calculated, costs_.transfer_time(o, run));
    });
  }

  // With two ranks, one of them has more wherever they are not equal, so that only runs of more ranks are looked at.
  std::optional<int> rooted_on(const FindOperation& find, core::OverRanks core::MpiOperation::*count) const {
    std::set<int> first, last;  // ranks that have the most, counted from either end
    std::map<int, double> surplus;
    bool many_more = true;
    for (const auto& runs : runs_.by_configuration()) {
      for (const Run* run : runs) {
        const core::MpiOperation* o = find(*run);
        if (o == nullptr || run->np <= 2) continue;
        const core::OverRanks& value = o->*count;
        const double others = (value.sum - value.max) / (run->np - 1);
        if (!(value.max > others)) return std::nullopt;
        many_more = many_more && value.max >= kManyMore * others;
        surplus[run->np] = value.max - others;
        first.insert(value.rank_of_max);
        last.insert(run->np - 1 - value.rank_of_max);
      }
    }
    if (surplus.empty()) return std::nullopt;
    const auto& [few, least] = *surplus.begin();
    const auto& [many, most] = *surplus.rbegin();
    const bool grows = many > few && most >= least * std::pow(static_cast<double>(many) / few, kSurplusGrows);
    if (!many_more && !grows) return std::nullopt;
    if (first.size() == 1) return *first.begin();
    return last.size() == 1 && *last.begin() == 0 ? std::optional(kLastRank) : std::nullopt;
  }

  const RunSeries& runs_;
  const CallCosts& costs_;
  const RunTerms& terms_;
  const bool wall_;
};

}  // namespace

std::vector<KernelData> operation_kernels(const RunSeries& runs, const CallCosts& costs, const RunTerms& terms) {
  std::set<std::string> names;
  for (const auto& repeats : runs.by_configuration()) {
    for (const Run* run : repeats) {
      for (const core::MpiOperation& o : run->operations) names.insert(o.operation);
    }
  }
  const OperationBuilder builder(runs, costs, terms);
  std::vector<KernelData> kernels;
  for (const std::string& name : names) kernels.push_back(builder.kernel(name));
  return kernels;
}

}  // namespace scalediag::fit
