#include "collector/merge/raw/chunk_parser.h"

#include <utility>

namespace scalediag::merge {
namespace {

constexpr char kWrongSize[] = "does not have the size of its contents";
constexpr char kUnknownValue[] = "holds an unknown value";
constexpr uint32_t kLargestSizeBin = 64;

// Reads the number of entries of a fixed size that follow; false when they are not exactly the rest.
bool read_count(raw::Decoder& d, uint64_t entry_bytes, uint32_t& n) {
  n = d.u32();
  return d.ok() && n * entry_bytes == d.left();
}

std::string ended(const raw::Decoder& d) { return d.ok() && d.at_end() ? "" : kWrongSize; }

std::string parse_identity(raw::Decoder& d, RankRecord& record) {
  RankIdentity i;
  i.rank = d.u32();
  i.size = d.u32();
  i.pid = d.u64();
  i.host = d.string();
  i.executable = d.string();
  i.mpi_library_version = d.string();
  i.sampler = d.string();
  i.sampler_reason = d.string();
  i.period_ns = d.u64();
  i.online_cpus = d.u32();
  const uint32_t n_counters = d.u32();
  for (uint32_t c = 0; c < n_counters && d.ok(); ++c) i.counters.push_back(d.string());
  if (!d.ok() || !d.at_end()) return kWrongSize;
  if (i.rank != record.rank || i.rank >= i.size) return "names an impossible rank";
  if (record.identity && (record.identity->size != i.size || record.identity->counters != i.counters)) {
    return "contradicts the identity before it";
  }
  record.identity = std::move(i);
  return {};
}

std::string parse_modules(raw::Decoder& d, RankRecord& record) {
  const uint32_t epoch = d.u32();
  const uint32_t n = d.u32();
  std::vector<ModuleSpan> modules;
  for (uint32_t i = 0; i < n && d.ok(); ++i) {
    ModuleSpan m;
    m.load_bias = d.u64();
    m.begin = d.u64();
    m.end = d.u64();
    m.path = d.string();
    m.build_id = d.string();
    if (m.build_id.starts_with(raw::kFileStamp)) m.file_stamp.swap(m.build_id);
    if (d.ok()) modules.push_back(std::move(m));
  }
  if (d.ok() && d.at_end()) record.modules[epoch] = std::move(modules);
  return ended(d);
}

std::string parse_samples(raw::Decoder& d, bool keep, RankRecord& record) {
  if (!record.identity) return "with samples stands before the rank's identity";
  const size_t n_counters = record.identity->counters.size();
  uint32_t n = 0;
  if (!read_count(d, 3 * sizeof(uint32_t) + (4 + n_counters) * sizeof(uint64_t), n)) return kWrongSize;
  for (uint32_t i = 0; i < n; ++i) {
    SampleKey key;
    key.thread_class = d.u32();
    key.operation = d.u32();
    key.epoch = d.u32();
    key.address = d.u64();
    SampleTotals totals;
    totals.samples = d.u64();
    totals.cpu_ns = d.u64();
    totals.system_ns = d.u64();
    totals.counters.resize(n_counters);
    for (uint64_t& c : totals.counters) c = d.u64();
    if (key.thread_class > raw::kMpiInternalThread) return kUnknownValue;
    if (keep) record.samples[key] = std::move(totals);
  }
  return ended(d);
}

std::string parse_operation_names(raw::Decoder& d, RankRecord& record) {
  const uint32_t n = d.u32();
  for (uint32_t i = 0; i < n && d.ok(); ++i) {
    const uint32_t id = d.u32();
    std::string name = d.string();
    if (d.ok()) record.operation_names[id] = std::move(name);
  }
  return ended(d);
}

std::string parse_operations(raw::Decoder& d, RankRecord& record) {
  uint32_t n = 0;
  if (!read_count(d, 4 * sizeof(uint32_t) + 5 * sizeof(uint64_t), n)) return kWrongSize;
  for (uint32_t i = 0; i < n; ++i) {
    OperationKey key;
    key.operation = d.u32();
    key.thread_class = d.u32();
    key.communicator_size = d.u32();
    key.size_bin = d.u32();
    OperationTotals totals;
    totals.calls = d.u64();
    totals.bytes = d.u64();
    totals.ticks = d.u64();
    totals.min_ticks = d.u64();
    totals.max_ticks = d.u64();
    if (key.thread_class > raw::kMpiInternalThread || key.size_bin > kLargestSizeBin) return kUnknownValue;
    record.operations[key] = totals;
  }
  return ended(d);
}

std::string parse_peers(raw::Decoder& d, bool keep, RankRecord& record) {
  uint32_t n = 0;
  if (!read_count(d, 2 * sizeof(uint32_t) + 2 * sizeof(uint64_t), n)) return kWrongSize;
  for (uint32_t i = 0; i < n; ++i) {
    PeerKey key;
    key.peer = d.u32();
    key.direction = d.u32();
    PeerTotals totals;
    totals.messages = d.u64();
    totals.bytes = d.u64();
    if (key.direction > raw::kGot) return kUnknownValue;
    if (keep) record.peers[key] = totals;
  }
  return ended(d);
}

std::string parse_clock(raw::Decoder& d, RankRecord& record) {
  const uint32_t phase = d.u32();
  ClockPoint p;
  p.ticks = d.u64();
  p.monotonic_ns = d.u64();
  p.realtime_ns = d.u64();
  p.process_cpu_ns = d.u64();
  p.main_thread_cpu_ns = d.u64();
  p.collector_cpu_ns = d.u64();
  if (!d.ok() || !d.at_end()) return kWrongSize;
  if (phase >= kPhases) return kUnknownValue;
  p.phase = static_cast<raw::Phase>(phase);
  record.points[phase] = p;
  record.last_point = p;
  return {};
}

std::string parse_losses(raw::Decoder& d, RankRecord& record) {
  Losses l;
  l.lost_samples = d.u64();
  l.unsampled_threads = d.u64();
  l.dropped_keys = d.u64();
  l.uncounted_calls = d.u64();
  l.threads = d.u32();
  if (!d.ok() || !d.at_end()) return kWrongSize;
  record.losses = l;
  return {};
}

std::string parse_counting(raw::Decoder& d, RankRecord& record) {
  Counting c;
  c.late_overflows = d.u64();
  c.uncounted_threads = d.u32();
  c.problem = d.string();
  if (!d.ok() || !d.at_end()) return kWrongSize;
  record.counting = std::move(c);
  return {};
}

std::string parse_overflows(raw::Decoder& d, RankRecord& record) {
  if (!record.identity) return "with overflows stands before the rank's identity";
  uint32_t n = 0;
  if (!read_count(d, 2 * sizeof(uint64_t), n)) return kWrongSize;
  if (n != record.identity->counters.size()) return "contradicts the rank's identity";
  std::vector<EventOverflows> overflows(n);
  for (EventOverflows& event : overflows) {
    event.period = d.u64();
    event.counted = d.u64();
    if (event.period == 0 && event.counted != 0) return kUnknownValue;
  }
  record.overflows = std::move(overflows);
  return {};
}

std::string parse_allowed_cpus(raw::Decoder& d, RankRecord& record) {
  constexpr uint32_t kMostCpus = 1 << 16;
  uint32_t n = 0;
  if (!read_count(d, 2 * sizeof(uint32_t), n)) return kWrongSize;
  std::vector<CpuRange> cpus;
  for (uint32_t i = 0; i < n; ++i) {
    CpuRange range;
    range.first = d.u32();
    range.last = d.u32();
    const bool rises = cpus.empty() || range.first > cpus.back().last;
    if (!rises || range.last < range.first || range.last >= kMostCpus) return kUnknownValue;
    cpus.push_back(range);
  }
  record.allowed_cpus = std::move(cpus);
  return {};
}

std::string parse_run(raw::Decoder& d, RankRecord& record) {
  std::string stamp = d.string();
  if (!d.ok() || !d.at_end()) return kWrongSize;
  record.stamp = std::move(stamp);
  return {};
}

std::string parse_spawned(raw::Decoder& d, RankRecord& record) {
  const uint64_t spawned = d.u64();
  if (!d.ok() || !d.at_end()) return kWrongSize;
  record.spawned = spawned;
  return {};
}

std::string parse_waits(raw::Decoder& d, RankRecord& record) {
  const uint32_t phase = d.u32();
  Waits waits;
  waits.for_core_ns = d.u64();
  waits.children_cpu_ns = d.u64();
  if (!d.ok() || !d.at_end()) return kWrongSize;
  if (phase >= kPhases) return kUnknownValue;
  record.waits[phase] = record.last_waits = waits;
  return {};
}

}  // namespace

std::string parse_chunk(uint32_t kind, raw::Decoder& payload, ReadScope scope, RankRecord& record) {
  const bool keep = scope == ReadScope::kEverything;
  switch (static_cast<raw::ChunkKind>(kind)) {
    case raw::ChunkKind::kIdentity:
      return parse_identity(payload, record);
    case raw::ChunkKind::kModules:
      return parse_modules(payload, record);
    case raw::ChunkKind::kSamples:
      return parse_samples(payload, keep, record);
    case raw::ChunkKind::kOperationNames:
      return parse_operation_names(payload, record);
    case raw::ChunkKind::kOperations:
      return parse_operations(payload, record);
    case raw::ChunkKind::kPeers:
      return parse_peers(payload, keep, record);
    case raw::ChunkKind::kClock:
      return parse_clock(payload, record);
    case raw::ChunkKind::kLosses:
      return parse_losses(payload, record);
    case raw::ChunkKind::kCounting:
      return parse_counting(payload, record);
    case raw::ChunkKind::kAllowedCpus:
      return parse_allowed_cpus(payload, record);
    case raw::ChunkKind::kRun:
      return parse_run(payload, record);
    case raw::ChunkKind::kSpawned:
      return parse_spawned(payload, record);
    case raw::ChunkKind::kWaits:
      return parse_waits(payload, record);
    case raw::ChunkKind::kOverflows:
      return parse_overflows(payload, record);
    case raw::ChunkKind::kFooter:
      break;
  }
  return "has the unknown kind " + std::to_string(kind);
}

}  // namespace scalediag::merge
