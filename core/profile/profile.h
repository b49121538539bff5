// The results of a measurement, for all analysis after it.
//
// A Profile holds runs; a run holds kernels and MPI operations; each of their
// metrics is kept over ranks. Times are in seconds, sizes in bytes. The JSON form
// is documented field by field in profile.schema.json.
//
// For every rank of every run the identity
//   total_s = computation_s + openmp_waiting_s + gpu_s + communication_s + others_s + unattributed_s
// holds, in the run's clock:
//   cpu   total_s is the CPU time of the process, all threads; a kernel's time is that sampled in it. In calls of GPUs'
//         libraries elapsed time takes the place of CPU time, since the device computes while the host sleeps.
//   wall  total_s is elapsed time; communication_s is the main thread's time inside MPI; a kernel's
//         time is that sampled in it on the main thread; the time that the main thread spent neither in MPI
//         nor in calls of GPUs' libraries nor on a CPU is the kernel "[off-CPU]".
// The collector's own time, as far as it is known, is not the application's and is left out: collector_s.
// openmp_waiting_s is the kernel "[OpenMP waiting]": threads that wait for others of their rank inside an OpenMP
// library. gpu_s is elapsed time in calls of GPUs' libraries (core/raw/gpu_functions.def), outside MPI, in which the
// host waits for the device, launches, copies or allocates: the kernels "[GPU wait] FUNCTION" and "[GPU calls]
// FUNCTION". With the wall clock it is the main thread's, else that of all threads. others_s lies before the end of
// MPI_Init or after the start of MPI_Finalize. unattributed_s is the time without a valid sample: lost samples,
// addresses without a module.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/over_ranks.h"

namespace scalediag::core {

enum class Clock { kCpu, kWall };

enum class KernelKind {
  kFunction,  // code of the application or its libraries, exclusive of its children
  kSystem,    // time outside MPI that belongs to no function: "[off-CPU]", "[kernel mode]"
  kGpu,       // calls of a GPU's library: "[GPU wait] step", "[GPU calls] step" by the function that made them
  kWaiting,   // threads that wait for others of their rank, which is no work: "[OpenMP waiting]"
};

struct Kernel {
  std::string name;    // readable: demangled, Fortran module procedures as module::procedure
  std::string module;  // file name of the executable or library
  std::string file;    // source file; empty without debug information
  int line = 0;        // line of the function's definition, 0 when unknown
  KernelKind kind = KernelKind::kFunction;
  uint64_t samples = 0;                      // over all ranks
  std::map<std::string, OverRanks> metrics;  // "time_s" in the run's clock, "cpu_s" all threads,
                                             // "system_s" the part of cpu_s in kernel mode; and counts:
                                             // see kCounterMetrics. And where Run::counted_ranks are unlike the
                                             // others in this kernel, "counted_time_s": what time_s were if they were
                                             // not. Its counts are then extended by time, or missing.
  // The standard errors of the sums of counts over ranks, by metric, where counts are a sample: Run::counter_method is
  // "events". Where nothing of a metric was charged to the kernel, it is what one overflow stands for. Simulated counts
  // of few rounds have one as well (collector/counters/callgrind/counted_parts.h); those without are exact.
  std::map<std::string, double> count_errors;
  // The kernel's use of the machine, by name of kResourceMetrics; empty where nothing was counted. The values follow
  // from counts, times and the machine of a whole run, so that there is no value for each rank: times are means over
  // ranks.
  std::map<std::string, double> resources;
  std::vector<std::string> resource_notes;  // remarks for readers of `resources`, named below
};

// The names in Kernel::resources; collector/counters/resource_metrics.h derives them.
//   cpi               cycles per instruction, without stalls
//   hz                cycles a second of time_s: counted where cycles were counted, else the machine's
//   t_comp_s          time of executing the instructions; t_comp_s + t_stall_s = time_s.mean
//   t_stall_s         time stalled for memory = bf_mem x t_mem_s; its origin is in resource_notes
//   t_stall_high_s    where t_stall_s is derived: the most that it can be, time beyond instructions x the machine's
//                     smallest CPI
//   t_mem_s           time of all memory accesses one after the other: the sum of the next four
//   t_mem_l1_s, t_mem_l2_s, t_mem_llc_s, t_mem_memory_s
//   bf_mem            the part of t_mem_s that is not hidden behind execution
//   bf_mem_high       t_stall_high_s / t_mem_s
//   l1_hit_ratio, l2_hit_ratio, llc_hit_ratio  hits of a level / accesses that reach it
//   memory_bytes      bytes that those memory accesses bring in: memory_accesses x line, a rank
//   llc_miss_ratio    E of the source: accesses that miss the last level / all accesses
//   flops_per_byte    flops / memory_bytes
constexpr const char* kResourceMetrics[] = {
    "cpi",          "hz",           "t_comp_s",      "t_stall_s",      "t_stall_high_s", "t_mem_s",
    "t_mem_l1_s",   "t_mem_l2_s",   "t_mem_llc_s",   "t_mem_memory_s", "bf_mem",         "bf_mem_high",
    "l1_hit_ratio", "l2_hit_ratio", "llc_hit_ratio", "memory_bytes",   "llc_miss_ratio", "flops_per_byte"};

// The words in Kernel::resource_notes.
//   stalls_derived         no stall counter: stalls are the time beyond instructions x the kernel's smallest CPI, so
//                          that they are 0 in its best configuration and relative to that one elsewhere
//   stalls_total           stalls of every kind were counted, of which those for memory are a part
//   single_configuration   derived, and only one configuration was counted: its stalls come out as 0 by construction
//   stalls_not_memory      stalls that no counted memory access can have caused: they are part of t_comp_s
//   stalls_exceed_memory   bf_mem above 1: loaded memory is slower than idle one, or something else stalls as well
//   few_samples            fewer than 100 samples: times and all that is made of them are uncertain by more than 10 %
//   few_overflows          a count has a standard error above 10 %, since its event overflowed seldom in the kernel
//   counts_in_part         few rounds of the main loop were counted: instructions are an estimate
//   counts_of_repeats      some counts come from other repeats of the configuration
//   cpi_below_machine      CPI below what the machine can do: counts and time do not fit together
//   cache_size_guessed     the last cache was simulated with a size that was not measured: its hits are guesses

// The names of counts in `metrics`, whatever event they were counted with: totals over all threads of a rank. An event
// without a place in this vocabulary keeps its own name. A metric that was not counted in a run is absent.
//   instructions     retired                      cycles       while the thread ran in user mode
//   memory_stall_cycles  cycles without progress because of memory: collector/counters/events.def defines them for
//                        each processor
//   stall_cycles     cycles in which nothing was executed (x86) or dispatched (Arm), for any reason
//   loads, stores    instructions or operations that read, write memory
//   l1_hits          loads served by the first-level data cache
//   l2_hits          loads served by the second level
//   llc_hits         loads served by the last level
//   memory_accesses  loads served by main memory
//   flops            floating-point operations: each lane of a vector is one, a fused multiply-add two
// In counts under callgrind, stores are included in the hits and accesses of the levels, and there are only the first
// and the last level: accesses that a middle level would serve are in llc_hits, and l2_hits is absent. Callgrind counts
// neither cycles nor stalls nor flops.
constexpr const char* kCounterMetrics[] = {
    "instructions", "cycles",   "memory_stall_cycles", "stall_cycles", "loads", "stores", "l1_hits",
    "l2_hits",      "llc_hits", "memory_accesses",     "flops"};

// An event that was counted in a run and the metric it became.
struct CounterEvent {
  std::string event;   // the source's name for it: "PAPI_TOT_INS", "MEM_LOAD_RETIRED:L1_HIT", "Ir"
  std::string metric;  // of kCounterMetrics, or the event's own name
  bool derived = false;
  std::string formula_or_source;  // derived: the formula; else the document that defines the mapping
};

// An event whose own overflows charge its counts to functions.
struct SampledEvent {
  std::string event;
  double period = 0;     // counts from one overflow to the next
  double overflows = 0;  // over all counted ranks
  double counted = 0;    // the exact total over all counted ranks, which the charged counts were scaled to
};

// Calls of one operation on communicators of one size with one power-of-two class of message size.
struct MpiClass {
  int communicator_size = 0;  // 0: the routine takes no communicator (waits, one-sided)
  double bytes_from = 0;      // calls with bytes_from <= bytes <= bytes_to
  double bytes_to = 0;
  OverRanks calls;
  OverRanks bytes;
  OverRanks wall_s;
  OverRanks blocked_s;  // wall_s beyond calls x the shortest call of this class on any rank; 0 if !can_wait(operation).
                        // A wait that every call has is not in it.
  double shortest_call_s = 0;
  double longest_call_s = 0;
};

// A place that calls an MPI operation. What lies in libraries that wrap MPI is charged to the first function that is
// not one of theirs.
struct CallSite {
  std::string function;  // readable, inlined ones by their own name; empty: unknown
  std::string module;    // file name of the executable or library
  std::string file;      // of the call; empty without debug information
  int line = 0;          // of the call; 0 when unknown
  uint64_t address = 0;  // to which the call returns, in the module's file; 0 where the line is known
  std::string through;   // the wrapper library's function that called MPI; empty where `function` did
  auto operator<=>(const CallSite&) const = default;
};

struct MpiSite : CallSite {
  OverRanks calls;
  OverRanks bytes;
  OverRanks time_s;     // in the run's clock
  OverRanks wall_s;     // elapsed, all threads
  OverRanks blocked_s;  // as in MpiOperation: beyond the shortest call of its class, whichever site made that
  uint64_t samples = 0;
  std::vector<MpiClass> classes;  // shortest_call_s is that of all sites
};

// The rank that spent the most time_s in an operation.
struct SlowestRank {
  int rank = 0;
  double calls = 0;
  double bytes = 0;
  double time_s = 0;
};

struct MpiOperation {
  std::string operation;  // the C name, "MPI_Send"; "[MPI other]" for MPI routines that are not intercepted
  OverRanks calls;
  OverRanks bytes;
  OverRanks time_s;  // in the run's clock
  OverRanks wall_s;  // elapsed, all threads
  OverRanks cpu_s;   // sampled
  OverRanks blocked_s;
  uint64_t samples = 0;
  std::map<std::string, OverRanks> metrics;  // counts inside the operation; names as in Kernel::metrics
  std::vector<MpiClass> classes;
  std::optional<SlowestRank> slowest;  // empty in profiles of older versions
  std::vector<MpiSite> sites;  // by falling mean time_s, wall_s, then by the site; empty in profiles of older versions
};

struct FileSite : CallSite {
  OverRanks calls;
  OverRanks bytes;
  OverRanks time_s;
};

// A function of the C library on regular files, between the end of MPI_Init and the start of MPI_Finalize. MPI-IO is in
// the operations MPI_File_*, and not here.
struct FileOperation {
  std::string operation;  // "write", "fwrite"
  OverRanks calls;
  OverRanks bytes;
  OverRanks time_s;             // elapsed, all threads
  std::vector<FileSite> sites;  // by falling mean time_s, then by the site; empty in profiles of older versions
};

// A function of a GPU's library, between the end of MPI_Init and the start of MPI_Finalize.
struct GpuOperation {
  std::string operation;  // "cudaLaunchKernel"
  std::string kind;       // of raw::kGpuCallKindNames
  std::string detail;     // of a launch the kernel's readable name; of a copy its direction, "host to device"; of
                          // communication its ranks, "8 ranks"; or empty
  bool in_mpi = false;    // MPI made the calls: it was given memory of the device. Their time is MPI's
  OverRanks calls;
  OverRanks bytes;
  OverRanks time_s;             // elapsed on the host, all threads
  OverRanks device_s;           // that the device took for timed_calls of the calls
  OverRanks timed_calls;        // 0: not asked for (profile --gpu), or not to be had
  std::vector<FileSite> sites;  // by falling mean time_s, then by the site
};

// The time that devices worked for a rank, by GpuOperation::device_s: kernels, copies, and communication of NCCL and
// RCCL. Streams that work at the same time count each by itself.
struct GpuBusy {
  OverRanks kernels_s;
  OverRanks transfers_s;
  OverRanks busy_s;                          // both
  std::optional<OverRanks> communication_s;  // in none of them; empty where there was none
};

// A device that ranks launched on, as their library names it: its PCI address, or its number among the visible ones.
struct GpuDevice {
  std::string host;
  std::string device;
  int ranks = 0;
};

// Point-to-point and one-sided traffic; with more than kMaxPeerBlocks ranks, ranks are put together
// into blocks of ranks_per_block.
struct PeerTraffic {
  int from = 0;
  int to = 0;
  double messages = 0;
  double bytes = 0;
};
constexpr int kMaxPeerBlocks = 256;

// A number that the program named in a region, over the ranks that did.
struct RegionParameter {
  double n = 0;  // how often
  double mean = 0;
  double min = 0;
  double max = 0;
};

// The threads of a parallel region of OpenMP, where it is the outermost one. A thread is busy in the region's code and
// tasks, and idle where it waits for the others, at barriers and at the region's end: for each entry
//   busy + idle = threads x elapsed
struct ParallelThreads {
  int most = 0;          // the most threads that ran it at once
  OverRanks busy_s;      // of all threads
  OverRanks idle_s;      // of all threads
  OverRanks slowest_s;   // busy, of the thread that was so longest, entry by entry
  OverRanks busy_cpu_s;  // CPU time while busy, of all threads
};

// A part of the program, with all that was called in it: those that authors named, parallel regions of OpenMP, and the
// main loop. A region within another one is listed after it.
struct Region {
  std::string name;
  std::string parent;             // names of the regions that it lies in, the outermost first, joined by "/"; or empty
  std::string source;             // the interface that named it, "MPI_Pcontrol"; "MPI calls" of the main loop; kOpenMp
  std::string note;               // what a reader has to know; or empty
  bool of_other_threads = false;  // entered by others than the main thread: times are sums over these threads
  OverRanks count;                // how often it was entered; of the main loop, iterations, 0 where they are not known
  std::string rounds_of;          // of the main loop: the MPI operation that its iterations are calls of; or empty
  OverRanks elapsed_s;
  OverRanks cpu_s;            // of the process; of_other_threads: of these threads
  OverRanks computation_s;    // elapsed outside of MPI
  OverRanks communication_s;  // elapsed inside MPI
  std::map<std::string, RegionParameter> parameters;
  std::optional<ParallelThreads> parallel;  // of those with the source kOpenMp

  // In the clock of a run.
  const OverRanks& time_s(Clock clock) const { return clock == Clock::kCpu ? cpu_s : elapsed_s; }
};

// The outermost loop that all ranks share.
constexpr const char* kMainLoop = "main-loop";
// The source of parallel regions.
constexpr const char* kOpenMp = "OpenMP";

// Elapsed time from the end of MPI_Init to the start of MPI_Finalize, of the main thread: in parallel regions, and
// outside of them outside of and inside MPI.
struct OpenMpTimes {
  OverRanks inside_s;
  OverRanks outside_s;
  OverRanks outside_mpi_s;
};

enum class CallPathKind {
  kFunction,
  kMpi,    // an MPI operation
  kOther,  // "[...]": what is no function: paths that were left out, code without a module, a stack without its end
};

// A node of a run's call tree: a function as it was called by those above it, with all that it called. Times are CPU
// time of all threads, whatever the run's clock is. Recursion is folded: a function that calls itself, through others
// or not, stands on a path as often as the pattern of calls has it once.
struct CallPath {
  int parent = -1;       // in the list of paths, before this one; -1: the thread's first function
  std::string function;  // readable; of kMpi the operation, "MPI_Send"
  std::string module;    // as Kernel's
  std::string file;
  int line = 0;
  CallPathKind kind = CallPathKind::kFunction;
  uint64_t samples = 0;   // inclusive, over all ranks
  OverRanks inclusive_s;  // with all that it called
  OverRanks exclusive_s;
};

struct RunTimes {
  OverRanks total_s;
  OverRanks computation_s;
  OverRanks openmp_waiting_s;
  OverRanks gpu_s;
  OverRanks communication_s;
  OverRanks others_s;
  OverRanks unattributed_s;
  OverRanks wall_s;       // from loading to exit
  OverRanks cpu_s;        // of the whole process
  OverRanks collector_s;  // time of the collector: its own thread and its wrappers around MPI; not in total_s
  // Empty where that is not known. With the CPU clock they are in none of the above.
  // asleep_s: elapsed time between MPI_Init and MPI_Finalize in which the main thread was neither in MPI nor on a core
  // nor waiting for one, and no other thread computed: it slept, or waited for files or other processes.
  // children_s: CPU time of child processes, those that ended meanwhile.
  std::optional<OverRanks> asleep_s, children_s;
};

// The target of a run that did not run there: `scalediag emulate`. Its clock is kWall, and its times are the target's.
struct Emulated {
  std::string network;    // name, or file
  double cpu_factor = 1;  // of computation: the target's CPU time / that of this machine
};

struct Run {
  std::string id;  // name of the run's folder
  int np = 0;
  std::map<std::string, double> parameters;  // without np
  int repeat = 0;
  bool complete = false;
  std::string reason;  // the reason why it is not complete
  Clock clock = Clock::kCpu;
  std::string clock_reason;
  std::optional<Emulated> emulated;  // empty: the run was measured
  std::string counters = "clock";    // "papi", "simulated", "clock"
  std::string counters_reason;       // one sentence: the source and the reason for it
  std::vector<CounterEvent> counter_events;
  // What charged counts of hardware events to functions: "cycles", the counts since the overflow of cycles before it to
  // the function that an overflow of cycles interrupted; "events", overflows of each event by itself, with errors
  // (Kernel::count_errors). Empty: PAPI counted no hardware event, or the profile is of a version that had "cycles".
  std::string counter_method;
  std::vector<SampledEvent> sampled_events;  // where it is "events"
  // Ranks whose events were counted, ascending; empty: all. If not empty, the counts in metrics are over these ranks
  // only: min and max are theirs, sum is an extrapolation to all ranks and mean is sum / np. With "papi" sum is their
  // mean x np; with "simulated" each of them stands for itself and the ranks that communicate like it, except in
  // kernels with "counted_time_s": sum is there counts x time of all ranks / time of the counted ones, and min and max
  // are widened to include the mean.
  std::vector<int> counted_ranks;
  double measured_llc_bytes = 0;  // with "simulated", as CountingPass has it; 0: a guess was simulated
  std::string sampler;            // "cpus", "perf", "perf-user", "timer", "none"
  double sampling_rate_hz = 0;
  std::string mpi_library;
  std::vector<std::string> hosts;
  int threads_max = 1;  // largest number of threads that ran at once in a rank
  RunTimes times;
  uint64_t samples = 0;
  uint64_t lost_samples = 0;
  std::vector<Kernel> kernels;           // by falling mean time_s, ties by name
  std::vector<MpiOperation> operations;  // by falling mean time_s, ties by name
  std::vector<FileOperation> files;      // by falling mean time_s, ties by name
  std::vector<GpuOperation> gpu;         // by falling mean time_s, ties by name, detail; empty: no call was seen
  std::vector<GpuDevice> gpu_devices;    // by host and device; without ranks whose device is not known
  std::optional<GpuBusy> gpu_busy;       // empty where gpu_timed_by is
  std::string gpu_timed_by;              // the source of GpuOperation::device_s: "CUPTI", or "events", where
                                         // CUPTI could not be had with the reason; empty: there is none
  // The most that a rank had in memory at any time of its life (resident, what it shares with others included), and the
  // sum over the ranks of the node where it is largest. Empty where that is not known.
  std::optional<OverRanks> memory_peak_bytes;
  std::optional<double> memory_peak_node_bytes;
  std::vector<Region> regions;        // the main loop first; empty in profiles of older versions
  std::optional<OpenMpTimes> openmp;  // empty where no parallel region was seen
  std::string no_main_loop;  // the reason why there is none in `regions`; empty: there is one, or it is not known
  // The call tree, where stacks were recorded: every path after its parent, siblings by falling mean inclusive_s.
  // Paths below call_paths_from of all CPU time are put together as "[other]".
  std::vector<CallPath> call_paths;
  double call_paths_from = 0;
  int ranks_per_block = 1;
  std::vector<PeerTraffic> peers;
  // One entry a block of ranks, the mean over it.
  std::vector<double> rank_computation_s;
  std::vector<double> rank_communication_s;
  std::vector<double> rank_total_s;
  std::vector<std::string> warnings;  // remarks that a reader of the numbers has to know
};

// The values of the machine that the resource metrics were computed with; core/experiment/machine.h has all of them.
struct MachineUsed {
  std::string host;
  std::string cpu;
  int cores = 0;
  std::string created;      // time of its measurement, UTC, ISO 8601
  double frequency_hz = 0;  // sustained, all cores at work
  double line_bytes = 0;
  double smallest_cpi = 0;
  double bandwidth_bytes_per_s = 0;         // all cores together
  std::map<std::string, double> latency_s;  // of "l1", "l2", "llc" where the machine has them, and "memory"
  bool operator==(const MachineUsed&) const = default;
};

struct Profile {
  std::string application;                   // name of the executable
  std::vector<std::string> command;          // as requested, with {np} and {NAME} in place
  std::vector<std::string> parameter_names;  // without np, as declared
  std::string scaling = "auto";              // Experiment::scaling
  std::vector<Run> runs;                     // by np, parameters, repeat
  std::optional<MachineUsed> machine;        // empty where no counts were to be turned into time
};

const char* name_of(Clock clock);        // "cpu", "wall"
const char* name_of(CallPathKind kind);  // "function", "mpi", "other"
const char* name_of(KernelKind kind);    // "function", "system", "gpu", "waiting"

}  // namespace scalediag::core
