#include "collector/inject/unwinding/call_stacks.h"

#include <atomic>

#include "collector/inject/sampling/timer_ring.h"
#include "pmpi-comm/loaded_module.h"

namespace scalediag::inject {
namespace {

constexpr size_t kMostCallers = 200'000;

std::atomic<uint64_t> trampoline{0};

uint32_t root_of(StackEnd end) {
  switch (end) {
    case StackEnd::kWhole: return raw::kWholeStack;
    case StackEnd::kCut: return raw::kCutStack;
    case StackEnd::kNoTable: return raw::kNoTableStack;
    case StackEnd::kMisled: return raw::kMisledStack;
  }
  return raw::kMisledStack;
}

// The number of frames inside MPI: up to the wrapper, the outermost frame of this library.
size_t frames_of_mpi(const std::vector<UnwoundFrame>& frames) {
  static const pmpi::LoadedModule own = pmpi::loaded_module_of(reinterpret_cast<uint64_t>(&set_thread_trampoline));
  const uint64_t thread_start = trampoline.load(std::memory_order_relaxed);
  for (size_t i = frames.size(); i > 0; --i) {
    const UnwoundFrame& f = frames[i - 1];
    if (own.holds(f.address) && (thread_start == 0 || f.function != thread_start)) return i;
  }
  return frames.size();
}

}  // namespace

void set_thread_trampoline(uint64_t function) { trampoline.store(function, std::memory_order_relaxed); }

uint32_t CallStacks::callers_of(const TimerSample& sample, uint32_t epoch) {
  if (sample.stacks == nullptr || sample.stack.bytes == 0) return raw::kUncopiedStack;
  const uint32_t root = root_of(unwinder_.unwind(sample.stacks->copy_of(sample.stack), frames_));
  return add(root, sample.operation == raw::kOutsideMpi ? 1 : frames_of_mpi(frames_), epoch);
}

uint32_t CallStacks::add(uint32_t root, size_t innermost, uint32_t epoch) {
  uint32_t number = root;
  for (size_t i = frames_.size(); i > innermost; --i) {
    const Key key{number, epoch, frames_[i - 1].address};
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) {
      number = known->second;
      continue;
    }
    if (callers_.size() >= kMostCallers) return raw::kUncopiedStack;
    const auto next = static_cast<uint32_t>(raw::kStackRoots + callers_.size());
    callers_.push_back({next, number, epoch, key.address});
    numbers_.emplace(key, next);
    number = next;
  }
  return number;
}

std::vector<raw::Caller> CallStacks::take_new_callers() {
  const std::lock_guard<std::mutex> guard(lock_);
  std::vector<raw::Caller> taken(callers_.begin() + static_cast<ptrdiff_t>(taken_), callers_.end());
  taken_ = callers_.size();
  return taken;
}

}  // namespace scalediag::inject
