// The data of one rank, as its raw file has them (core/raw/raw_format.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/raw/raw_format.h"

namespace scalediag::merge {

struct RankIdentity {
  uint32_t rank = 0;
  uint32_t size = 0;
  uint64_t pid = 0;
  std::string host;
  std::string executable;
  std::string mpi_library_version;
  std::string sampler;
  std::string sampler_reason;
  uint64_t period_ns = 0;
  uint32_t online_cpus = 0;
  std::vector<std::string> counters;
};

struct ModuleSpan {
  uint64_t load_bias = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string path;
  std::string build_id;         // hexadecimal; empty when the file has none
  std::string file_stamp = {};  // then, raw::file_stamp(); empty in older files
};

struct SampleKey {
  uint32_t thread_class = 0;
  uint32_t operation = 0;
  uint32_t epoch = 0;
  uint64_t address = 0;
  bool operator==(const SampleKey&) const = default;
};

struct SampleTotals {
  uint64_t samples = 0;
  uint64_t cpu_ns = 0;
  uint64_t system_ns = 0;
  std::vector<uint64_t> counters;  // as many as the identity names
};

struct OperationKey {
  uint32_t operation = 0;
  uint32_t thread_class = 0;
  uint32_t communicator_size = 0;
  uint32_t size_bin = 0;
  auto operator<=>(const OperationKey&) const = default;
};

struct OperationTotals {
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t ticks = 0;
  uint64_t min_ticks = 0;
  uint64_t max_ticks = 0;
};

struct PeerKey {
  uint32_t peer = 0;
  uint32_t direction = 0;
  auto operator<=>(const PeerKey&) const = default;
};

struct PeerTotals {
  uint64_t messages = 0;
  uint64_t bytes = 0;
};

struct ClockPoint {
  raw::Phase phase = raw::Phase::kLoad;
  uint64_t ticks = 0;
  uint64_t monotonic_ns = 0;
  uint64_t realtime_ns = 0;
  uint64_t process_cpu_ns = 0;
  uint64_t main_thread_cpu_ns = 0;
  uint64_t collector_cpu_ns = 0;
};

struct Losses {
  uint64_t lost_samples = 0;
  uint64_t unsampled_threads = 0;
  uint64_t dropped_keys = 0;
  uint64_t uncounted_calls = 0;
  uint32_t threads = 0;
};

// The state of counting on a rank that was asked to count events.
struct Counting {
  uint64_t late_overflows = 0;
  uint32_t uncounted_threads = 0;
  std::string problem;
};

// An event of a rank where every hardware event overflowed by itself. Its counts in samples are overflows x period.
struct EventOverflows {
  uint64_t period = 0;   // 0: an event of the application, whose counts are all in the samples
  uint64_t counted = 0;  // the exact total
};

// CPUs from `first` to `last`, both included.
struct CpuRange {
  uint32_t first = 0;
  uint32_t last = 0;
  auto operator<=>(const CpuRange&) const = default;
};

struct SampleKeyHash {
  size_t operator()(const SampleKey& k) const {
    uint64_t h = k.address * 0x9E3779B97F4A7C15u;
    h ^= ((static_cast<uint64_t>(k.operation) << 34) ^ (static_cast<uint64_t>(k.epoch) << 2) ^ k.thread_class) *
         0xC2B2AE3D27D4EB4Fu;
    return static_cast<size_t>(h ^ (h >> 29));
  }
};

// What the CPU clocks do not see, up to a clock point.
struct Waits {
  uint64_t for_core_ns = 0;      // the main thread was ready to run, without a core
  uint64_t children_cpu_ns = 0;  // CPU time of child processes that ended
};

constexpr size_t kPhases = 7;

struct RankRecord {
  uint32_t rank = 0;  // according to its chunks
  std::optional<RankIdentity> identity;
  std::map<uint32_t, std::vector<ModuleSpan>> modules;  // by epoch
  std::unordered_map<SampleKey, SampleTotals, SampleKeyHash> samples;
  std::map<uint32_t, std::string> operation_names;
  std::map<OperationKey, OperationTotals> operations;
  std::map<PeerKey, PeerTotals> peers;
  std::array<std::optional<ClockPoint>, kPhases> points;  // the last one of each phase, by Phase
  std::optional<ClockPoint> last_point;
  std::array<std::optional<Waits>, kPhases> waits;  // by Phase, as `points`; empty where the system does not tell
  std::optional<Waits> last_waits;
  Losses losses;
  std::optional<Counting> counting;
  std::vector<EventOverflows> overflows;  // by the identity's counters; empty: charged when cycles overflowed
  std::vector<CpuRange> allowed_cpus;     // rising; empty: not recorded
  std::string stamp;                      // of the run; empty where the file has none
  uint64_t spawned = 0;                   // processes

  const std::optional<ClockPoint>& point(raw::Phase phase) const { return points[static_cast<size_t>(phase)]; }
};

// The name of the operation in the given record.
std::string operation_name(const RankRecord& record, uint32_t operation);

}  // namespace scalediag::merge
