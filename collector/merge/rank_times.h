// The division of one rank's time into the terms of a profile.
//
// Points of a rank's life, by raw::Phase:   load ... init end ======= window ======= finalize begin ... last
// Without MPI_Finalize the window ends at the last point. K is the CPU time of the collector's own thread, P is the CPU
// time of the process, M monotonic time, C the CPU time of the main thread, s(...) what was sampled, G elapsed time in
// calls of GPUs' libraries; MPI is intercepted operations and "[MPI other]".
//
//   cpu clock                                        wall clock
//   collector      K + s(wrappers)                   s(main, wrappers)
//   total          P(last) - collector - s(G) + G    M(last) - M(load) - collector
//   others         P(init end) + P(last) - P(end)    M(init end) - M(load) + M(last) - M(end)
//   communication  s(MPI), all threads               main thread's time in operations + s(main, MPI other)
//   computation    s(kernels), all threads           s(main, kernels) + off-CPU
//   OpenMP         s(waiting), all threads           s(main, waiting)
//   GPU            G, all threads                    G of the main thread
//   unattributed   the rest                          the rest
//
//   asleep = the least of   window - C(window) - what the main thread waited for a core - (G - s(main, G))
//                           window - P(window): other threads were at work meanwhile
//                           off-CPU
//   children: CPU time of child processes that ended within the window
//
//   off-CPU = window - main thread's time in operations - G of the main thread
//             - (C(window) - s(main, operations) - s(main, G)), at least 0
//
// The time that the collector adds to a call is not the application's: for a program that polls MPI millions of times a
// second it would distort the total. The rest may be a little below zero, because sampled time is exact only to a
// period; it is not clipped.
#pragma once

#include <optional>

#include "collector/merge/raw/rank_record.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

// Sampled CPU time of one rank, in seconds.
struct SampledTime {
  double mpi = 0;              // all threads, intercepted or not
  double kernels = 0;          // all threads
  double main_operations = 0;  // main thread, inside intercepted operations
  double main_mpi_other = 0;
  double main_kernels = 0;
  double collector = 0;  // the wrappers, all threads
  double main_collector = 0;
  double openmp_waiting = 0;  // all threads; not in kernels
  double main_openmp_waiting = 0;
  double gpu = 0;  // all threads, in calls of GPUs' libraries; not in kernels
  double main_gpu = 0;
};

// Elapsed time of one rank in calls of GPUs' libraries outside MPI, in seconds.
struct GpuTime {
  double main = 0;  // of the main thread
  double all = 0;   // of all threads
  double in(core::Clock clock) const { return clock == core::Clock::kCpu ? all : main; }
};

struct RankTimes {
  double total_s = 0;
  double computation_s = 0;
  double openmp_waiting_s = 0;
  double gpu_s = 0;
  double communication_s = 0;
  double others_s = 0;
  double unattributed_s = 0;
  double off_cpu_s = 0;                        // part of computation_s; wall clock only
  std::optional<double> asleep_s, children_s;  // in no other term with the CPU clock
  double wall_s = 0;
  double cpu_s = 0;
  double collector_s = 0;
};

// Whether the record has the clock points that the division needs.
bool has_clock_points(const RankRecord& record);

// The length of a tick in seconds; 0 when the clock points do not give it.
double seconds_per_tick(const RankRecord& record);

// CPU time between the end of MPI_Init and the start of MPI_Finalize, in seconds. Precondition:
// has_clock_points(record).
struct WindowCpuTime {
  double main_thread_s = 0;
  double other_threads_s = 0;  // without the collector's
};
WindowCpuTime cpu_time_of_window(const RankRecord& record);

// From the end of MPI_Init to the start of MPI_Finalize, elapsed. Precondition: has_clock_points(record).
double length_of_window_s(const RankRecord& record);

// Whether threads other than the main thread and the collector's had a relevant share of the CPU time.
bool has_busy_threads(const RankRecord& record);

// `main_operations_s`: elapsed time of the main thread inside intercepted operations.
// Precondition: has_clock_points(record).
RankTimes divide_time(const RankRecord& record, core::Clock clock, const SampledTime& sampled, double main_operations_s,
                      const GpuTime& gpu = {});

}  // namespace scalediag::merge
