#include "collector/inject/ended_rounds.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "collector/inject/clock_points.h"
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

}  // namespace

std::string EndedRounds::prepare(const std::string& request) {
  if (request.empty()) return "";
  raw::RoundsRequest wanted;
  if (!raw::parse_rounds_request(request, wanted)) return "the request of rounds '" + request + "' cannot be read";
  const auto dup = found<CommDup>("PMPI_Comm_dup");
  if (dup == nullptr || found<Ibarrier>("PMPI_Ibarrier") == nullptr || found<Test>("PMPI_Test") == nullptr) {
    return "the MPI library has no MPI_Ibarrier";
  }
  if (dup(pmpi::mpi_library().constants.comm_world, &communicator_) != 0) return "MPI_Comm_dup failed";
  request_ = std::move(wanted);
  return "";
}

std::optional<pmpi::RoundSite> EndedRounds::site() const {
  const mpi::Routine* const routine = mpi::find_routine(request_->operation);
  if (routine == nullptr) return std::nullopt;
  pmpi::RoundSite site;
  site.operation = static_cast<uint32_t>(routine - mpi::kRoutineTable);
  site.depth = request_->depth;
  site.is_visited = request_->is_visited;
  for (const raw::Module& module : take_module_snapshot().modules) {
    if (module.path != request_->module) continue;
    site.address = request_->address + module.load_bias;
    return site;
  }
  return std::nullopt;
}

bool EndedRounds::meet(double limit_s) const {
  constexpr timespec kBetweenLooks = {0, 200'000};
  const auto test = found<Test>("PMPI_Test");
  uintptr_t request = 0;
  if (found<Ibarrier>("PMPI_Ibarrier")(communicator_, &request) != 0) return false;
  const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
  while (static_cast<double>(clock_ns(CLOCK_MONOTONIC) - begin) * 1e-9 < limit_s) {
    int done = 0;
    alignas(16) int status[64];  // more than any library's
    if (test(&request, &done, status) != 0) return false;
    if (done != 0) return true;
    syscall(SYS_nanosleep, &kBetweenLooks, nullptr);
  }
  return false;
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
