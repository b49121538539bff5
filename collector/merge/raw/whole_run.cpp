#include "collector/merge/raw/whole_run.h"

#include <algorithm>
#include <cmath>

namespace scalediag::merge {
namespace {

class Extension {
 public:
  explicit Extension(const raw::Rounds& rounds)
      : times_(static_cast<double>(rounds.to_follow) / static_cast<double>(rounds.measured)) {}

  // What is added to a total that was `begin` and then `end`. A damaged file may have totals that fall.
  uint64_t more(uint64_t begin, uint64_t end) const {
    if (end <= begin) return 0;
    constexpr double kMost = 9e18;  // of a damaged file
    return static_cast<uint64_t>(std::llround(std::min(kMost, static_cast<double>(end - begin) * (times_ - 1))));
  }
  void extend(uint64_t begin, uint64_t& end) const { end += more(begin, end); }

  // The fields of a record that are totals.
  template <class Record, class... Field>
  void extend(const Record& begin, Record& end, Field Record::*... field) const {
    (extend(begin.*field, end.*field), ...);
  }

 private:
  double times_;
};

// The element of a map, or one whose totals are 0.
template <class Map> typename Map::mapped_type found(const Map& map, const typename Map::key_type& key) {
  const auto at = map.find(key);
  return at != map.end() ? at->second : typename Map::mapped_type();
}

void extend_samples(const Extension& by, const RankRecord& begin, RankRecord& record) {
  for (auto& [key, totals] : record.samples) {
    if (key.operation == raw::kOfCollector) continue;  // writing at the begin and end of the rounds, which comes once
    SampleTotals before = found(begin.samples, key);
    before.counters.resize(totals.counters.size());
    by.extend<raw::SampleValue>(before, totals, &raw::SampleValue::cpu_ns, &raw::SampleValue::system_ns);
    for (size_t i = 0; i < totals.counters.size(); ++i) by.extend(before.counters[i], totals.counters[i]);
  }
  for (size_t i = 0; i < std::min(begin.overflows.size(), record.overflows.size()); ++i) {
    by.extend(begin.overflows[i].counted, record.overflows[i].counted);
  }
}

void extend_calls(const Extension& by, const RankRecord& begin, RankRecord& record) {
  for (auto& [key, totals] : record.operations) {
    by.extend(found(begin.operations, key), totals, &OperationTotals::calls, &OperationTotals::bytes,
              &OperationTotals::ticks);
  }
  for (auto& [key, totals] : record.peers) {
    by.extend(found(begin.peers, key), totals, &PeerTotals::messages, &PeerTotals::bytes);
  }
}

void extend_files(const Extension& by, const RankRecord& begin, RankRecord& record) {
  for (raw::FileTotals& totals : record.files) {
    const auto before = std::ranges::find(begin.files, totals.function, &raw::FileTotals::function);
    by.extend(before != begin.files.end() ? *before : raw::FileTotals(), totals, &raw::FileTotals::calls,
              &raw::FileTotals::bytes, &raw::FileTotals::ticks);
  }
  for (auto& [number, place] : record.file_places) {
    by.extend(found(begin.file_places, number).totals, place.totals, &raw::FilePlaceTotals::calls,
              &raw::FilePlaceTotals::bytes, &raw::FilePlaceTotals::ticks);
  }
  for (auto& [number, place] : record.gpu_places) {
    using OfGpu = raw::GpuPlaceTotals;
    by.extend(found(begin.gpu_places, number).totals, place.totals, &OfGpu::calls, &OfGpu::bytes, &OfGpu::main_ticks,
              &OfGpu::other_ticks, &OfGpu::device_ns, &OfGpu::timed_calls);
  }
}

void extend_regions(const Extension& by, const RankRecord& begin, RankRecord& record) {
  using raw::ParallelRegion;
  using raw::Region;
  for (size_t i = 0; i < record.regions.size(); ++i) {
    by.extend(i < begin.regions.size() ? begin.regions[i] : Region(), record.regions[i], &Region::count, &Region::ticks,
              &Region::mpi_ticks, &Region::cpu_ns);
  }
  for (ParallelRegion& region : record.parallel_regions) {
    const auto before = std::ranges::find(begin.parallel_regions, region.region, &ParallelRegion::region);
    by.extend(before != begin.parallel_regions.end() ? *before : ParallelRegion(), region,
              &ParallelRegion::thread_ticks, &ParallelRegion::busy_ticks, &ParallelRegion::slowest_ticks,
              &ParallelRegion::busy_cpu_ns, &ParallelRegion::unread_ticks);
  }
}

// Elapsed time inside MPI of the main thread.
uint64_t mpi_ticks(const RankRecord& record) {
  uint64_t ticks = 0;
  for (const auto& [key, totals] : record.operations) {
    if (key.thread_class == raw::kMainThread) ticks += totals.ticks;
  }
  return ticks;
}

// The calls that go on in rounds end later. Before the operations are extended.
void extend_repeated_calls(const Extension& by, const RankRecord& begin, const ClockPoint& from, const ClockPoint& to,
                           RankRecord& record) {
  const uint64_t more_ticks = by.more(from.ticks, to.ticks);
  const uint64_t more_mpi = by.more(mpi_ticks(begin), mpi_ticks(record));
  const uint64_t more_cpu = by.more(from.process_cpu_ns, to.process_cpu_ns);
  for (raw::RepeatedCall& call : record.repeated_calls) {
    if (call.last_end_ticks <= from.ticks) continue;
    const auto before = std::ranges::find_if(begin.repeated_calls, [&call](const raw::RepeatedCall& b) {
      return b.operation == call.operation && b.address == call.address && b.depth == call.depth;
    });
    const raw::RepeatedCall none;
    const raw::RepeatedCall& known = before != begin.repeated_calls.end() ? *before : none;
    by.extend(known, call, &raw::RepeatedCall::calls, &raw::RepeatedCall::visits);
    call.last_end_ticks += more_ticks;
    call.end_ticks += more_ticks;
    call.end_mpi_ticks += more_mpi;
    call.end_cpu_ns += more_cpu;
  }
}

void extend_clocks(const Extension& by, const ClockPoint& from, RankRecord& record) {
  constexpr auto kEnd = static_cast<size_t>(raw::Phase::kFinalizeBegin);
  ClockPoint& to = *record.points[kEnd];
  by.extend(from, to, &ClockPoint::ticks, &ClockPoint::monotonic_ns, &ClockPoint::realtime_ns,
            &ClockPoint::process_cpu_ns, &ClockPoint::main_thread_cpu_ns, &ClockPoint::collector_cpu_ns);
  record.last_point = to;
}

}  // namespace

void extend_to_whole_run(RankRecord& record) {
  constexpr auto kEnd = static_cast<size_t>(raw::Phase::kFinalizeBegin);
  if (!is_extended(record) || record.before_rounds == nullptr) return;
  const RankRecord& begin = *record.before_rounds;
  if (!begin.last_point || !record.points[kEnd]) return;
  const Extension by(*record.rounds);
  const ClockPoint from = *begin.last_point, to = *record.points[kEnd];
  record.left_out_s = 1e-9 * static_cast<double>(by.more(from.monotonic_ns, to.monotonic_ns));
  extend_samples(by, begin, record);
  extend_repeated_calls(by, begin, from, to, record);
  extend_calls(by, begin, record);
  extend_files(by, begin, record);
  extend_regions(by, begin, record);
  extend_clocks(by, from, record);
  if (begin.last_waits && record.waits[kEnd]) {
    by.extend(*begin.last_waits, *record.waits[kEnd], &Waits::for_core_ns, &Waits::children_cpu_ns);
    record.last_waits = record.waits[kEnd];
  }
  record.before_rounds.reset();
}

}  // namespace scalediag::merge
