#include "collector/inject/ended_rounds.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "collector/inject/clock_points.h"
#include "collector/inject/last_words.h"
#include "collector/inject/writing/module_map.h"
#include "core/mpi_routines.h"
#include "pmpi-comm/mpi_library.h"

namespace scalediag::inject {
namespace {

using CommDup = int (*)(uintptr_t, uintptr_t*);
using Ibarrier = int (*)(uintptr_t, uintptr_t*);
using Test = int (*)(uintptr_t*, int*, int*);

template <class Function> Function found(const char* name) {
  return reinterpret_cast<Function>(pmpi::find_symbol(name));
}

constexpr char kGoesOn[] = "the run goes on to its end: ";

}  // namespace

void EndedRounds::prepare(const std::string& request) {
  if (request.empty()) return;
  raw::RoundsRequest wanted;
  if (!raw::parse_rounds_request(request, wanted)) return say("%sits rounds cannot be read", kGoesOn);
  const auto dup = found<CommDup>("PMPI_Comm_dup");
  if (dup == nullptr || found<Ibarrier>("PMPI_Ibarrier") == nullptr || found<Test>("PMPI_Test") == nullptr) {
    return say("%sthe MPI library has no MPI_Ibarrier", kGoesOn);
  }
  if (dup(pmpi::mpi_library().constants.comm_world, &communicator_) != 0) return say("%sMPI_Comm_dup failed", kGoesOn);
  request_ = std::move(wanted);
  begin_ns_ = clock_ns(CLOCK_MONOTONIC);
}

void EndedRounds::watch(pmpi::RepeatedCalls& calls) const {
  if (!request_) return;
  const mpi::Routine* const routine = mpi::find_routine(request_->operation);
  for (const raw::Module& module : take_module_snapshot().modules) {
    if (module.path != request_->module || routine == nullptr) continue;
    return calls.watch({static_cast<uint32_t>(routine - mpi::kRoutineTable), request_->address + module.load_bias,
                        request_->depth, request_->is_visited});
  }
  say("%s%s is not loaded", kGoesOn, request_->module.c_str());
}

void EndedRounds::meet() const {
  // A rank is behind another one by about what that has taken so far, at most.
  constexpr double kLeast_s = 20, kTimes = 2;
  constexpr timespec kBetweenLooks = {0, 200'000};
  const auto test = found<Test>("PMPI_Test");
  const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  const double limit_s = kLeast_s + kTimes * static_cast<double>(now_ns - begin_ns_) * 1e-9;
  uintptr_t request = 0;
  int error = found<Ibarrier>("PMPI_Ibarrier")(communicator_, &request);
  while (error == 0 && static_cast<double>(clock_ns(CLOCK_MONOTONIC) - now_ns) * 1e-9 < limit_s) {
    int done = 0;
    alignas(16) int status[64];  // more than any library's
    error = test(&request, &done, status);
    if (error == 0 && done != 0) return;
    syscall(SYS_nanosleep, &kBetweenLooks, nullptr);
  }
  if (error != 0) {
    say("%s (error %d)", raw::kCannotMeet, error);
  } else {
    say("%s within %.0f s", raw::kRanksApart, limit_s);
  }
  end_program();
}

void EndedRounds::leave() {
  constexpr unsigned kPatience_s = 5;
  struct sigaction give_up = {};
  give_up.sa_handler = [](int) { _exit(0); };
  sigaction(SIGALRM, &give_up, nullptr);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
  alarm(kPatience_s);
  if (const auto finalize = found<int (*)()>("PMPI_Finalize")) finalize();
  _exit(0);
}

}  // namespace scalediag::inject
