#include "collector/merge/rank_times.h"

#include <algorithm>

namespace scalediag::merge {
namespace {

constexpr double kBusyShare = 0.05;

// Differences are taken in floating point: a damaged clock may run backwards.
double seconds(uint64_t ns) { return static_cast<double>(ns) * 1e-9; }
double seconds_between(uint64_t begin, uint64_t end) {
  return end >= begin ? seconds(end - begin) : -seconds(begin - end);
}

const ClockPoint& window_begin(const RankRecord& r) { return *r.point(raw::Phase::kInitEnd); }
const ClockPoint& window_end(const RankRecord& r) {
  const auto& finalize = r.point(raw::Phase::kFinalizeBegin);
  return finalize ? *finalize : *r.last_point;
}

double tick_between(const ClockPoint& a, const ClockPoint& b) {
  if (b.ticks <= a.ticks || b.monotonic_ns <= a.monotonic_ns) return 0;
  return seconds(b.monotonic_ns - a.monotonic_ns) / static_cast<double>(b.ticks - a.ticks);
}

// The time outside MPI between MPI_Init and MPI_Finalize that the main thread spent on no CPU, in seconds. The part of
// the CPU time inside MPI is known from samples only.
double off_cpu_of_window(const RankRecord& record, const SampledTime& sampled, double main_operations_s,
                         const GpuTime& gpu) {
  const ClockPoint& begin = window_begin(record);
  const ClockPoint& end = window_end(record);
  const double window = seconds_between(begin.monotonic_ns, end.monotonic_ns);
  const double cpu = seconds_between(begin.main_thread_cpu_ns, end.main_thread_cpu_ns);
  return std::max(0.0, window - main_operations_s - gpu.main - (cpu - sampled.main_operations - sampled.main_gpu));
}

// `in_gpu_calls_s`: on no CPU in calls of GPUs' libraries.
void add_what_no_clock_sees(const RankRecord& record, double off_cpu_s, double in_gpu_calls_s, RankTimes& t) {
  const auto& begin = record.waits[static_cast<size_t>(raw::Phase::kInitEnd)];
  const bool finalised = record.point(raw::Phase::kFinalizeBegin).has_value();
  const auto& end = finalised ? record.waits[static_cast<size_t>(raw::Phase::kFinalizeBegin)] : record.last_waits;
  if (!begin || !end) return;
  const ClockPoint& from = window_begin(record);
  const ClockPoint& to = window_end(record);
  const double window = seconds_between(from.monotonic_ns, to.monotonic_ns);
  const double idle = window - seconds_between(from.main_thread_cpu_ns, to.main_thread_cpu_ns) -
                      seconds_between(begin->for_core_ns, end->for_core_ns) - in_gpu_calls_s;
  const double of_all_threads = window - seconds_between(from.process_cpu_ns, to.process_cpu_ns);
  t.asleep_s = std::max(0.0, std::min({idle, of_all_threads, off_cpu_s}));
  t.children_s = std::max(0.0, seconds_between(begin->children_cpu_ns, end->children_cpu_ns));
}

}  // namespace

bool has_clock_points(const RankRecord& record) {
  return record.point(raw::Phase::kLoad) && record.point(raw::Phase::kInitEnd) && record.last_point;
}

double seconds_per_tick(const RankRecord& record) {
  if (!has_clock_points(record)) return 0;
  const double tick = tick_between(window_begin(record), *record.last_point);
  return tick > 0 ? tick : tick_between(*record.point(raw::Phase::kLoad), *record.last_point);
}

WindowCpuTime cpu_time_of_window(const RankRecord& record) {
  const ClockPoint& begin = window_begin(record);
  const ClockPoint& end = window_end(record);
  const double process = seconds_between(begin.process_cpu_ns, end.process_cpu_ns);
  const double main_thread = seconds_between(begin.main_thread_cpu_ns, end.main_thread_cpu_ns);
  const double collector = seconds_between(begin.collector_cpu_ns, end.collector_cpu_ns);
  return {main_thread, process - main_thread - collector};
}

double length_of_window_s(const RankRecord& record) {
  return seconds_between(window_begin(record).monotonic_ns, window_end(record).monotonic_ns);
}

bool has_busy_threads(const RankRecord& record) {
  if (!has_clock_points(record)) return false;
  const double process = seconds_between(window_begin(record).process_cpu_ns, window_end(record).process_cpu_ns);
  return cpu_time_of_window(record).other_threads_s > kBusyShare * process;
}

RankTimes divide_time(const RankRecord& record, core::Clock clock, const SampledTime& sampled, double main_operations_s,
                      const GpuTime& gpu) {
  const ClockPoint& load = *record.point(raw::Phase::kLoad);
  const ClockPoint& begin = window_begin(record);
  const ClockPoint& end = window_end(record);
  const ClockPoint& last = *record.last_point;

  const bool is_sampled = record.identity && record.identity->sampler != "none";
  const double off_cpu_s = off_cpu_of_window(record, sampled, main_operations_s, gpu);
  RankTimes t;
  if (is_sampled) add_what_no_clock_sees(record, off_cpu_s, gpu.main - sampled.main_gpu, t);
  t.wall_s = seconds_between(load.monotonic_ns, last.monotonic_ns);
  t.cpu_s = seconds(last.process_cpu_ns);
  if (clock == core::Clock::kCpu) {
    t.collector_s = seconds(last.collector_cpu_ns) + sampled.collector;
    t.total_s = t.cpu_s - t.collector_s - sampled.gpu + gpu.all;
    t.others_s = seconds(begin.process_cpu_ns) + seconds_between(end.process_cpu_ns, last.process_cpu_ns);
    t.communication_s = sampled.mpi;
    t.computation_s = sampled.kernels;
    t.openmp_waiting_s = sampled.openmp_waiting;
  } else {
    const double window = seconds_between(begin.monotonic_ns, end.monotonic_ns);
    t.collector_s = sampled.main_collector;
    t.total_s = t.wall_s - t.collector_s;
    t.others_s = t.wall_s - window;
    t.communication_s = main_operations_s + sampled.main_mpi_other;
    if (is_sampled) t.off_cpu_s = off_cpu_s;
    t.computation_s = sampled.main_kernels + t.off_cpu_s;
    t.openmp_waiting_s = sampled.main_openmp_waiting;
  }
  t.gpu_s = gpu.in(clock);
  t.unattributed_s = t.total_s - t.computation_s - t.openmp_waiting_s - t.gpu_s - t.communication_s - t.others_s;
  return t;
}

}  // namespace scalediag::merge
