#include "collector/counters/machine/machine_latency.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "collector/counters/machine/machine_kernels.h"
#include "collector/counters/machine/repeated_timing.h"

namespace scalediag::counters {
namespace {

constexpr double kShortestRepeat_s = 0.5e-3;
// The fewest loads that give a reliable mean.
constexpr size_t kFewestLoads = size_t{1} << 16;

// A miss brings in the line's neighbour as well on many cores (pairs of 128 bytes), which is still there when the chase
// comes to it: half of the loads would be served by a nearer level.
constexpr size_t kLinesApart = 2;

// std::shuffle's result differs between standard libraries.
std::vector<uint32_t> random_order(size_t n, uint64_t seed) {
  std::vector<uint32_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = static_cast<uint32_t>(i);
  std::mt19937_64 random(seed);
  for (size_t i = n; i > 1; --i) {
    const uint64_t below = ((random() >> 32) * i) >> 32;
    std::swap(order[i - 1], order[below]);
  }
  return order;
}

}  // namespace

void link_random_cycle(void* memory, size_t lines, size_t line_bytes, uint64_t seed) {
  const std::vector<uint32_t> order = random_order(lines, seed);
  char* const base = static_cast<char*>(memory);
  for (size_t i = 0; i < lines; ++i) {
    void* next = base + line_bytes * order[i + 1 < lines ? i + 1 : 0];
    std::memcpy(base + line_bytes * order[i], &next, sizeof next);
  }
}

Result<LatencyProbe> LatencyProbe::create(size_t largest_bytes, size_t line_bytes) {
  auto memory = TRY(HugeMemory::allocate(std::max(largest_bytes, kChaseBlock)));
  return LatencyProbe(std::move(memory), line_bytes);
}

LatencyProbe::LatencyProbe(HugeMemory memory, size_t line_bytes) : memory_(std::move(memory)), line_bytes_(line_bytes) {
  for (size_t i = 0; (i + 1) * kChaseBlock <= memory_.bytes(); ++i) link_block(i);
}

void LatencyProbe::link_block(size_t i) {
  const size_t apart = kLinesApart * line_bytes_;
  link_random_cycle(block(i), kChaseBlock / apart, apart, i);
}

core::MachineValue LatencyProbe::latency_s(size_t bytes, int repeats) {
  return bytes <= kChaseBlock ? latency_within_block(bytes, repeats) : latency_of_blocks(bytes, repeats);
}

core::MachineValue LatencyProbe::latency_within_block(size_t bytes, int repeats) {
  const size_t lines = std::max<size_t>(bytes / line_bytes_, 1);
  link_random_cycle(memory_.data(), lines, line_bytes_, 0);
  void** place = static_cast<void**>(memory_.data());
  size_t loads = kFewestLoads;
  const auto work = [&] { place = chase(place, loads); };
  while (time_repeats(1, work)[0] < kShortestRepeat_s) loads *= 2;
  std::vector<double> seconds = time_repeats(repeats, work);
  for (double& s : seconds) s /= static_cast<double>(loads);
  link_block(0);
  return summarize_repeats(std::move(seconds), "pointer chase over " + std::to_string(lines) + " lines");
}

core::MachineValue LatencyProbe::latency_of_blocks(size_t bytes, int repeats) {
  constexpr size_t kBlocksARepeat = 5;
  const size_t loads = kChaseBlock / (kLinesApart * line_bytes_) / kChaseUnroll * kChaseUnroll;
  const size_t blocks = bytes / kChaseBlock;
  std::vector<double> seconds;
  const double first_s = monotonic_s();
  for (size_t i = 0; i < static_cast<size_t>(repeats) * kBlocksARepeat; ++i) {
    if (enough_repeats(i, monotonic_s() - first_s)) break;
    // A stride without a common factor with most numbers of blocks visits all of them, and no two neighbours in turn.
    const size_t chosen = i * 7 % blocks;
    touch_lines(block(chosen), bytes - chosen * kChaseBlock, line_bytes_);
    touch_lines(memory_.data(), chosen * kChaseBlock, line_bytes_);
    // Elapsed time is taken: reading a thread's CPU clock takes as long as many loads. An interruption is an outlier.
    const double begin_s = monotonic_s();
    chase(reinterpret_cast<void**>(block(chosen)), loads);
    seconds.push_back((monotonic_s() - begin_s) / static_cast<double>(loads));
  }
  return summarize_repeats(std::move(seconds),
                           "pointer chase over blocks of " + std::to_string(bytes / line_bytes_) + " lines");
}

}  // namespace scalediag::counters
