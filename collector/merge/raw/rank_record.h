// The data of one rank, as its raw file has them (core/raw/raw_format.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/raw/raw_records.h"

namespace scalediag::merge {

using RankIdentity = raw::Identity;
using raw::ClockPoint;
using raw::Counting;
using raw::CpuRange;
using raw::EventOverflows;
using raw::Losses;
using raw::OperationKey;
using raw::OperationTotals;
using raw::PeerKey;
using raw::PeerTotals;
using raw::SampleKey;
using raw::Waits;

struct ModuleSpan : raw::Module {
  std::string file_stamp = {};  // of a file without a build id; empty in older files
};

struct SampleTotals : raw::SampleValue {
  std::vector<uint64_t> counters;  // as many as the identity names
};

struct SampleKeyHash {
  size_t operator()(const SampleKey& k) const {
    uint64_t h = k.address * 0x9E3779B97F4A7C15u;
    h ^= (uint64_t{k.callers} << 20 ^ (static_cast<uint64_t>(k.operation) << 34) ^
          (static_cast<uint64_t>(k.epoch) << 2) ^ k.thread_class) *
         0xC2B2AE3D27D4EB4Fu;
    return static_cast<size_t>(h ^ (h >> 29));
  }
};

constexpr size_t kPhases = 7;

struct FilePlace {
  raw::FilePlace place;
  raw::FilePlaceTotals totals;
};

struct GpuPlace {
  raw::GpuPlace place;
  raw::GpuPlaceTotals totals;
};

struct RankRecord {
  uint32_t rank = 0;  // according to its chunks
  std::optional<RankIdentity> identity;
  std::map<uint32_t, std::vector<ModuleSpan>> modules;  // by epoch
  std::unordered_map<SampleKey, SampleTotals, SampleKeyHash> samples;
  std::vector<raw::Caller> callers;  // [i]: number kStackRoots + i
  std::map<uint32_t, std::string> operation_names;
  std::map<uint32_t, raw::CallSite> call_sites;  // by their number
  std::map<OperationKey, OperationTotals> operations;
  std::map<PeerKey, PeerTotals> peers;
  std::array<std::optional<ClockPoint>, kPhases> points;  // the last one of each phase, by Phase
  std::optional<ClockPoint> last_point;
  std::array<std::optional<Waits>, kPhases> waits;  // by Phase, as `points`; empty where the system does not tell
  std::optional<Waits> last_waits;
  Losses losses;
  std::optional<Counting> counting;
  std::vector<EventOverflows> overflows;           // by the identity's counters; empty: charged when cycles overflowed
  std::vector<CpuRange> allowed_cpus;              // rising; empty: not recorded
  std::string stamp;                               // of the run; empty where the file has none
  uint64_t spawned = 0;                            // processes
  std::map<uint32_t, raw::PythonFunction> python;  // by number
  std::optional<raw::Memory> memory;               // empty where the file or the system does not tell
  std::vector<raw::FileTotals> files;              // by function
  std::map<uint32_t, FilePlace> file_places;       // by number
  std::map<uint32_t, GpuPlace> gpu_places;         // by number
  std::optional<raw::GpuUse> gpu_use;              // empty: no call of a GPU's library was seen
  std::vector<raw::RepeatedCall> repeated_calls;
  std::vector<raw::Region> regions;  // by their number, from 1 on
  std::vector<raw::RegionParameter> region_parameters;
  std::vector<raw::ParallelRegion> parallel_regions;  // of those in `regions`
  raw::RegionProblems region_problems;
  // Of a run that was ended after some rounds, which whole_run.h extends to the whole one.
  std::optional<raw::Rounds> rounds;                // the last
  std::shared_ptr<const RankRecord> before_rounds;  // the record as it was at the first; null once it is extended
  double left_out_s = 0;                            // elapsed time of what was not run

  const std::optional<ClockPoint>& point(raw::Phase phase) const { return points[static_cast<size_t>(phase)]; }
};

// The name of the operation, with or without its site, in the given record.
std::string operation_name(const RankRecord& record, uint32_t operation);

}  // namespace scalediag::merge
