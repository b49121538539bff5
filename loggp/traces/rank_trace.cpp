#include "loggp/traces/rank_trace.h"

#include <algorithm>

namespace scalediag::loggp {

uint32_t agreements_of(std::string_view mpi_version) {
  return mpi_version.find("Open MPI") != std::string_view::npos ? 3 : 1;
}

bool has_calls_of_many_events(const RankTrace& trace) {
  return std::ranges::any_of(trace.routines, [](const std::string& name) {
    const mpi::Routine* routine = mpi::find_routine(name);
    return routine != nullptr &&
           (routine->group == mpi::Group::kNeighborhood || routine->group == mpi::Group::kOneSided);
  });
}

const char* text_of(trace::Reason reason) {
  switch (reason) {
    case trace::Reason::kOneSided: return "one-sided communication";
    case trace::Reason::kNeighborhood: return "a neighbourhood collective";
    case trace::Reason::kIntercommunicator: return "communication between groups (an intercommunicator)";
    case trace::Reason::kCancelled: return "a receive that was cancelled";
    case trace::Reason::kUnknownSender: return "a receive from any rank that was never seen to be complete";
    case trace::Reason::kOtherThread: return "a call by a thread other than the one that called MPI_Init";
    case trace::Reason::kOtherProcess: return "communication with a process outside of MPI_COMM_WORLD";
    case trace::Reason::kUnknownDevices: return "communication of GPUs whose ranks are not known";
    case trace::Reason::kUnknown: return "an operation that the recorder does not know";
  }
  return "";
}

}  // namespace scalediag::loggp
