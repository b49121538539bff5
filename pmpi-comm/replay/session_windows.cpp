// One-sided communication: what operations bring, and what others put into the rank's windows.
#include <algorithm>
#include <cstring>
#include <utility>

#include "pmpi-comm/replay/session.h"

namespace scalediag::pmpi {
namespace {

// Whether the operations that the rank began are complete after it: all, or with a rank as argument those with that
// one.
bool completes_operations(uint32_t routine) {
  switch (routine) {
    case kWin_fence:
    case kWin_complete:
    case kWin_unlock:
    case kWin_unlock_all:
    case kWin_flush:
    case kWin_flush_all:
    case kWin_flush_local:
    case kWin_flush_local_all: return true;
    default: return false;
  }
}

}  // namespace

LoggedWindow* Session::window_of(uintptr_t handle) {
  const auto found = std::find_if(windows_.begin(), windows_.end(),
                                  [handle](const LoggedWindow& window) { return window.handle == handle; });
  return found != windows_.end() ? &*found : nullptr;
}

// Others may put into a window as soon as it is made, before the call returns here. So the log has what its memory was
// before, or, of memory that MPI allocates, what differs from zeros.
LoggedWindow Session::window_to_make(uint32_t routine, const uintptr_t* values) const {
  LoggedWindow window;
  window.is_mpis = routine == kWin_allocate;
  const auto bytes = static_cast<intptr_t>(values[window.is_mpis ? 0 : 1]);
  window.bytes = static_cast<size_t>(std::max<intptr_t>(0, bytes));
  if (!window.is_mpis) window.memory = reinterpret_cast<char*>(values[0]);
  if (!recording() || window.bytes == 0) return window;
  if (window.is_mpis) {
    window.logged.assign(window.bytes, '\0');
  } else {
    window.logged.assign(window.memory, window.bytes);
  }
  return window;
}

void Session::add_window(uint32_t routine, const uintptr_t* values, LoggedWindow window) {
  window.handle = read_handle(values[kRoutineTable[routine].roles.handle_at]);
  window.number = n_windows_++;
  if (window.is_mpis) {
    window.memory = *reinterpret_cast<char**>(values[4]);
    if (!recording() && window.bytes > 0) std::memset(window.memory, 0, window.bytes);
  }
  windows_.push_back(std::move(window));
}

void Session::forget_window(uintptr_t handle, bool is_mpis) {
  for (size_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i].handle != handle || (is_mpis && !windows_[i].is_mpis)) continue;
    for (AwaitedResult& result : windows_[i].awaited) result.blocks.clear(mpi_);
    windows_.erase(windows_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

void Session::one_sided(uint32_t routine, const Arguments& a, const uintptr_t* values, LoggedWindow* window,
                        std::vector<Block> blocks) {
  const Routine& row = kRoutineTable[routine];
  if (row.roles.flag_at >= 0) log_.pass_bytes(reinterpret_cast<void*>(values[row.roles.flag_at]), sizeof(int));
  const int with = row.roles.peer_at >= 0 ? a.integer(row.roles.peer_at) : 0;
  if (window != nullptr && !blocks.empty()) window->awaited.push_back({with, KeptBlocks(blocks, mpi_)});
  if (row.is_nonblocking()) begin_request(row, values, LoggedRequest::Kind::kNothing, std::move(blocks));
  if (window != nullptr && completes_operations(routine)) {
    for (AwaitedResult& result : window->awaited) {
      if (row.roles.peer_at >= 0 && result.target != with) continue;
      for (Block& block : result.blocks) fill(block, nullptr);
      result.blocks.clear(mpi_);
    }
    const auto is_empty = [](const AwaitedResult& result) { return result.blocks.empty(); };
    window->awaited.erase(std::remove_if(window->awaited.begin(), window->awaited.end(), is_empty),
                          window->awaited.end());
  }
  note_events(1);
}

// Before and after each call that may tell others that they can put, or this rank that they have put. Before: what the
// rank wrote is logged then, since others may put back what was there, which would then be no difference.
void Session::pass_windows() {
  for (LoggedWindow& window : windows_) {
    if (pass_differences(log_, window.memory, window.bytes, window.logged)) continue;
    depart("call " + std::to_string(calls_) + " has no room in window " + std::to_string(window.number) +
           " for what the log has");
  }
}

}  // namespace scalediag::pmpi
