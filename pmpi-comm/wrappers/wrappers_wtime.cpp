// MPI_Wtime, which gives the emulated time where `scalediag emulate --virtual-wtime` asks for it.
#include <atomic>
#include <optional>

#include "pmpi-comm/mpi_library.h"
#include "pmpi-comm/own_work.h"
#include "pmpi-comm/thread_state.h"
#include "pmpi-comm/trace/trace_recorder.h"
#include "pmpi-comm/wrappers/wrapper.h"

using namespace scalediag::pmpi;

namespace {

double time_s(std::atomic<void*>& next, const char* symbol) {
  ThreadState* const state = recording.load(std::memory_order_relaxed) ? this_thread : nullptr;
  if (state != nullptr && state->trace != nullptr && state->depth == 0 &&
      state->thread_class == scalediag::raw::kMainThread) {
    const OwnWork own(*state);
    if (const std::optional<double> virtual_s = state->trace->virtual_time_s()) return *virtual_s;
  }
  void* real = next.load(std::memory_order_relaxed);
  if (real == nullptr) {
    real = next_symbol(symbol);
    next.store(real, std::memory_order_relaxed);
  }
  return real != nullptr ? reinterpret_cast<double (*)()>(real)() : 0;
}

}  // namespace

#define SCALEDIAG_WTIME(symbol, real) \
  SCALEDIAG_EXPORT double symbol() {  \
    static std::atomic<void*> next;   \
    return time_s(next, real);        \
  }

SCALEDIAG_WTIME(MPI_Wtime, "PMPI_Wtime")
SCALEDIAG_WTIME(mpi_wtime_, "mpi_wtime_")
SCALEDIAG_WTIME(mpi_wtime__, "mpi_wtime__")
SCALEDIAG_WTIME(mpi_wtime_f08_, "mpi_wtime_f08_")
