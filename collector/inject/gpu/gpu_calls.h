// Calls of GPUs' libraries: how often, with how many bytes, how long the host was in them, by the place that made them.
//
// A library's runtime calls its driver: the outermost call on a thread is counted, and no other. Calls from inside MPI
// are counted apart, without a place, since their time is MPI's. Nothing here takes a lock or allocates while the
// program runs, but for the names of kernels, which are kept when a kernel is registered.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/inject/gpu/gpu_table.h"
#include "core/raw/gpu_functions.h"
#include "core/raw/raw_records.h"
#include "pmpi-comm/stack_walk.h"
#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::inject::gpu {

// The part of a call that tells it from others of the same function.
enum class DetailKind : uint8_t { kNone, kDirection, kKernel, kGraph, kRanks };

struct Detail {
  DetailKind kind = DetailKind::kNone;
  uint32_t value = 0;  // a direction, the number of a kernel's name (0: not known), a number of ranks
  void* stream = nullptr;
  bool has_stream = false;  // the call says in which stream
  // The communicator, and the root or the other rank, -1 where there is none; for communication.
  void* communicator = nullptr;
  int peer = -1;
  // The place to which the address of allocated memory will be written, and the address of memory that is freed.
  const void* made = nullptr;
  uintptr_t freed = 0;
  // The host's buffer of a copy to the host.
  uintptr_t copied_to = 0;
  Detail into(const void* host) const {
    Detail with = *this;
    if (kind == DetailKind::kDirection && value == raw::kToHost) with.copied_to = reinterpret_cast<uintptr_t>(host);
    return with;
  }
  Detail on(void* its) const {
    Detail with = *this;
    with.stream = its;
    with.has_stream = true;
    return with;
  }
};

inline Detail none() { return {}; }
inline Detail making(const void* at) {
  Detail detail;
  detail.made = at;
  return detail;
}
inline Detail freeing(const void* address) {
  Detail detail;
  detail.freed = reinterpret_cast<uintptr_t>(address);
  return detail;
}
inline Detail freeing(unsigned long long address) { return freeing(reinterpret_cast<const void*>(address)); }
// Notes memory that a call allocated, or to which it copied on the host. To be called when the call has succeeded,
// whether calls are counted or not.
void note_memory(const Detail& detail, uint64_t bytes);
// Memory that a call frees. It is forgotten before the call, since another thread may be given the address before that
// returns, and remembered again where the call fails.
class FreedMemory {
 public:
  explicit FreedMemory(const Detail& detail);
  void failed() const;

 private:
  uintptr_t address_;
  uint64_t bytes_;
};
inline Detail graph() { return {DetailKind::kGraph, 0}; }
// `way` as cudaMemcpyKind numbers it.
inline Detail direction(int way) {
  const bool is_known = way >= 0 && way < static_cast<int>(raw::kUnknownDirection);
  return {DetailKind::kDirection, is_known ? static_cast<uint32_t>(way) : raw::kUnknownDirection};
}
// The detail of a launch: the kernel, by the address of its host function or by its handle.
Detail kernel(const void* function);
// The detail of communication: the number of ranks that take part.
inline Detail ranks(int n) { return {DetailKind::kRanks, static_cast<uint32_t>(n > 0 ? n : 0)}; }

// To be called when the program registers a kernel or asks for its handle, which may be before this library is
// initialised. `name` is copied.
void register_kernel(const void* function, const char* name);

// The name under which `function` is registered; null where it is not.
const char* kernel_name(const void* function);

// kHost: calls are counted. kEvents: and the device's time is known by pairs of events. kActivity: or by CUPTI.
enum class Mode { kOff, kHost, kEvents, kActivity };
// Before the program runs, and where CUPTI cannot be had. kOff: nothing is counted.
void set_mode(Mode mode);
Mode mode();

// True where a call of this thread is to be counted: recording goes on, and it is in no other call.
bool counts_here();

// The calling thread is in a call that is counted, as long as it lives: the calls within are not counted, and samples
// are charged to the device. `in_mpi()`: MPI made the call.
class InsideCall {
 public:
  InsideCall();
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;
  ~InsideCall();
  bool in_mpi() const { return in_mpi_; }

 private:
  bool in_mpi_ = false;
};

// The recorder of the calling thread's trace, where it has one and the call is not MPI's; else null.
pmpi::TraceRecorder* trace_of_thread(bool in_mpi);

// Adds a call. Returns where its device time is to be added, 0: nowhere.
uint32_t add(const Function& function, const Detail& detail, pmpi::Caller caller, uint64_t bytes, uint64_t ticks,
             bool in_mpi);
void add_device_time(uint32_t place, uint64_t ns);

// The reason why CUPTI is not taken, a constant.
void set_no_activity(const char* why);
// True once, while the device of the rank is not known. set_device() is to be called by a thread of the application.
bool wants_device();
void set_device(const char* device);
void set_problem(const char* problem);

inline uint32_t number_of(const Function& function) { return static_cast<uint32_t>(&function - kFunctionTable); }

// The counts up to now. Places have no epoch yet.
struct Record {
  std::vector<raw::GpuPlace> places;
  std::vector<raw::GpuPlaceTotals> totals;  // of the same places
  raw::GpuUse use;
};
Record record();

}  // namespace scalediag::inject::gpu
