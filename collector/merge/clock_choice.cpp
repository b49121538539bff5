#include "collector/merge/merge.h"

namespace scalediag::merge {

ClockChoice choose_clock(const std::string& asked, int cores, int largest_np, int largest_threads) {
  if (asked == "cpu") return {core::Clock::kCpu, "the CPU clock was asked for"};
  if (asked == "wall") return {core::Clock::kWall, "the wall clock was asked for"};
  const auto count = [](int n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  const std::string busy =
      count(largest_np, "rank") + (largest_threads > 1 ? " of " + count(largest_threads, "busy thread") : "");
  if (static_cast<long long>(largest_np) * largest_threads > cores) {
    return {core::Clock::kCpu, busy + " shared " + count(cores, "core") + ", so only CPU time tells what work costs"};
  }
  return {core::Clock::kWall, busy + " had " + count(cores, "core") + ", so each had a core to itself"};
}

}  // namespace scalediag::merge
