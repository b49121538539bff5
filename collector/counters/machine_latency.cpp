#include "collector/counters/machine_latency.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

#include "collector/counters/machine_kernels.h"
#include "collector/counters/repeated_timing.h"

namespace scalediag::counters {
namespace {

constexpr double kShortestRepeat_s = 0.5e-3;
// Enough loads for a mean, few enough that a set beyond the caches takes milliseconds.
constexpr size_t kFewestLoads = size_t{1} << 16;

// std::shuffle's result differs between standard libraries.
std::vector<uint32_t> random_order(size_t n) {
  std::vector<uint32_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = static_cast<uint32_t>(i);
  std::mt19937_64 random(20240531);
  for (size_t i = n; i > 1; --i) {
    const uint64_t below = ((random() >> 32) * i) >> 32;
    std::swap(order[i - 1], order[below]);
  }
  return order;
}

}  // namespace

void** link_random_cycle(void* memory, size_t lines, size_t line_bytes) {
  const std::vector<uint32_t> order = random_order(lines);
  char* const base = static_cast<char*>(memory);
  for (size_t i = 0; i < lines; ++i) {
    void* next = base + line_bytes * order[i + 1 < lines ? i + 1 : 0];
    std::memcpy(base + line_bytes * order[i], &next, sizeof next);
  }
  return reinterpret_cast<void**>(base + line_bytes * order[0]);
}

core::Result<LatencyProbe> LatencyProbe::create(size_t largest_bytes, size_t line_bytes) {
  auto memory = HugeMemory::allocate(largest_bytes);
  if (!memory) return memory.error();
  return LatencyProbe(std::move(memory).value(), line_bytes);
}

core::MachineValue LatencyProbe::latency_s(size_t bytes, int repeats) {
  const size_t lines = std::max<size_t>(bytes / line_bytes_, 1);
  // Linking goes along the cycle, so it leaves the caches as a round of the chase would: no round to warm up is needed.
  // Each repeat goes on where the one before ended: beyond the caches it finds lines that were not used since.
  void** place = link_random_cycle(memory_.data(), lines, line_bytes_);
  size_t loads = kFewestLoads;
  const auto work = [&] { place = chase(place, loads); };
  while (time_repeats(1, work)[0] < kShortestRepeat_s) loads *= 2;
  std::vector<double> seconds = time_repeats(repeats, work);
  for (double& s : seconds) s /= static_cast<double>(loads);
  return summarize_repeats(std::move(seconds), "pointer chase over " + std::to_string(lines) + " lines");
}

}  // namespace scalediag::counters
