#include "collector/inject/writing/rank_file.h"

#include <optional>
#include <utility>
#include <vector>

#include "collector/inject/counting/counting.h"
#include "collector/inject/files/file_totals.h"
#include "collector/inject/gpu/gpu_calls.h"
#include "collector/inject/regions/region_table.h"
#include "collector/inject/sampling/python_frames.h"
#include "collector/inject/writing/peak_memory.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::inject {

using raw::ChunkKind;

void RankFile::write_identity(const raw::Identity& identity, const std::string& stamp) {
  writer_.append(ChunkKind::kIdentity, identity);
  writer_.append(ChunkKind::kRun, stamp);
}

void RankFile::write_modules(Threads& threads) {
  const ModuleChanges now = module_changes();
  if (has_modules_ && now.loaded == modules_.loaded && now.unloaded == modules_.unloaded) return;
  if (has_modules_ && now.unloaded != modules_.unloaded) threads.begin_epoch();
  ModuleSnapshot s = take_module_snapshot();
  RegionTable::get().set_epoch(threads.epoch());
  writer_.append(ChunkKind::kModules, raw::EpochModules{threads.epoch(), std::move(s.modules)});
  modules_ = {s.loaded, s.unloaded};
  has_modules_ = true;
}

void RankFile::write_totals(Threads& threads) {
  ThreadTotals& totals = threads.totals();
  // All that the samples below belong to has been met.
  if (const auto functions = python::take_new_functions(); !functions.empty()) {
    writer_.append(ChunkKind::kPythonFunctions, functions);
  }
  if (const auto callers = threads.stacks().take_new_callers(); !callers.empty()) {
    writer_.append(ChunkKind::kCallers, callers);
  }
  write_samples(totals.samples);
  raw::Encoder names, sites, operations, peers;
  if (totals.calls.write_new_names(names) > 0) writer_.append(ChunkKind::kOperationNames, names);
  if (totals.calls.write_new_sites(threads.epoch(), sites) > 0) writer_.append(ChunkKind::kCallSites, sites);
  if (totals.calls.write_changed_operations(operations) > 0) writer_.append(ChunkKind::kOperations, operations);
  if (totals.calls.write_changed_peers(peers) > 0) writer_.append(ChunkKind::kPeers, peers);
  lost_ = totals.lost_samples;
  // No key is dropped: every one has a place in the table.
  writer_.append(ChunkKind::kLosses,
                 raw::Losses{lost_, threads.unsampled_threads(), 0, totals.calls.uncounted(), threads.most_threads()});
  write_counting(totals);
  const std::vector<raw::CpuRange> cpus = totals.allowed_cpus.take_changed();
  if (!cpus.empty()) writer_.append(ChunkKind::kAllowedCpus, cpus);
  write_files(threads.epoch());
  write_gpu(threads.epoch());
  write_memory();
  const uint64_t spawned = totals.calls.spawned();
  if (spawned != spawned_ && writer_.append(ChunkKind::kSpawned, spawned)) spawned_ = spawned;
}

void RankFile::write_repeated_calls(const pmpi::RepeatedCalls& repeated) {
  constexpr size_t kMost = 256;
  const std::vector<raw::RepeatedCall> calls = repeated.list(pmpi::ticks(), kMost);
  if (!calls.empty()) writer_.append(ChunkKind::kRepeatedCalls, calls);
}

void RankFile::write_structure_so_far(const pmpi::RepeatedCalls& repeated) {
  // All sites, since a difference is taken.
  const auto calls = repeated.list(pmpi::ticks(), pmpi::RepeatedCalls::kMostSites, 1);
  if (!calls.empty()) writer_.append(ChunkKind::kRepeatedCalls, calls);
  write_record_of_regions();
}

void RankFile::write_regions() {
  write_record_of_regions();
  RegionTable::get().close();
}

void RankFile::write_record_of_regions() {
  const RegionTable::Record record = RegionTable::get().record();
  if (!record.regions.empty()) writer_.append(ChunkKind::kRegions, record.regions);
  if (!record.parallel.empty()) writer_.append(ChunkKind::kParallelRegions, record.parallel);
  if (!record.parameters.empty()) writer_.append(ChunkKind::kRegionParameters, record.parameters);
  const raw::RegionProblems& problems = record.problems;
  if (problems.ends_without_begin + problems.dropped > 0) writer_.append(ChunkKind::kRegionProblems, problems);
}

void RankFile::write_samples(SampleTable& samples) {
  raw::Encoder plain, with_callers;
  raw::ListEncoder plain_list(plain), list_with_callers(with_callers);
  samples_ = 0;
  for (size_t i = 0; i < samples.entries().size(); ++i) {
    const SampleTable::Entry& s = samples.entries()[i];
    samples_ += s.value.samples;
    if (!s.changed) continue;
    const bool is_plain = s.key.callers == raw::kNoStack;
    if (is_plain) {
      const raw::PlainSampleKey key{s.key.thread_class, s.key.operation, s.key.epoch, s.key.address};
      plain_list.add(key, s.value);
    } else {
      list_with_callers.add(s.key, s.value);
    }
    for (size_t c = 0; c < samples.n_counts(); ++c) (is_plain ? plain : with_callers).u64(samples.counts(i)[c]);
  }
  samples.clear_changes();
  if (plain_list.size() > 0) writer_.append(ChunkKind::kSamples, plain);
  if (list_with_callers.size() > 0) writer_.append(ChunkKind::kPathSamples, with_callers);
}

void RankFile::write_counting(const ThreadTotals& totals) {
  const Counting& counting = Counting::get();
  if (!counting.asked_for()) return;
  writer_.append(ChunkKind::kCounting,
                 raw::Counting{totals.late_overflows, counting.uncounted_threads(), counting.problem()});
  if (!counting.each_overflows()) return;
  std::vector<raw::EventOverflows> overflows;
  for (size_t i = 0; i < totals.counted.size(); ++i) {
    overflows.push_back({counting.charged_period(i), totals.counted[i]});
  }
  writer_.append(ChunkKind::kOverflows, overflows);
}

void RankFile::write_files(uint32_t epoch) {
  files::Record now = files::record();
  if (now.functions == file_totals_) return;
  std::vector<raw::FilePlace> places;
  std::vector<raw::FilePlaceTotals> totals;
  for (size_t i = 0; i < now.places.size(); ++i) {
    const auto [written, is_new] = file_places_.try_emplace(now.places[i].place);
    if (is_new) {
      now.places[i].epoch = epoch;
      places.push_back(std::move(now.places[i]));
    }
    if (!is_new && written->second == now.place_totals[i]) continue;
    totals.push_back(written->second = now.place_totals[i]);
  }
  if (!places.empty()) writer_.append(ChunkKind::kFilePlaces, places);
  if (!totals.empty()) writer_.append(ChunkKind::kFilePlaceTotals, totals);
  if (writer_.append(ChunkKind::kFileTotals, now.functions)) file_totals_ = std::move(now.functions);
}

void RankFile::write_gpu(uint32_t epoch) {
  gpu::Record now = gpu::record();
  std::vector<raw::GpuPlace> places;
  std::vector<raw::GpuPlaceTotals> totals;
  for (size_t i = 0; i < now.places.size(); ++i) {
    const auto [written, is_new] = gpu_places_.try_emplace(now.places[i].place);
    if (is_new) {
      now.places[i].epoch = epoch;
      places.push_back(std::move(now.places[i]));
    }
    if (!is_new && written->second == now.totals[i]) continue;
    totals.push_back(written->second = now.totals[i]);
  }
  if (!places.empty()) writer_.append(ChunkKind::kGpuPlaces, places);
  if (!totals.empty()) writer_.append(ChunkKind::kGpuPlaceTotals, totals);
  if (!(now.use == gpu_use_) && writer_.append(ChunkKind::kGpuUse, now.use)) gpu_use_ = std::move(now.use);
}

void RankFile::write_memory() {
  const uint64_t peak = peak_resident_bytes();
  if (peak > peak_resident_bytes_ && writer_.append(ChunkKind::kMemory, raw::Memory{peak})) peak_resident_bytes_ = peak;
}

void RankFile::write_waits(raw::Phase phase, pid_t main_thread) {
  const std::optional<Waits> waits = read_waits(main_thread);
  if (waits) writer_.append(ChunkKind::kWaits, raw::PhaseWaits{phase, *waits});
}

void RankFile::write_clock(ClockPoint point, uint64_t collector_cpu_ns) {
  point.collector_cpu_ns = collector_cpu_ns;
  writer_.append(ChunkKind::kClock, point);
}

}  // namespace scalediag::inject
