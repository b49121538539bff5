// The exported functions of the C library that tell a program about time, machine and chance. Calls by system call, and
// by the C library itself, do not come here; nor does what the processor tells (rdtsc, rdrand).
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>

#include "pmpi-comm/replay/exported.h"
#include "pmpi-comm/replay/session.h"

using namespace scalediag::pmpi;

namespace {

// Calls the function behind a wrapper, whose caller is `caller`, or answers in its place.
template <class Result, class... Argument>
Result answer(SystemFunction function, const void* caller, NextSymbol& next, int64_t asked, void* at, size_t bytes,
              Argument... arguments) {
  const auto real = [&] {
    return static_cast<int64_t>(reinterpret_cast<Result (*)(Argument...)>(next.get())(arguments...));
  };
  if (!Session::sees_calls() || is_profiler(caller)) return static_cast<Result>(real());
  return static_cast<Result>(Session::get().ask_system(function, asked, at, bytes, real));
}

}  // namespace

#define SCALEDIAG_SYSTEM(name, Result, asked, at, bytes, ...) \
  static NextSymbol next(#name);                              \
  return answer<Result>(kSystem_##name, __builtin_return_address(0), next, asked, at, bytes, __VA_ARGS__)

SCALEDIAG_EXPORT time_t time(time_t* t) noexcept { SCALEDIAG_SYSTEM(time, time_t, 0, t, sizeof *t, t); }

SCALEDIAG_EXPORT int gettimeofday(timeval* __restrict t, void* __restrict zone) noexcept {
  SCALEDIAG_SYSTEM(gettimeofday, int, 0, t, sizeof *t, t, zone);
}

SCALEDIAG_EXPORT int clock_gettime(clockid_t clock, timespec* t) noexcept {
  SCALEDIAG_SYSTEM(clock_gettime, int, clock, t, sizeof *t, clock, t);
}

SCALEDIAG_EXPORT clock_t times(tms* t) noexcept { SCALEDIAG_SYSTEM(times, clock_t, 0, t, sizeof *t, t); }

SCALEDIAG_EXPORT int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  SCALEDIAG_SYSTEM(getrusage, int, who, usage, sizeof *usage, who, usage);
}

SCALEDIAG_EXPORT int gethostname(char* name, size_t bytes) noexcept {
  SCALEDIAG_SYSTEM(gethostname, int, 0, name, bytes, name, bytes);
}

SCALEDIAG_EXPORT int uname(utsname* name) noexcept { SCALEDIAG_SYSTEM(uname, int, 0, name, sizeof *name, name); }

SCALEDIAG_EXPORT ssize_t getrandom(void* to, size_t bytes, unsigned flags) {
  SCALEDIAG_SYSTEM(getrandom, ssize_t, flags, to, bytes, to, bytes, flags);
}

SCALEDIAG_EXPORT int getentropy(void* to, size_t bytes) { SCALEDIAG_SYSTEM(getentropy, int, 0, to, bytes, to, bytes); }

// Without arguments.
#define SCALEDIAG_SYSTEM_NUMBER(name, Result)                                                \
  SCALEDIAG_EXPORT Result name() noexcept {                                                  \
    static NextSymbol next(#name);                                                           \
    return answer<Result>(kSystem_##name, __builtin_return_address(0), next, 0, nullptr, 0); \
  }
SCALEDIAG_SYSTEM_NUMBER(clock, clock_t)
SCALEDIAG_SYSTEM_NUMBER(getpid, pid_t)
SCALEDIAG_SYSTEM_NUMBER(getppid, pid_t)

// Not in every C library.
SCALEDIAG_EXPORT uint32_t arc4random() noexcept {
  static NextSymbol next("arc4random");
  return answer<uint32_t>(kSystem_arc4random, __builtin_return_address(0), next, 0, nullptr, 0);
}

SCALEDIAG_EXPORT void arc4random_buf(void* to, size_t bytes) noexcept {
  static NextSymbol next("arc4random_buf");
  const auto real = [&] {
    reinterpret_cast<void (*)(void*, size_t)>(next.get())(to, bytes);
    return int64_t{0};
  };
  const bool is_asked = Session::sees_calls() && !is_profiler(__builtin_return_address(0));
  is_asked ? Session::get().ask_system(kSystem_arc4random_buf, 0, to, bytes, real) : real();
}
