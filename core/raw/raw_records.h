// The records in the chunks of a raw file, and how they are encoded: the library inside the application writes them
// and the merger reads them. Header only, C++17.
//
// SCALEDIAG_FIELDS names a record's members in the order in which they stand in the file: an integer or an enum as it
// is, a string as its u32 length and its bytes, a record as its fields, a vector as its u32 number of elements and the
// elements. A chunk holds the record or the vector that is named at its ChunkKind (raw_format.h).
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/raw/raw_format.h"

#define SCALEDIAG_FIELDS(...)                     \
  auto fields() { return std::tie(__VA_ARGS__); } \
  auto fields() const { return std::tie(__VA_ARGS__); }

namespace scalediag::raw {

struct Identity {
  uint32_t rank = 0, size = 0;
  uint64_t pid = 0;
  std::string host, executable, mpi_library_version;
  std::string sampler;  // "cpus", "perf", "perf-user", "timer", "none"
  std::string sampler_reason;
  uint64_t period_ns = 0;
  uint32_t online_cpus = 0;
  std::vector<std::string> counters;  // the names of the events that were counted
  SCALEDIAG_FIELDS(rank, size, pid, host, executable, mpi_library_version, sampler, sampler_reason, period_ns,
                   online_cpus, counters)
};

// A mapped ELF file. Addresses a with begin <= a < end lie in it; a - load_bias is the address in its file.
struct Module {
  uint64_t load_bias = 0, begin = 0, end = 0;
  std::string path;      // absolute where the loader knows it; "linux-vdso.so.1" has none
  std::string build_id;  // hexadecimal; for a file without one file_stamp(), empty if it cannot be read
  SCALEDIAG_FIELDS(load_bias, begin, end, path, build_id)
};

// The modules of an epoch, within which no address changes its owner. A later chunk of the same epoch replaces an
// earlier one.
struct EpochModules {
  uint32_t epoch = 0;
  std::vector<Module> modules;
  SCALEDIAG_FIELDS(epoch, modules)
};

struct PlainSampleKey {
  uint32_t thread_class = 0;
  uint32_t operation = 0;  // kOutsideMpi, or operation_at() of an id of kOperationNames
  uint32_t epoch = 0;      // of the modules that the address belongs to
  uint64_t address = 0;    // 0 inside MPI
  SCALEDIAG_FIELDS(thread_class, operation, epoch, address)
};

struct SampleKey {
  uint32_t thread_class = 0, operation = 0, epoch = 0;
  uint64_t address = 0;
  uint32_t callers = 0;  // a StackRoot, or the number of the innermost Caller
  SCALEDIAG_FIELDS(thread_class, operation, epoch, address, callers)
};

// A function that has called another one, at one place in it: a node of the tree of all stacks.
struct Caller {
  uint32_t number = 0;  // from kStackRoots on, rising by one
  uint32_t parent = 0;  // the Caller that has called it, or a StackRoot
  uint32_t epoch = 0;
  uint64_t address = 0;  // to which the call returns
  SCALEDIAG_FIELDS(number, parent, epoch, address)
};

struct SampleValue {
  uint64_t samples = 0;
  // CPU time that the samples stand for ("perf": passed on the thread since its sample before; "cpus": a period of the
  // CPU each; "timer": wall time of their cells, weighed by the thread's clock), and the part of it that ended in
  // kernel mode.
  uint64_t cpu_ns = 0, system_ns = 0;
  SCALEDIAG_FIELDS(samples, cpu_ns, system_ns)
};

struct OperationName {
  uint32_t id = 0;
  std::string name;  // "MPI_Send"
  SCALEDIAG_FIELDS(id, name)
};

// A place that called MPI, or several routines of it: return addresses in the modules of an epoch, the innermost first.
struct CallSite {
  uint32_t site = 0;
  uint32_t epoch = 0;
  std::vector<uint64_t> frames;
  SCALEDIAG_FIELDS(site, epoch, frames)
};

struct OperationKey {
  uint32_t operation = 0, thread_class = 0;  // operation_at()
  uint32_t communicator_size = 0;
  uint32_t size_bin = 0;  // size_bin() of the bytes of a call
  SCALEDIAG_FIELDS(operation, thread_class, communicator_size, size_bin)
};

struct OperationTotals {
  uint64_t calls = 0, bytes = 0;
  uint64_t ticks = 0;                     // of the time-stamp counter, in calls
  uint64_t min_ticks = 0, max_ticks = 0;  // of the shortest and longest call that was timed, 0 for none
  SCALEDIAG_FIELDS(calls, bytes, ticks, min_ticks, max_ticks)
};

struct PeerKey {
  uint32_t peer = 0;       // rank in MPI_COMM_WORLD, or kUnknownPeer
  uint32_t direction = 0;  // PeerDirection
  SCALEDIAG_FIELDS(peer, direction)
};

struct PeerTotals {
  uint64_t messages = 0, bytes = 0;
  SCALEDIAG_FIELDS(messages, bytes)
};

// A call site of the main thread that was called several times. Its loop is the time from the end of the call before
// its first one to the beginning of the call after its last one; ticks of the time-stamp counter.
struct RepeatedCall {
  uint32_t operation = 0;  // an id of kOperationNames
  uint64_t address = 0;    // to which the call returned, in the modules of the last epoch
  uint64_t depth = 0;      // of the caller's frame on the stack, in bytes from a place that is the same on all ranks
  uint64_t calls = 0;
  uint64_t visits = 0;  // calls from one function in a row are one
  uint64_t begin_ticks = 0, first_begin_ticks = 0, last_end_ticks = 0, end_ticks = 0;
  uint64_t begin_mpi_ticks = 0, end_mpi_ticks = 0;  // inside MPI since recording began
  uint64_t begin_cpu_ns = 0, end_cpu_ns = 0;        // of the process
  // Of the times from call to call and from visit to visit: the square of the mean of their square roots over their
  // mean, in millionths. 1e6: all are alike.
  uint64_t evenness_of_calls = 0, evenness_of_visits = 0;
  SCALEDIAG_FIELDS(operation, address, depth, calls, visits, begin_ticks, first_begin_ticks, last_end_ticks, end_ticks,
                   begin_mpi_ticks, end_mpi_ticks, begin_cpu_ns, end_cpu_ns, evenness_of_calls, evenness_of_visits)
};

// Rounds of the main loop that were run, of those of a whole run.
struct Rounds {
  uint64_t measured = 0;   // since the first Rounds of the file, in which it is 0
  uint64_t to_follow = 0;  // rounds of the whole run after the first Rounds: the measured ones and the rest
  SCALEDIAG_FIELDS(measured, to_follow)
};

// A part of the program that its author named, within others: totals over the times that it was entered.
struct Region {
  uint32_t thread_class = 0;  // kMainThread or kOtherThread
  uint32_t number = 0;        // from 1 on, by first appearance
  uint32_t parent = 0;        // the region it lies in; 0: none
  std::string name;
  std::string source;  // the interface that named it, "MPI_Pcontrol"
  uint64_t count = 0;
  uint64_t ticks = 0, mpi_ticks = 0;  // elapsed, and the part inside MPI
  uint64_t cpu_ns = 0;                // of the process for the main thread, else of the thread
  uint64_t open = 0;                  // entered and not left at the end; they count until then
  SCALEDIAG_FIELDS(thread_class, number, parent, name, source, count, ticks, mpi_ticks, cpu_ns, open)
};

// A Region of the source "OpenMP": totals over the times that it was entered and left.
struct ParallelRegion {
  uint32_t region = 0;     // its number
  uint32_t epoch = 0;      // of the modules that the address belongs to
  uint64_t address = 0;    // of the code that its threads run
  uint32_t is_return = 0;  // 1: the address is that to which the call returns which begins the region
  uint32_t most_threads = 0;
  uint32_t has_unseen_tasks = 0;  // 1: tasks were made of which no thread's busy time has a part that it ran in waits
  uint64_t thread_ticks = 0;      // elapsed x threads
  uint64_t busy_ticks = 0;        // of all threads, without what they waited for each other
  uint64_t slowest_ticks = 0;     // of the thread that was busy longest in each entry
  uint64_t busy_cpu_ns = 0, unread_ticks = 0;  // CPU time while busy, but for busy time that was too short to read it
  SCALEDIAG_FIELDS(region, epoch, address, is_return, most_threads, has_unseen_tasks, thread_ticks, busy_ticks,
                   slowest_ticks, busy_cpu_ns, unread_ticks)
};

// A number that the program gave for a region.
struct RegionParameter {
  uint32_t region = 0;
  std::string name;
  uint64_t n = 0;
  std::string sum, least, most;  // decimal
  SCALEDIAG_FIELDS(region, name, n, sum, least, most)
};

// Numbers of regions that could not be recorded.
struct RegionProblems {
  uint64_t ends_without_begin = 0;
  std::string first_without_begin;
  uint64_t dropped = 0;  // entered where there was no room for another region or level
  SCALEDIAG_FIELDS(ends_without_begin, first_without_begin, dropped)
};

// All clocks at one moment.
struct ClockPoint {
  Phase phase = Phase::kLoad;
  uint64_t ticks = 0;
  uint64_t monotonic_ns = 0, realtime_ns = 0;
  uint64_t process_cpu_ns = 0, main_thread_cpu_ns = 0;
  uint64_t collector_cpu_ns = 0;
  SCALEDIAG_FIELDS(phase, ticks, monotonic_ns, realtime_ns, process_cpu_ns, main_thread_cpu_ns, collector_cpu_ns)
};

struct Losses {
  uint64_t lost_samples = 0;
  uint64_t unsampled_threads = 0;
  uint64_t dropped_keys = 0;
  uint64_t uncounted_calls = 0;
  uint32_t threads = 0;
  SCALEDIAG_FIELDS(lost_samples, unsampled_threads, dropped_keys, uncounted_calls, threads)
};

// The state of counting on a rank that was asked to count events.
struct Counting {
  uint64_t late_overflows = 0;     // a later one gets their counts; lost with kOverflows
  uint32_t uncounted_threads = 0;  // not counted or not to their end
  std::string problem;             // empty: none
  SCALEDIAG_FIELDS(late_overflows, uncounted_threads, problem)
};

// An event of a rank where every hardware event overflows by itself. Its counts in samples are overflows x period.
struct EventOverflows {
  uint64_t period = 0;   // 0: an event of the application, whose counts are all in the samples
  uint64_t counted = 0;  // the exact total over the threads that were counted
  SCALEDIAG_FIELDS(period, counted)
};

// CPUs from `first` to `last`, both included.
struct CpuRange {
  uint32_t first = 0, last = 0;
  SCALEDIAG_FIELDS(first, last)
};

// What the CPU clocks do not see.
struct Waits {
  uint64_t for_core_ns = 0;      // the main thread was ready to run, without a core
  uint64_t children_cpu_ns = 0;  // CPU time of child processes that ended and were waited for
  SCALEDIAG_FIELDS(for_core_ns, children_cpu_ns)
};

struct PhaseWaits {
  Phase phase = Phase::kLoad;  // of the next ClockPoint
  Waits waits;
  SCALEDIAG_FIELDS(phase, waits)
};

struct PythonFunction {
  uint32_t number = 0;
  uint32_t line = 0;       // of its definition
  std::string name, file;  // qualified name ("Grid.relax"), file as Python knows it
  SCALEDIAG_FIELDS(number, line, name, file)
};

struct Memory {
  uint64_t peak_resident_bytes = 0;  // the most that the process had in memory so far, the collector's part included
  SCALEDIAG_FIELDS(peak_resident_bytes)
};

// One function of the C library, all threads, from the end of MPI_Init to the start of MPI_Finalize.
struct FileTotals {
  std::string function;  // "write", "fwrite"
  uint64_t calls = 0;
  uint64_t bytes = 0;  // that were read or written, as the function says
  uint64_t ticks = 0;  // of the time-stamp counter
  SCALEDIAG_FIELDS(function, calls, bytes, ticks)
};

// A place that calls one of these functions, or several: return addresses in the modules of an epoch, the innermost
// first.
struct FilePlace {
  uint32_t place = 0;  // its number
  std::string function;
  uint32_t epoch = 0;
  std::vector<uint64_t> frames;
  SCALEDIAG_FIELDS(place, function, epoch, frames)
};

// A part of the FileTotals of the place's function.
struct FilePlaceTotals {
  uint32_t place = 0;
  uint64_t calls = 0, bytes = 0, ticks = 0;
  SCALEDIAG_FIELDS(place, calls, bytes, ticks)
};

// A place that calls a function of a GPU's library: return addresses in the modules of an epoch, the innermost first.
// Empty frames: calls from inside MPI, or those that found no room among the places that are kept.
struct GpuPlace {
  uint32_t place = 0;    // its number
  std::string function;  // "cudaLaunchKernel"
  uint32_t kind = 0;     // a GpuCallKind
  std::string detail;    // of a launch the kernel's name in the program's symbols; of a copy its direction; or empty
  uint32_t in_mpi = 0;   // 1: MPI made the calls
  uint32_t epoch = 0;
  std::vector<uint64_t> frames;
  SCALEDIAG_FIELDS(place, function, kind, detail, in_mpi, epoch, frames)
};

struct GpuPlaceTotals {
  uint32_t place = 0;
  uint64_t calls = 0, bytes = 0;
  uint64_t main_ticks = 0, other_ticks = 0;  // of the time-stamp counter, in calls of the main thread and of others
  uint64_t device_ns = 0;                    // that the device took; timed_calls of the calls are in it
  uint64_t timed_calls = 0;
  SCALEDIAG_FIELDS(place, calls, bytes, main_ticks, other_ticks, device_ns, timed_calls)
};

// The devices of the rank, and the state of timing them.
struct GpuUse {
  std::string visible;   // the variable that limits them with its value, "CUDA_VISIBLE_DEVICES=0"; empty: none is set
  std::string device;    // on which it launched first: its PCI address, or else its number among the visible; or empty
  std::string timed_by;  // the source of device_ns: "CUPTI", "events, since REASON"; empty: there is none
  std::string problem;   // the reason why there is none although it was asked for; empty: none
  SCALEDIAG_FIELDS(visible, device, timed_by, problem)
};

struct Footer {
  uint64_t samples = 0, lost_samples = 0;
  uint32_t chunks = 0;  // before this one
  uint32_t crc = 0;     // over their headers' crc fields in order
  SCALEDIAG_FIELDS(samples, lost_samples, chunks, crc)
};

// For templates that take records only.
template <class Record> using IfRecord = decltype(std::declval<Record&>().fields());

template <class Record, class = IfRecord<Record>> bool operator==(const Record& a, const Record& b) {
  return a.fields() == b.fields();
}
template <class Record, class = IfRecord<Record>> bool operator<(const Record& a, const Record& b) {
  return a.fields() < b.fields();
}

inline void put(Encoder& e, uint32_t v) { e.u32(v); }
inline void put(Encoder& e, uint64_t v) { e.u64(v); }
inline void put(Encoder& e, Phase v) { e.u32(static_cast<uint32_t>(v)); }
inline void put(Encoder& e, const std::string& v) { e.string(v); }
template <class Record, class = IfRecord<Record>> void put(Encoder& e, const Record& record) {
  std::apply([&](const auto&... field) { (put(e, field), ...); }, record.fields());
}
template <class Element> void put(Encoder& e, const std::vector<Element>& elements) {
  e.u32(static_cast<uint32_t>(elements.size()));
  for (const Element& element : elements) put(e, element);
}

inline void get(Decoder& d, uint32_t& v) { v = d.u32(); }
inline void get(Decoder& d, uint64_t& v) { v = d.u64(); }
inline void get(Decoder& d, Phase& v) { v = static_cast<Phase>(d.u32()); }
inline void get(Decoder& d, std::string& v) { v = d.string(); }
template <class Record, class = IfRecord<Record>> void get(Decoder& d, Record& record) {
  std::apply([&](auto&... field) { (get(d, field), ...); }, record.fields());
}
// Grows with what is read, so that a wrong number allocates no more than the payload has.
template <class Element> void get(Decoder& d, std::vector<Element>& elements) {
  const uint32_t n = d.u32();
  for (uint32_t i = 0; i < n && d.ok(); ++i) {
    Element element{};
    get(d, element);
    if (d.ok()) elements.push_back(std::move(element));
  }
}

// Encodes a vector of which the number of elements is known at the end only.
class ListEncoder {
 public:
  explicit ListEncoder(Encoder& to) : to_(to), at_(to.size()) { to.u32(0); }
  // An element of one or several parts.
  template <class... Part> void add(const Part&... parts) {
    (put(to_, parts), ...);
    to_.set_u32(at_, ++n_);
  }
  uint32_t size() const { return n_; }

 private:
  Encoder& to_;
  size_t at_;
  uint32_t n_ = 0;
};

}  // namespace scalediag::raw
