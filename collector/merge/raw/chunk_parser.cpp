#include "collector/merge/raw/chunk_parser.h"

#include <memory>
#include <utility>

#include "core/raw/gpu_functions.h"

namespace scalediag::merge {
namespace {

constexpr char kWrongSize[] = "does not have the size of its contents";
constexpr const char* kUnknownValue = "holds an unknown value";
constexpr const char* kNothingWrong = nullptr;
constexpr uint32_t kLargestSizeBin = 64;

// Reads the rest of the payload as `what`. False: it does not have the size of its contents.
bool read(raw::Decoder& d, auto& what) {
  raw::get(d, what);
  return d.ok() && d.at_end();
}

// The same, which replaces `into`.
template <class What, class Into> std::string replace(raw::Decoder& d, Into& into) {
  What what{};
  if (!read(d, what)) return kWrongSize;
  into = std::move(what);
  return {};
}

// The bytes of a record of integers.
uint64_t bytes_of(const auto& record) {
  return std::apply([](const auto&... field) { return (sizeof field + ...); }, record.fields());
}

// Reads `n` entries of a key, totals and `n_counters` counts each, and calls take(key, totals, counts), which gives the
// error, for each of them.
template <class Key, class Totals, class Take> std::string each_entry(raw::Decoder& d, size_t n_counters, Take take) {
  const uint32_t n = d.u32();
  const uint64_t bytes = bytes_of(Key{}) + bytes_of(Totals{}) + n_counters * sizeof(uint64_t);
  if (!d.ok() || n * bytes != d.left()) return kWrongSize;
  for (uint32_t i = 0; i < n; ++i) {
    Key key;
    Totals totals;
    raw::get(d, key);
    raw::get(d, totals);
    std::vector<uint64_t> counts(n_counters);
    for (uint64_t& c : counts) c = d.u64();
    if (const char* wrong = take(key, totals, counts); wrong != nullptr) return wrong;
  }
  return {};
}

std::string parse_identity(raw::Decoder& d, RankRecord& record) {
  RankIdentity i;
  if (!read(d, i)) return kWrongSize;
  if (i.rank != record.rank || i.rank >= i.size) return "names an impossible rank";
  if (record.identity && (record.identity->size != i.size || record.identity->counters != i.counters)) {
    return "contradicts the identity before it";
  }
  record.identity = std::move(i);
  return {};
}

std::string parse_modules(raw::Decoder& d, RankRecord& record) {
  raw::EpochModules epoch;
  if (!read(d, epoch)) return kWrongSize;
  std::vector<ModuleSpan>& modules = record.modules[epoch.epoch];
  modules.clear();
  for (raw::Module& m : epoch.modules) {
    ModuleSpan& span = modules.emplace_back(ModuleSpan{std::move(m)});
    if (span.build_id.starts_with(raw::kFileStamp)) span.file_stamp.swap(span.build_id);
  }
  return {};
}

SampleKey with_callers(const raw::PlainSampleKey& k) {
  return {k.thread_class, k.operation, k.epoch, k.address, raw::kNoStack};
}
const SampleKey& with_callers(const SampleKey& key) { return key; }

// `Key` is SampleKey or PlainSampleKey.
template <class Key> std::string parse_samples(raw::Decoder& d, bool keep, RankRecord& record) {
  if (!record.identity) return "with samples stands before the rank's identity";
  return each_entry<Key, raw::SampleValue>(
      d, record.identity->counters.size(),
      [&](const Key& plain, const raw::SampleValue& value, std::vector<uint64_t>& counts) {
        const SampleKey key = with_callers(plain);
        if (key.thread_class > raw::kMpiInternalThread) return kUnknownValue;
        if (key.callers >= raw::kStackRoots + record.callers.size()) return kUnknownValue;
        if (keep) record.samples[key] = {value, std::move(counts)};
        return kNothingWrong;
      });
}

std::string parse_callers(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::Caller> callers;
  if (!read(d, callers)) return kWrongSize;
  for (const raw::Caller& c : callers) {
    const size_t number = raw::kStackRoots + record.callers.size();
    if (c.number != number || c.parent == raw::kNoStack || c.parent >= number) return kUnknownValue;
    record.callers.push_back(c);
  }
  return {};
}

std::string parse_operation_names(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::OperationName> names;
  if (!read(d, names)) return kWrongSize;
  for (raw::OperationName& n : names) record.operation_names[n.id] = std::move(n.name);
  return {};
}

std::string parse_call_sites(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::CallSite> sites;
  if (!read(d, sites)) return kWrongSize;
  for (raw::CallSite& site : sites) {
    if (site.site == 0 || site.frames.empty()) return kUnknownValue;
    const uint32_t number = site.site;
    record.call_sites[number] = std::move(site);
  }
  return {};
}

std::string parse_file_places(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::FilePlace> places;
  if (!read(d, places)) return kWrongSize;
  for (raw::FilePlace& p : places) {
    if (p.place == 0 || p.frames.empty()) return kUnknownValue;
    record.file_places[p.place].place = std::move(p);
  }
  return {};
}

std::string parse_file_place_totals(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::FilePlaceTotals> totals;
  if (!read(d, totals)) return kWrongSize;
  for (const raw::FilePlaceTotals& t : totals) {
    const auto found = record.file_places.find(t.place);
    if (found == record.file_places.end()) return kUnknownValue;
    found->second.totals = t;
  }
  return {};
}

std::string parse_gpu_places(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::GpuPlace> places;
  if (!read(d, places)) return kWrongSize;
  for (raw::GpuPlace& p : places) {
    const bool known_kind = p.kind < static_cast<uint32_t>(raw::GpuCallKind::kCount);
    if (p.place == 0 || !known_kind || p.in_mpi > 1) return kUnknownValue;
    record.gpu_places[p.place].place = std::move(p);
  }
  return {};
}

std::string parse_gpu_place_totals(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::GpuPlaceTotals> totals;
  if (!read(d, totals)) return kWrongSize;
  for (const raw::GpuPlaceTotals& t : totals) {
    const auto found = record.gpu_places.find(t.place);
    if (found == record.gpu_places.end()) return kUnknownValue;
    found->second.totals = t;
  }
  return {};
}

std::string parse_operations(raw::Decoder& d, RankRecord& record) {
  return each_entry<OperationKey, OperationTotals>(
      d, 0, [&](const OperationKey& key, const OperationTotals& totals, const auto&) {
        if (key.thread_class > raw::kMpiInternalThread || key.size_bin > kLargestSizeBin) return kUnknownValue;
        record.operations[key] = totals;
        return kNothingWrong;
      });
}

std::string parse_peers(raw::Decoder& d, bool keep, RankRecord& record) {
  return each_entry<PeerKey, PeerTotals>(d, 0, [&](const PeerKey& key, const PeerTotals& totals, const auto&) {
    if (key.direction > raw::kGot) return kUnknownValue;
    if (keep) record.peers[key] = totals;
    return kNothingWrong;
  });
}

std::string parse_clock(raw::Decoder& d, RankRecord& record) {
  ClockPoint p;
  if (!read(d, p)) return kWrongSize;
  if (static_cast<size_t>(p.phase) >= kPhases) return kUnknownValue;
  record.points[static_cast<size_t>(p.phase)] = record.last_point = p;
  return {};
}

std::string parse_overflows(raw::Decoder& d, RankRecord& record) {
  if (!record.identity) return "with overflows stands before the rank's identity";
  std::vector<EventOverflows> overflows;
  if (!read(d, overflows)) return kWrongSize;
  if (overflows.size() != record.identity->counters.size()) return "contradicts the rank's identity";
  for (const EventOverflows& event : overflows) {
    if (event.period == 0 && event.counted != 0) return kUnknownValue;
  }
  record.overflows = std::move(overflows);
  return {};
}

std::string parse_allowed_cpus(raw::Decoder& d, RankRecord& record) {
  constexpr uint32_t kMostCpus = 1 << 16;
  std::vector<CpuRange> cpus;
  if (!read(d, cpus)) return kWrongSize;
  for (size_t i = 0; i < cpus.size(); ++i) {
    const bool rises = i == 0 || cpus[i].first > cpus[i - 1].last;
    if (!rises || cpus[i].last < cpus[i].first || cpus[i].last >= kMostCpus) return kUnknownValue;
  }
  record.allowed_cpus = std::move(cpus);
  return {};
}

std::string parse_waits(raw::Decoder& d, RankRecord& record) {
  raw::PhaseWaits waits;
  if (!read(d, waits)) return kWrongSize;
  if (static_cast<size_t>(waits.phase) >= kPhases) return kUnknownValue;
  record.waits[static_cast<size_t>(waits.phase)] = record.last_waits = waits.waits;
  return {};
}

std::string parse_python_functions(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::PythonFunction> functions;
  if (!read(d, functions)) return kWrongSize;
  for (raw::PythonFunction& f : functions) record.python[f.number] = std::move(f);
  return {};
}

std::string parse_regions(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::Region> regions;
  if (!read(d, regions)) return kWrongSize;
  for (size_t i = 0; i < regions.size(); ++i) {
    const raw::Region& r = regions[i];
    const bool known_class = r.thread_class == raw::kMainThread || r.thread_class == raw::kOtherThread;
    if (r.number != i + 1 || r.parent >= r.number || !known_class) return kUnknownValue;
  }
  record.regions = std::move(regions);
  return {};
}

std::string parse_region_parameters(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::RegionParameter> parameters;
  if (!read(d, parameters)) return kWrongSize;
  for (const raw::RegionParameter& p : parameters) {
    if (p.region == 0 || p.region > record.regions.size()) return kUnknownValue;
  }
  record.region_parameters = std::move(parameters);
  return {};
}

std::string parse_parallel_regions(raw::Decoder& d, RankRecord& record) {
  std::vector<raw::ParallelRegion> regions;
  if (!read(d, regions)) return kWrongSize;
  for (const raw::ParallelRegion& r : regions) {
    if (r.region == 0 || r.region > record.regions.size() || r.is_return > 1 || r.has_unseen_tasks > 1) {
      return kUnknownValue;
    }
  }
  record.parallel_regions = std::move(regions);
  return {};
}

std::string parse_rounds(raw::Decoder& d, RankRecord& record) {
  raw::Rounds rounds;
  if (!read(d, rounds)) return kWrongSize;
  const bool is_first = record.before_rounds == nullptr;
  if (is_first != (rounds.measured == 0) || rounds.measured > rounds.to_follow) return kUnknownValue;
  if (is_first) record.before_rounds = std::make_shared<RankRecord>(record);
  record.rounds = rounds;
  return {};
}

}  // namespace

std::string parse_chunk(uint32_t kind, raw::Decoder& payload, ReadScope scope, RankRecord& record) {
  const bool keep = scope == ReadScope::kEverything;
  switch (static_cast<raw::ChunkKind>(kind)) {
    case raw::ChunkKind::kIdentity: return parse_identity(payload, record);
    case raw::ChunkKind::kModules: return parse_modules(payload, record);
    case raw::ChunkKind::kSamples: return parse_samples<raw::PlainSampleKey>(payload, keep, record);
    case raw::ChunkKind::kPathSamples: return parse_samples<SampleKey>(payload, keep, record);
    case raw::ChunkKind::kCallers: return parse_callers(payload, record);
    case raw::ChunkKind::kOperationNames: return parse_operation_names(payload, record);
    case raw::ChunkKind::kCallSites: return parse_call_sites(payload, record);
    case raw::ChunkKind::kOperations: return parse_operations(payload, record);
    case raw::ChunkKind::kPeers: return parse_peers(payload, keep, record);
    case raw::ChunkKind::kClock: return parse_clock(payload, record);
    case raw::ChunkKind::kLosses: return replace<Losses>(payload, record.losses);
    case raw::ChunkKind::kCounting: return replace<Counting>(payload, record.counting);
    case raw::ChunkKind::kAllowedCpus: return parse_allowed_cpus(payload, record);
    case raw::ChunkKind::kRun: return replace<std::string>(payload, record.stamp);
    case raw::ChunkKind::kSpawned: return replace<uint64_t>(payload, record.spawned);
    case raw::ChunkKind::kWaits: return parse_waits(payload, record);
    case raw::ChunkKind::kOverflows: return parse_overflows(payload, record);
    case raw::ChunkKind::kPythonFunctions: return parse_python_functions(payload, record);
    case raw::ChunkKind::kMemory: return replace<raw::Memory>(payload, record.memory);
    case raw::ChunkKind::kFileTotals: return replace<std::vector<raw::FileTotals>>(payload, record.files);
    case raw::ChunkKind::kFilePlaces: return parse_file_places(payload, record);
    case raw::ChunkKind::kFilePlaceTotals: return parse_file_place_totals(payload, record);
    case raw::ChunkKind::kGpuPlaces: return parse_gpu_places(payload, record);
    case raw::ChunkKind::kGpuPlaceTotals: return parse_gpu_place_totals(payload, record);
    case raw::ChunkKind::kGpuUse: return replace<raw::GpuUse>(payload, record.gpu_use);
    case raw::ChunkKind::kRepeatedCalls: return replace<std::vector<raw::RepeatedCall>>(payload, record.repeated_calls);
    case raw::ChunkKind::kRegions: return parse_regions(payload, record);
    case raw::ChunkKind::kRegionParameters: return parse_region_parameters(payload, record);
    case raw::ChunkKind::kParallelRegions: return parse_parallel_regions(payload, record);
    case raw::ChunkKind::kRegionProblems: return replace<raw::RegionProblems>(payload, record.region_problems);
    case raw::ChunkKind::kRounds: return parse_rounds(payload, record);
    case raw::ChunkKind::kFooter: break;
  }
  return "has the unknown kind " + std::to_string(kind);
}

}  // namespace scalediag::merge
