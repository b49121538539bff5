#include "collector/inject/interposing/device_timer.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "collector/inject/gpu/gpu_calls.h"
#include "collector/inject/interposing/gpu_original.h"

namespace scalediag::inject::gpu {
namespace {

constexpr size_t kMostPairs = 4096;  // that are not read yet, or wait to be used again

// The functions that are used of a library, found once.
struct EventFunctions {
  int (*create)(void**, unsigned) = nullptr;
  int (*record)(void*, void*) = nullptr;
  int (*query)(void*) = nullptr;
  int (*elapsed)(float*, void*, void*) = nullptr;
  int (*is_capturing)(void*, int*) = nullptr;
  bool usable() const { return create != nullptr && record != nullptr && query != nullptr && elapsed != nullptr; }
};

template <class Function> void find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(find_original(name));
}

EventFunctions find_functions(bool is_hip) {
  EventFunctions f;
  find(f.create, is_hip ? "hipEventCreateWithFlags" : "cudaEventCreateWithFlags");
  if (is_hip || f.create != nullptr) {
    find(f.record, is_hip ? "hipEventRecord" : "cudaEventRecord");
    find(f.query, is_hip ? "hipEventQuery" : "cudaEventQuery");
    find(f.elapsed, is_hip ? "hipEventElapsedTime" : "cudaEventElapsedTime");
    find(f.is_capturing, is_hip ? "hipStreamIsCapturing" : "cudaStreamIsCapturing");
  } else {
    find(f.create, "cuEventCreate");
    find(f.record, "cuEventRecord");
    find(f.query, "cuEventQuery");
    find(f.elapsed, "cuEventElapsedTime");
    find(f.is_capturing, "cuStreamIsCapturing");
  }
  if (!f.usable()) set_problem("the GPU's library has no events");
  return f;
}

const EventFunctions& functions_of(bool is_hip) {
  if (is_hip) {
    static const EventFunctions hip = find_functions(true);
    return hip;
  }
  static const EventFunctions cuda = find_functions(false);
  return cuda;
}

struct Pair {
  TimedCall timed;
  uint32_t place = 0;
};

// The pairs that are open, in the order of their launches, and those that may be used again. A thread that does not get
// them at once goes without.
class Pairs {
 public:
  bool try_lock() { return !taken_.exchange(true, std::memory_order_acquire); }
  void unlock() { taken_.store(false, std::memory_order_release); }

  Pair open[kMostPairs];
  size_t n_open = 0;
  TimedCall free[kMostPairs];
  size_t n_free = 0;
  size_t refused = 0;  // launches that found no room

 private:
  std::atomic<bool> taken_{false};
};
Pairs pairs;
std::atomic<uint64_t> new_traced_ns{0};

// NCCL is CUDA's, and RCCL, whose functions have the same names, HIP's.
bool is_of_hip(const char* function) {
  if (function[0] != 'n') return function[0] == 'h';
  static const bool has_cuda = find_original("cudaEventRecord") != nullptr || find_original("cuEventRecord") != nullptr;
  return !has_cuda;
}

// Moves the times of pairs that are done to their places. The pairs are locked.
void collect_locked() {
  size_t kept = 0;
  for (size_t i = 0; i < pairs.n_open; ++i) {
    const Pair& p = pairs.open[i];
    const EventFunctions& f = functions_of(p.timed.is_hip);
    if (f.query(p.timed.last) != 0) {
      pairs.open[kept++] = p;
      continue;
    }
    float elapsed_ms = 0;
    if (f.elapsed(&elapsed_ms, p.timed.first, p.timed.last) == 0 && elapsed_ms >= 0) {
      const auto ns = static_cast<uint64_t>(std::llround(static_cast<double>(elapsed_ms) * 1e6));
      if (mode() == Mode::kEvents) add_device_time(p.place, ns);  // else CUPTI has it, too
      if (p.timed.is_traced) new_traced_ns.fetch_add(ns, std::memory_order_relaxed);
    }
    if (pairs.n_free < kMostPairs) pairs.free[pairs.n_free++] = p.timed;
  }
  pairs.n_open = kept;
}

}  // namespace

TimedCall begin_timed(const char* function, void* stream) {
  const bool is_hip = is_of_hip(function);
  const EventFunctions& f = functions_of(is_hip);
  if (!f.usable()) return {};
  int capturing = 0;
  if (f.is_capturing != nullptr && (f.is_capturing(stream, &capturing) != 0 || capturing != 0)) return {};
  TimedCall timed;
  timed.is_hip = is_hip;
  if (!pairs.try_lock()) return {};
  // A device that is far behind is not asked about all pairs at every launch.
  if (pairs.n_open == kMostPairs && ++pairs.refused % 256 == 1) collect_locked();
  const bool has_room = pairs.n_open < kMostPairs;
  for (size_t i = pairs.n_free; has_room && i-- > 0;) {
    if (pairs.free[i].is_hip != is_hip) continue;
    timed = pairs.free[i];
    timed.is_traced = false;
    pairs.free[i] = pairs.free[--pairs.n_free];
    break;
  }
  pairs.unlock();
  if (!has_room) return {};
  if (timed.first == nullptr && (f.create(&timed.first, 0) != 0 || f.create(&timed.last, 0) != 0)) return {};
  if (f.record(timed.first, stream) != 0) {
    drop_timed(timed);
    return {};
  }
  return timed;
}

void end_timed(const TimedCall& timed, void* stream, uint32_t place) {
  if (timed.first == nullptr) return;
  if (functions_of(timed.is_hip).record(timed.last, stream) != 0 || place == 0 || !pairs.try_lock()) {
    return drop_timed(timed);
  }
  if (pairs.n_open < kMostPairs) pairs.open[pairs.n_open++] = {timed, place};
  pairs.unlock();
}

void drop_timed(const TimedCall& timed) {
  if (timed.first == nullptr || !pairs.try_lock()) return;
  if (pairs.n_free < kMostPairs) pairs.free[pairs.n_free++] = timed;
  pairs.unlock();
}

void collect_timed() {
  if (!pairs.try_lock()) return;
  collect_locked();
  pairs.unlock();
}

uint64_t take_traced_ns() { return new_traced_ns.exchange(0, std::memory_order_relaxed); }

}  // namespace scalediag::inject::gpu
