#include "collector/inject/gpu/device_activity.h"

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "collector/inject/lock_deadline.h"
#include "core/raw/gpu_functions.h"

namespace scalediag::inject::gpu {
namespace {

constexpr uint32_t kMemcpy = 1, kKernel = 3, kConcurrentKernel = 10;  // CUpti_ActivityKind
// CUpti_ActivityFlag: buffers with records that are not complete come too, which are not timed (0) and left out.
constexpr uint32_t kForced = 1;
constexpr size_t kCopyKindAt = 4, kStartAt = 16, kEndAt = 24, kNameAt = 104;
constexpr size_t kBufferBytes = 1 << 20, kBufferAlignment = 8;

using TakeBuffer = void (*)(uint8_t** buffer, size_t* size, size_t* most_records);
using GiveBuffer = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t used);
struct Cupti {
  int (*register_callbacks)(TakeBuffer, GiveBuffer) = nullptr;
  int (*enable)(uint32_t kind) = nullptr;
  int (*disable)(uint32_t kind) = nullptr;
  int (*flush_all)(uint32_t flag) = nullptr;
  int (*next_record)(uint8_t* buffer, size_t used, unsigned char** record) = nullptr;
};
Cupti cupti;
std::atomic<bool> is_recording{false};

std::atomic<bool> is_over{false};

struct Works {
  std::timed_mutex lock;
  std::map<std::pair<bool, std::string>, size_t> numbers;  // by whether it is a kernel, and its name or direction
  std::vector<DeviceWork> all;
};
// The thread that holds the lock may have been stopped by a signal whose handler ends the process.
constexpr std::chrono::seconds kPatience{1};
// Never destroyed: threads of CUPTI may hand over records while the process ends.
Works& works() {
  static Works* const shared = new Works;
  return *shared;
}

template <class T> T at(const unsigned char* record, size_t offset) {
  T value;
  std::memcpy(&value, record + offset, sizeof value);
  return value;
}

// A CUpti_ActivityMemcpyKind: copies from and to arrays count as those of the same memories.
uint32_t direction_of(uint8_t copy_kind) {
  switch (copy_kind) {
    case 1:  // HTOD
    case 3:  // HTOA
      return raw::kToDevice;
    case 2:  // DTOH
    case 4:  // ATOH
      return raw::kToHost;
    case 5:   // ATOA
    case 6:   // ATOD
    case 7:   // DTOA
    case 8:   // DTOD
    case 10:  // PTOP
      return raw::kOnDevice;
    case 9: return 0;  // HTOH
    default: return raw::kUnknownDirection;
  }
}

void take_buffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *most_records = 0;  // as many as there is room for
}

void give_buffer(void* /*context*/, uint32_t /*stream*/, uint8_t* buffer, size_t /*size*/, size_t used) {
  unsigned char* record = nullptr;
  while (used > 0 && !is_over.load(std::memory_order_acquire) && cupti.next_record(buffer, used, &record) == 0)
    add_activity(record);
  std::free(buffer);
}

void* open_cupti() {
  for (const char* name : {"libcupti.so", "libcupti.so.13", "libcupti.so.12"}) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const folder = std::getenv(variable);
    char path[4096];
    if (folder == nullptr) continue;
    const int n = std::snprintf(path, sizeof path, "%s/extras/CUPTI/lib64/libcupti.so", folder);
    if (n < 0 || static_cast<size_t>(n) >= sizeof path) continue;
    if (void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <class Function> bool find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

const char* start() {
  void* const library = open_cupti();
  if (library == nullptr) return "libcupti.so was not found";
  if (!find(library, cupti.register_callbacks, "cuptiActivityRegisterCallbacks") ||
      !find(library, cupti.enable, "cuptiActivityEnable") || !find(library, cupti.disable, "cuptiActivityDisable") ||
      !find(library, cupti.flush_all, "cuptiActivityFlushAll") ||
      !find(library, cupti.next_record, "cuptiActivityGetNextRecord")) {
    return "libcupti.so has no activity API";
  }
  if (cupti.register_callbacks(take_buffer, give_buffer) != 0) return "CUPTI takes no callbacks";
  if (cupti.enable(kConcurrentKernel) != 0) return "CUPTI records no kernels";
  if (cupti.enable(kMemcpy) != 0) {
    cupti.disable(kConcurrentKernel);
    return "CUPTI records no copies";
  }
  is_recording.store(true, std::memory_order_release);
  return nullptr;
}

}  // namespace

const char* start_activity() {
  static const char* const why_not = start();
  return why_not;
}

bool records_activity() { return is_recording.load(std::memory_order_acquire); }

void collect_activity() {
  if (records_activity()) cupti.flush_all(kForced);
}

void end_activity() { is_over.store(true, std::memory_order_release); }

bool add_activity(const unsigned char* record) {
  const auto kind = at<uint32_t>(record, 0);
  DeviceWork work;
  work.is_kernel = kind == kKernel || kind == kConcurrentKernel;
  if (!work.is_kernel && kind != kMemcpy) return false;
  const auto begin_ns = at<uint64_t>(record, kStartAt), end_ns = at<uint64_t>(record, kEndAt);
  if (begin_ns == 0 || end_ns < begin_ns) return true;  // CUPTI says 0 where it does not know
  try {
    if (work.is_kernel) {
      const char* const name = at<const char*>(record, kNameAt);
      work.name = name != nullptr ? name : "";
    } else {
      work.direction = direction_of(at<uint8_t>(record, kCopyKindAt));
    }
    Works& to = works();
    const std::unique_lock<std::timed_mutex> guard(to.lock, deadline_after(kPatience));
    if (!guard.owns_lock()) return true;  // the record is lost
    const std::string key = work.is_kernel ? work.name : raw::kGpuDirections[work.direction];
    const auto [number, is_new] = to.numbers.try_emplace({work.is_kernel, key}, to.all.size());
    if (is_new) to.all.push_back(work);
    to.all[number->second].ns += end_ns - begin_ns;
    ++to.all[number->second].count;
  } catch (const std::bad_alloc&) {
    // The record is lost.
  }
  return true;
}

std::vector<DeviceWork> device_work() {
  Works& from = works();
  const std::unique_lock<std::timed_mutex> guard(from.lock, deadline_after(kPatience));
  return guard.owns_lock() ? from.all : std::vector<DeviceWork>{};
}

}  // namespace scalediag::inject::gpu
