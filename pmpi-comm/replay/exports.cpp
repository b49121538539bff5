// The exported symbols of the library that records and replays: MPI_X and PMPI_X of every routine that it knows. The
// Fortran layers of Open MPI and MPICH call one of the two, with C's handles, statuses and constants, so that C's forms
// are enough.
#include <cstdlib>
#include <string>
#include <utility>

#include "pmpi-comm/replay/exported.h"
#include "pmpi-comm/replay/session.h"
#include "pmpi-comm/ticks.h"
#include "pmpi-comm/wrappers/thunks.h"

using namespace scalediag::pmpi;

namespace {

template <size_t> using Word = uintptr_t;

template <size_t... i> uintptr_t invoke_with(void* function, const uintptr_t* values, std::index_sequence<i...>) {
  return reinterpret_cast<uintptr_t (*)(Word<i>...)>(function)(values[i]...);
}
template <size_t n> uintptr_t invoke(void* function, const uintptr_t* values) {
  return invoke_with(function, values, std::make_index_sequence<n>());
}

template <size_t n> uintptr_t logged(uint32_t routine, Counts counts, NextSymbol& next, const uintptr_t (&values)[n]) {
  const RealCall real{&invoke<n>, next.get()};
  return Session::sees_calls() ? Session::get().call(routine, counts, values, real) : real(values);
}

template <size_t n> uintptr_t answered(uint32_t routine, NextSymbol& next, const uintptr_t (&values)[n]) {
  const RealCall real{&invoke<n>, next.get()};
  return Session::sees_calls() ? Session::get().answered_call(routine, values, real) : real(values);
}

// While MPI of a replay begins: Open MPI's component for windows by remote memory is left out, since it makes none for
// a process alone.
class WithoutRemoteMemory {
 public:
  WithoutRemoteMemory() {
    if (!is_replay_) return;
    const char* found = std::getenv(kName);
    was_set_ = found != nullptr;
    if (was_set_) before_ = found;
    setenv(kName, "^rdma", 1);
  }
  ~WithoutRemoteMemory() {
    if (!is_replay_) return;
    was_set_ ? setenv(kName, before_.c_str(), 1) : unsetenv(kName);
  }
  WithoutRemoteMemory(const WithoutRemoteMemory&) = delete;
  WithoutRemoteMemory& operator=(const WithoutRemoteMemory&) = delete;

 private:
  static constexpr const char* kName = "OMPI_MCA_osc";
  const bool is_replay_ = Session::replays();
  bool was_set_ = false;
  std::string before_;
};

// MPI_Init takes long enough to compare two clocks over it.
template <size_t n> uintptr_t begin(NextSymbol& next, const uintptr_t (&values)[n]) {
  const uint64_t before_ns = monotonic_ns();
  const uint64_t before = ticks();
  uintptr_t result = 0;
  {
    const Session::Inside inside;
    const WithoutRemoteMemory without;
    result = invoke<n>(next.get(), values);
  }
  const auto passed = static_cast<double>(ticks() - before);
  if (static_cast<int>(result) == 0 && passed > 0) {
    Session::get().begin(static_cast<double>(monotonic_ns() - before_ns) / passed);
  }
  return result;
}

uintptr_t end(NextSymbol& next) {
  if (Session::sees_calls()) Session::get().end(kLoggedFinalize);
  const Session::Inside inside;
  return reinterpret_cast<uintptr_t (*)()>(next.get())();
}

uintptr_t abort_all(NextSymbol& next, const uintptr_t (&values)[2]) {
  if (Session::sees_calls()) Session::get().end(kLoggedAbort);
  const Session::Inside inside;
  return invoke<2>(next.get(), values);
}

double wtime(NextSymbol& next) {
  const auto real = reinterpret_cast<double (*)()>(next.get());
  return Session::sees_calls() ? Session::get().wtime(real) : real();
}

}  // namespace

// `may_ask`: the profiler calls it for itself, while it passes the application's calls on by the other name.
#define SCALEDIAG_THUNK(symbol, real, may_ask, n, function, ...) \
  SCALEDIAG_EXPORT uintptr_t symbol(SCALEDIAG_PARAMETERS_##n) {  \
    static NextSymbol next(real);                                \
    const uintptr_t values[] = {SCALEDIAG_ARGUMENTS_##n};        \
    if ((may_ask) && is_profiler(__builtin_return_address(0))) { \
      return invoke<n>(next.get(), values);                      \
    }                                                            \
    return function(__VA_ARGS__ next, values);                   \
  }
// Both names of a routine. What follows `function` are its first arguments, each with its comma.
#define SCALEDIAG_THUNKS(Name, n, function, ...)                              \
  SCALEDIAG_THUNK(MPI_##Name, "PMPI_" #Name, false, n, function, __VA_ARGS__) \
  SCALEDIAG_THUNK(PMPI_##Name, "PMPI_" #Name, true, n, function, __VA_ARGS__)

#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, group) \
  SCALEDIAG_THUNKS(Name, n, logged, k##Name, Counts::kInt, )                      \
  SCALEDIAG_THUNKS(Name##_c, n, logged, k##Name, Counts::kLarge, )
#include "core/mpi_routines.def"

#define SCALEDIAG_ANSWERED(Name, n, words) SCALEDIAG_THUNKS(Name, n, answered, kAnswered##Name, )
#define SCALEDIAG_REFUSED(Name, n) SCALEDIAG_THUNKS(Name, n, answered, kAnswered##Name, )
#include "pmpi-comm/replay/answered_routines.def"

SCALEDIAG_THUNKS(Init, 2, begin, )
SCALEDIAG_THUNKS(Init_thread, 4, begin, )
SCALEDIAG_THUNKS(Abort, 2, abort_all, )

#define SCALEDIAG_WITHOUT_ARGUMENTS(symbol, real, Result, function) \
  SCALEDIAG_EXPORT Result symbol() {                                \
    static NextSymbol next(real);                                   \
    return function(next);                                          \
  }
SCALEDIAG_WITHOUT_ARGUMENTS(MPI_Finalize, "PMPI_Finalize", uintptr_t, end)
SCALEDIAG_WITHOUT_ARGUMENTS(PMPI_Finalize, "PMPI_Finalize", uintptr_t, end)
SCALEDIAG_WITHOUT_ARGUMENTS(MPI_Wtime, "PMPI_Wtime", double, wtime)
SCALEDIAG_WITHOUT_ARGUMENTS(PMPI_Wtime, "PMPI_Wtime", double, wtime)
