#include "core/mpi_operations.h"

#include <string>

namespace scalediag::core {
namespace {

// Local operations that the rules below do not recognise, each between blanks.
constexpr std::string_view kLocal =
    " Bsend Start Startall Test Testany Testall Testsome Request_free Request_get_status Cancel "
    "Put Get Accumulate Get_accumulate Rput Rget Raccumulate Rget_accumulate Fetch_and_op Compare_and_swap "
    "Win_post Win_sync Win_test Comm_idup Pack Unpack Reduce_local Alloc_mem Free_mem ";

// The operations on files that all ranks call together.
constexpr std::string_view kTogether =
    " open close set_view set_size preallocate set_info set_atomicity seek_shared sync ";

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
bool ends(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

}  // namespace

bool can_wait(std::string_view operation) {
  constexpr std::string_view kPrefix = "MPI_";
  if (!begins(operation, kPrefix)) return false;
  const std::string_view name = operation.substr(kPrefix.size());
  if (begins(name, "File_")) {
    const std::string_view what = name.substr(name.find('_') + 1);
    if (kTogether.find(" " + std::string(what) + " ") != kTogether.npos) return true;
    // A split operation waits where it ends.
    const bool is_started = what.front() == 'i' || ends(what, "_begin");
    return !is_started && (what.find("_all") != what.npos || what.find("_ordered") != what.npos);
  }
  // MPI_Isend, MPI_Ibarrier, MPI_Improbe; MPI_Intercomm_create and MPI_Intercomm_merge are collective.
  if (begins(name, "I") && !begins(name, "Intercomm_")) return false;
  if (ends(name, "_init")) return false;  // of persistent requests
  return kLocal.find(" " + std::string(name) + " ") == kLocal.npos;
}

bool is_all_to_all(std::string_view operation) {
  return begins(operation, "MPI_Alltoall") || begins(operation, "MPI_Ialltoall");
}

bool is_allgather(std::string_view operation) {
  return begins(operation, "MPI_Allgather") || begins(operation, "MPI_Iallgather");
}

}  // namespace scalediag::core
