// The exported symbols of the library that records and replays: MPI_X and PMPI_X of every routine that it knows. The
// Fortran layers of Open MPI and MPICH call one of the two, with C's handles, statuses and constants, so that C's forms
// are enough.
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "pmpi-comm/replay/session.h"
#include "pmpi-comm/ticks.h"
#include "pmpi-comm/wrappers/thunks.h"

#define SCALEDIAG_EXPORT extern "C" __attribute__((visibility("default")))

using namespace scalediag::pmpi;

namespace {

// The function of MPI behind a wrapper.
class NextSymbol {
 public:
  constexpr explicit NextSymbol(const char* name) : name_(name) {}
  void* get() {
    void* found = found_.load(std::memory_order_relaxed);
    if (found != nullptr) return found;
    found = next_symbol(name_);
    if (found == nullptr) die();
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

 private:
  [[noreturn]] void die() const {
    for (const char* part :
         {"scalediag: the application called ", name_, ", which no MPI library that is loaded has\n"}) {
      if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
    }
    std::abort();
  }
  const char* const name_;
  std::atomic<void*> found_{nullptr};
};

// Whether the code is of the library that profiles, which may be in front of this one: what it asks MPI is no call of
// the application.
bool is_profiler(const void* code) {
  struct Range {
    uintptr_t begin = 0, end = 0;
  };
  static const Range profiler = [] {
    Range found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* to) {
          const char* name = info->dlpi_name != nullptr ? std::strrchr(info->dlpi_name, '/') : nullptr;
          if (name == nullptr || std::strcmp(name, "/libscalediag.so") != 0) return 0;
          Range& range = *static_cast<Range*>(to);
          range.begin = info->dlpi_addr;
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            range.end = std::max(range.end, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
          }
          return 1;
        },
        &found);
    return found;
  }();
  const auto at = reinterpret_cast<uintptr_t>(code);
  return at >= profiler.begin && at < profiler.end;
}

template <size_t>
using Word = uintptr_t;

template <size_t... i>
uintptr_t invoke_with(void* function, const uintptr_t* values, std::index_sequence<i...>) {
  return reinterpret_cast<uintptr_t (*)(Word<i>...)>(function)(values[i]...);
}
template <size_t n>
uintptr_t invoke(void* function, const uintptr_t* values) {
  return invoke_with(function, values, std::make_index_sequence<n>());
}

template <size_t n>
uintptr_t logged(uint32_t routine, Counts counts, NextSymbol& next, const uintptr_t (&values)[n]) {
  const RealCall real{&invoke<n>, next.get()};
  return Session::sees_calls() ? Session::get().call(routine, counts, values, real) : real(values);
}

template <size_t n>
uintptr_t answered(uint32_t routine, NextSymbol& next, const uintptr_t (&values)[n]) {
  const RealCall real{&invoke<n>, next.get()};
  return Session::sees_calls() ? Session::get().answered_call(routine, values, real) : real(values);
}

double monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// MPI_Init takes long enough to compare two clocks over it.
template <size_t n>
uintptr_t begin(NextSymbol& next, const uintptr_t (&values)[n]) {
  const double before_ns = monotonic_ns();
  const uint64_t before = ticks();
  uintptr_t result = 0;
  {
    const Session::Inside inside;
    result = invoke<n>(next.get(), values);
  }
  const auto passed = static_cast<double>(ticks() - before);
  if (static_cast<int>(result) == 0 && passed > 0) Session::get().begin((monotonic_ns() - before_ns) / passed);
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
