#include "collector/inject/gpu/gpu_calls.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "collector/inject/calling_places.h"
#include "collector/inject/gpu/device_activity.h"
#include "core/mpi_routines.h"
#include "pmpi-comm/device_memory.h"
#include "pmpi-comm/own_work.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::inject::gpu {
namespace {

constexpr uint32_t kMostKernels = 1 << 16;
constexpr size_t kMostSteps = 64;  // from the first entry of a kernel to its own

struct KernelEntry {
  std::atomic<const void*> function;
  std::atomic<const char*> name;
};
KernelEntry kernels[kMostKernels];  // by a hash of the function; number i + 1

size_t first_kernel_slot(const void* function) {
  return (reinterpret_cast<uintptr_t>(function) * 0x9E3779B97F4A7C15u >> 40) % kMostKernels;
}

struct CallTotals {
  std::atomic<uint64_t> calls, bytes, main_ticks, other_ticks, device_ns, timed_calls;
  void add(uint64_t more_bytes, uint64_t ticks, bool on_main) {
    calls.fetch_add(1, std::memory_order_relaxed);
    if (more_bytes > 0) bytes.fetch_add(more_bytes, std::memory_order_relaxed);
    (on_main ? main_ticks : other_ticks).fetch_add(ticks, std::memory_order_relaxed);
  }
};

CallingPlaces gpu_places;
CallTotals totals_of_gpu_places[CallingPlaces::kMost];
// Calls from inside MPI, and those without room for a place, by function and direction.
constexpr uint32_t kDirections = raw::kUnknownDirection + 1;
CallTotals without_gpu_place[2][kFunctions][kDirections];
// Numbers of these beyond those of places.
uint32_t number_without_place(bool in_mpi, size_t function, uint32_t way) {
  const auto index = ((in_mpi ? kFunctions : 0) + function) * kDirections + way;
  return CallingPlaces::kMost + 1 + static_cast<uint32_t>(index);
}

std::atomic<Mode> mode_now{Mode::kOff};
std::atomic<bool> device_is_noted{false};
std::atomic<const char*> device_of_rank{nullptr}, visible_to_rank{nullptr};
std::atomic<const char*> problem_of_timing{nullptr}, no_activity{nullptr};

__thread int gpu_depth __attribute__((tls_model("initial-exec"))) = 0;

// A function and a detail in one number: kFunctions < 2^10, details < 2^19.
constexpr uint32_t kDetailBits = 19;
static_assert(kFunctions < 1 << 10);
uint32_t key_of(size_t function, const Detail& detail) {
  const uint32_t value = std::min(detail.value, (1u << kDetailBits) - 1);
  return static_cast<uint32_t>(detail.kind) << 29 | static_cast<uint32_t>(function) << kDetailBits | value;
}

std::string text_of(DetailKind kind, uint32_t value) {
  switch (kind) {
    case DetailKind::kDirection: return raw::kGpuDirections[std::min(value, raw::kUnknownDirection)];
    case DetailKind::kKernel: {
      const char* name = value > 0 ? kernels[value - 1].name.load(std::memory_order_acquire) : nullptr;
      return name != nullptr ? name : "";
    }
    case DetailKind::kGraph: return "[graph]";
    case DetailKind::kRanks: return std::to_string(value) + (value == 1 ? " rank" : " ranks");
    case DetailKind::kNone: break;
  }
  return "";
}

raw::GpuPlaceTotals totals_of(uint32_t number, const CallTotals& t) {
  const auto get = [](const std::atomic<uint64_t>& v) { return v.load(std::memory_order_relaxed); };
  return {number,           get(t.calls),      get(t.bytes), get(t.main_ticks), get(t.other_ticks),
          get(t.device_ns), get(t.timed_calls)};
}

// "NAME=value", which is kept; null where nothing limits them. To be called by a thread of the application, which alone
// may change the environment.
const char* visible_devices() {
  for (const char* variable :
       {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"}) {
    const char* const value = std::getenv(variable);
    char* text = nullptr;
    if (value != nullptr && asprintf(&text, "%s=%s", variable, value) > 0) return text;
  }
  return nullptr;
}

// The rows of MPI's routines that were given memory of a device.
constexpr uint32_t kAfterPlaces = CallingPlaces::kMost + 1 + 2 * kFunctions * kDirections;
constexpr uint32_t kAfterMessages = kAfterPlaces + 2 * pmpi::kCountedRoutines;
void add_device_messages(Record& record) {
  for (const pmpi::Origin origin : pmpi::kOrigins) {
    const bool is_device = origin == pmpi::Origin::kDevice;
    for (uint32_t routine = 0; routine < pmpi::kCountedRoutines; ++routine) {
      const pmpi::DeviceCalls& of = pmpi::device_calls(origin, routine);
      const uint64_t calls = of.calls.load(std::memory_order_relaxed);
      if (calls == 0) continue;
      const uint32_t number = (is_device ? kAfterPlaces : kAfterPlaces + pmpi::kCountedRoutines) + routine;
      record.places.push_back({number,
                               std::string(pmpi::kRoutineTable[routine].name),
                               static_cast<uint32_t>(raw::GpuCallKind::kMessage),
                               raw::kGpuMessageOrigins[is_device ? 0 : 1],
                               1,
                               0,
                               {}});
      record.totals.push_back({number, calls, of.bytes.load(std::memory_order_relaxed), 0, 0, 0, 0});
    }
  }
}

bool may_begin(uint32_t kind_of_call, const DeviceWork& work) {
  const auto kind = static_cast<raw::GpuCallKind>(kind_of_call);
  return work.is_kernel ? kind == raw::GpuCallKind::kLaunch
                        : kind == raw::GpuCallKind::kCopy || kind == raw::GpuCallKind::kCopyWait;
}

// The rows of what CUPTI has recorded: of the function that was seen to launch a kernel of the name, or to copy in the
// direction; else of none, as of a graph's kernels. They have times and no calls.
void add_device_work(Record& record) {
  const size_t n_called = record.places.size();
  uint32_t number = kAfterMessages;
  for (const DeviceWork& work : device_work()) {
    const bool communicates = work.is_kernel && work.name.rfind("nccl", 0) == 0;
    const auto kind = communicates     ? raw::GpuCallKind::kCollective
                      : work.is_kernel ? raw::GpuCallKind::kLaunch
                                       : raw::GpuCallKind::kCopy;
    raw::GpuPlace place{++number, "[device]", static_cast<uint32_t>(kind), work.name, 0, 0, {}};
    if (!work.is_kernel) place.detail = raw::kGpuDirections[work.direction];
    for (size_t i = 0; i < n_called && !place.detail.empty(); ++i) {
      if (record.places[i].in_mpi != 0 || record.places[i].detail != place.detail) continue;
      if (!may_begin(record.places[i].kind, work)) continue;
      place.function = record.places[i].function;
      place.kind = record.places[i].kind;
      break;
    }
    record.places.push_back(std::move(place));
    record.totals.push_back({number, 0, 0, 0, 0, work.ns, work.count});
  }
}

}  // namespace

Detail kernel(const void* function) {
  const size_t first = first_kernel_slot(function);
  for (size_t i = 0; i < kMostSteps; ++i) {
    const size_t at = (first + i) % kMostKernels;
    const void* const there = kernels[at].function.load(std::memory_order_acquire);
    if (there == function) return {DetailKind::kKernel, static_cast<uint32_t>(at + 1)};
    if (there == nullptr) break;
  }
  return {DetailKind::kKernel, 0};
}

void register_kernel(const void* function, const char* name) {
  if (function == nullptr || name == nullptr) return;
  const size_t first = first_kernel_slot(function);
  for (size_t i = 0; i < kMostSteps; ++i) {
    KernelEntry& entry = kernels[(first + i) % kMostKernels];
    const void* there = nullptr;
    const bool is_new = entry.function.compare_exchange_strong(there, function, std::memory_order_acq_rel);
    if (!is_new && there != function) continue;
    // A handle whose module was unloaded may be another kernel's: the name is the last one's. The former one is kept,
    // since another thread may read it.
    const char* const before = entry.name.load(std::memory_order_acquire);
    if (before != nullptr && std::strcmp(before, name) == 0) return;
    if (const char* copy = strdup(name)) entry.name.store(copy, std::memory_order_release);
    return;
  }
}

const char* kernel_name(const void* function) {
  const size_t first = first_kernel_slot(function);
  for (size_t i = 0; i < kMostSteps; ++i) {
    const KernelEntry& entry = kernels[(first + i) % kMostKernels];
    const void* const there = entry.function.load(std::memory_order_acquire);
    if (there == function) return entry.name.load(std::memory_order_acquire);
    if (there == nullptr) break;
  }
  return nullptr;
}

void note_memory(const Detail& detail, uint64_t bytes) {
  uintptr_t address = 0;
  if (detail.made != nullptr) std::memcpy(&address, detail.made, sizeof address);
  pmpi::device_memory.add(address, bytes);
  pmpi::copied_memory.add(detail.copied_to, bytes);
}

FreedMemory::FreedMemory(const Detail& detail)
    : address_(detail.freed), bytes_(pmpi::device_memory.remove(detail.freed)) {}
void FreedMemory::failed() const { pmpi::device_memory.add(address_, bytes_); }

void set_mode(Mode mode) { mode_now.store(mode, std::memory_order_relaxed); }
Mode mode() { return mode_now.load(std::memory_order_relaxed); }

bool counts_here() { return gpu_depth == 0 && pmpi::recording.load(std::memory_order_relaxed) && mode() != Mode::kOff; }

InsideCall::InsideCall() {
  ++gpu_depth;
  pmpi::ThreadState* const thread = pmpi::this_thread;
  if (thread == nullptr) return;
  in_mpi_ = thread->depth > 0;
  if (in_mpi_) return;
  pmpi::drain(*thread);
  thread->operation.store(raw::kInGpuCall, std::memory_order_relaxed);
}

InsideCall::~InsideCall() {
  --gpu_depth;
  pmpi::ThreadState* const thread = pmpi::this_thread;
  if (thread == nullptr || in_mpi_) return;
  pmpi::drain(*thread);
  thread->operation.store(raw::kOutsideMpi, std::memory_order_relaxed);
}

pmpi::TraceRecorder* trace_of_thread(bool in_mpi) {
  const pmpi::ThreadState* const thread = pmpi::this_thread;
  return !in_mpi && thread != nullptr && thread->thread_class == raw::kMainThread ? thread->trace : nullptr;
}

uint32_t add(const Function& function, const Detail& detail, pmpi::Caller caller, uint64_t bytes, uint64_t ticks,
             bool in_mpi) {
  const uint32_t index = number_of(function);
  const pmpi::ThreadState* const thread = pmpi::this_thread;
  const bool on_main = thread != nullptr && thread->thread_class == raw::kMainThread;
  const uint32_t place = in_mpi ? 0 : gpu_places.place_of(key_of(index, detail), caller, raw::is_gpu_layer);
  if (place != 0) {
    totals_of_gpu_places[place - 1].add(bytes, ticks, on_main);
    return place;
  }
  const uint32_t way = detail.kind == DetailKind::kDirection ? std::min(detail.value, raw::kUnknownDirection) : 0;
  without_gpu_place[in_mpi ? 1 : 0][index][way].add(bytes, ticks, on_main);
  return 0;
}

void add_device_time(uint32_t place, uint64_t ns) {
  if (place == 0 || place > CallingPlaces::kMost) return;
  totals_of_gpu_places[place - 1].device_ns.fetch_add(ns, std::memory_order_relaxed);
  totals_of_gpu_places[place - 1].timed_calls.fetch_add(1, std::memory_order_relaxed);
}

bool wants_device() { return !device_is_noted.load(std::memory_order_relaxed) && !device_is_noted.exchange(true); }

void set_device(const char* device) {
  visible_to_rank.store(visible_devices(), std::memory_order_release);
  device_of_rank.store(strdup(device), std::memory_order_release);
}

void set_no_activity(const char* why) { no_activity.store(why, std::memory_order_release); }

void set_problem(const char* problem) { problem_of_timing.store(problem, std::memory_order_release); }

Record record() {
  Record record;
  gpu_places.each([&](uint32_t number, uint32_t key, const uintptr_t* frames, uint32_t n) {
    const Function& f = kFunctionTable[(key >> kDetailBits) & ((1u << 10) - 1)];
    record.places.push_back({number,
                             f.name,
                             static_cast<uint32_t>(f.kind),
                             text_of(static_cast<DetailKind>(key >> 29), key & ((1u << kDetailBits) - 1)),
                             0,
                             0,
                             {frames, frames + n}});
  });
  std::sort(record.places.begin(), record.places.end(),
            [](const raw::GpuPlace& a, const raw::GpuPlace& b) { return a.place < b.place; });
  for (const raw::GpuPlace& p : record.places) {
    record.totals.push_back(totals_of(p.place, totals_of_gpu_places[p.place - 1]));
  }
  for (const bool in_mpi : {false, true}) {
    for (size_t f = 0; f < kFunctions; ++f) {
      for (uint32_t way = 0; way < kDirections; ++way) {
        const uint32_t number = number_without_place(in_mpi, f, way);
        const raw::GpuPlaceTotals totals = totals_of(number, without_gpu_place[in_mpi ? 1 : 0][f][way]);
        if (totals.calls == 0) continue;
        const Function& function = kFunctionTable[f];
        const bool copies = function.kind == raw::GpuCallKind::kCopy || function.kind == raw::GpuCallKind::kCopyWait;
        record.places.push_back({number,
                                 function.name,
                                 static_cast<uint32_t>(function.kind),
                                 copies ? raw::kGpuDirections[way] : "",
                                 in_mpi ? 1u : 0u,
                                 0,
                                 {}});
        record.totals.push_back(totals);
      }
    }
  }
  if (record.places.empty()) return record;
  if (const char* visible = visible_to_rank.load(std::memory_order_acquire)) record.use.visible = visible;
  if (const char* device = device_of_rank.load(std::memory_order_acquire)) record.use.device = device;
  if (const char* problem = problem_of_timing.load(std::memory_order_acquire)) record.use.problem = problem;
  if (records_activity()) {
    add_device_work(record);
    record.use.timed_by = "CUPTI";
  }
  add_device_messages(record);
  if (mode() == Mode::kEvents && record.use.problem.empty()) {
    const char* const why = no_activity.load(std::memory_order_acquire);
    record.use.timed_by = why != nullptr ? std::string("events, since ") + why : "events";
  }
  return record;
}

}  // namespace scalediag::inject::gpu
