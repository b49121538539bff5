#include "loggp/network/measuring_plan.h"

#include <algorithm>
#include <bit>

#include "core/text/quantities.h"

namespace scalediag::loggp {
namespace {

constexpr uint64_t kLargeTrial = 65536;
constexpr uint64_t kMostExchangedBytes = 524288;  // as loggp/probe/network_probe.c has it
// Messages that find S_sync, each with a late receiver: an empty one, powers of two by halving their range, and
// halvings of 64 KiB.
constexpr double kSyncTrials = 22;
// By which an exchange between all ranks is slower than its bytes, where it has been seen.
constexpr double kExchangeFactor = 2;

// The powers of two, and from 48 on the sizes between them.
std::vector<uint64_t> sizes_up_to(uint64_t largest, bool between) {
  std::vector<uint64_t> sizes;
  for (uint64_t bytes = 1; bytes <= largest; bytes *= 2) {
    sizes.push_back(bytes);
    if (between && bytes >= 64 && bytes / 2 * 3 <= largest) sizes.push_back(bytes / 2 * 3);
  }
  return sizes;
}

}  // namespace

std::vector<uint64_t> trial_sizes(uint64_t largest) { return {1, std::min(largest, kLargeTrial)}; }

// Between the two sizes, and beyond them, times grow with the bytes. Larger messages have a handshake besides.
MeasuringTimes::OfMessage MeasuringTimes::of_message(const MeasuredLink& link, uint64_t bytes) const {
  const SizeSample& small = link.sizes.front().sample;
  const SizeSample& large = link.sizes.back().sample;
  const double part = large.bytes > small.bytes ? (static_cast<double>(bytes) - static_cast<double>(small.bytes)) /
                                                      static_cast<double>(large.bytes - small.bytes)
                                                : 0;
  const auto at = [part](double from, double to) { return std::max(0.0, from + part * std::max(0.0, to - from)); };
  OfMessage times;
  times.round_trip_s = 2 * at(small.half_round_trip_s[1], large.half_round_trip_s[1]);
  times.gap_s = at(small.gap_s[1], large.gap_s[1]);
  if (bytes > kLargeTrial) times.round_trip_s += 4 * small.half_round_trip_s[1];
  return times;
}

double MeasuringTimes::of_sizes(const std::vector<uint64_t>& sizes, int passes, bool overheads) const {
  return of_sizes(sizes, passes, overheads, budget_s_);
}

double MeasuringTimes::of_all(const std::vector<uint64_t>& sizes, int passes) const {
  return of_all(sizes, passes, budget_s_);
}

double MeasuringTimes::of_sizes(const std::vector<uint64_t>& sizes, int passes, bool overheads, double budget_s) const {
  double seconds = 0;
  for (const MeasuredLink& link : trial_.links) {
    if (link.sizes.empty()) continue;
    const double small_s = of_message(link, 1).round_trip_s;
    for (const uint64_t bytes : sizes) {
      const OfMessage one = of_message(link, bytes);
      const double burst_s = one.round_trip_s + small_s + (kBurst - 1) * one.gap_s;
      double size_s = std::max(0.3 * budget_s, 3 * one.round_trip_s) + burst_s + std::max(0.4 * budget_s, burst_s);
      // Senders pause for a round trip between messages, and receivers do.
      if (overheads && bytes <= kLargeTrial) {
        size_s += std::max(0.3 * budget_s, 2 * (kBurst * one.round_trip_s + small_s));
      }
      seconds += size_s * passes;
    }
  }
  return seconds;
}

double MeasuringTimes::of_all(const std::vector<uint64_t>& sizes, int passes, double budget_s) const {
  double seconds = of_sizes(sizes, passes, true, budget_s);
  for (const MeasuredLink& link : trial_.links) {
    if (link.sizes.empty()) continue;
    const double warm_up_s = 10 * of_message(link, 8).round_trip_s;
    seconds += std::min(5 * warm_up_s, 0.5 + warm_up_s);
    seconds += kSyncTrials * (0.04 + 8 * of_message(link, kLargeTrial / 4).round_trip_s);
    if (link.same_node || trial_.ranks < 3) continue;
    const uint64_t exchanged = std::min(kMostExchangedBytes, sizes.empty() ? 0 : sizes.back());
    const double once_s = kExchangeFactor * (trial_.ranks - 1) * of_message(link, exchanged).gap_s;
    seconds += once_s + std::clamp(10 * budget_s, 3 * once_s, 7 * once_s);
  }
  return seconds;
}

MeasuringPlan MeasuringTimes::plan(uint64_t largest, double limit_s) const {
  MeasuringPlan plan;
  const auto try_out = [&](uint64_t up_to, int passes, bool between, double budget_s) {
    plan.sizes = sizes_up_to(up_to, between);
    plan.largest = up_to;
    plan.passes = passes;
    plan.budget_s = budget_s;
    plan.seconds = of_all(plan.sizes, passes, budget_s);
    return plan.seconds <= limit_s;
  };
  const double less_s = budget_s_ / 4, least_s = budget_s_ / 16;
  if (try_out(largest, kMostPasses, true, budget_s_) || try_out(largest, 1, true, budget_s_) ||
      try_out(largest, 1, true, less_s) || try_out(largest, 1, false, less_s)) {
    return plan;
  }
  for (uint64_t up_to = std::bit_floor(largest) / 2; up_to >= kLargeTrial; up_to /= 2) {
    if (try_out(up_to, 1, false, less_s)) return plan;
  }
  try_out(std::min(largest, kLargeTrial), 1, false, least_s);
  return plan;
}

std::string MeasuringPlan::left_out(uint64_t up_to, double whole_budget_s) const {
  if (passes == kMostPasses) return "";
  std::string text = "sizes were measured once instead of " + std::to_string(kMostPasses) + " times";
  if (budget_s < whole_budget_s)
    text += ", with 1/" + core::fixed(whole_budget_s / budget_s, 0) + " of the time for each";
  if (largest < up_to) text += ", and none above " + core::bytes_text(static_cast<double>(largest));
  return text;
}

}  // namespace scalediag::loggp
