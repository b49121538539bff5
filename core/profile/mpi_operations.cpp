#include "core/profile/mpi_operations.h"

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

}  // namespace

bool can_wait(std::string_view operation) {
  constexpr std::string_view kPrefix = "MPI_";
  if (!operation.starts_with(kPrefix)) return false;
  const std::string_view name = operation.substr(kPrefix.size());
  if (name.starts_with("File_")) {
    const std::string_view what = name.substr(name.find('_') + 1);
    if (kTogether.find(" " + std::string(what) + " ") != kTogether.npos) return true;
    // A split operation waits where it ends.
    const bool is_started = what.front() == 'i' || what.ends_with("_begin");
    return !is_started && (what.find("_all") != what.npos || what.find("_ordered") != what.npos);
  }
  // MPI_Isend, MPI_Ibarrier, MPI_Improbe; MPI_Intercomm_create and MPI_Intercomm_merge are collective.
  if (name.starts_with("I") && !name.starts_with("Intercomm_")) return false;
  if (name.ends_with("_init")) return false;  // of persistent requests
  return kLocal.find(" " + std::string(name) + " ") == kLocal.npos;
}

bool is_all_to_all(std::string_view operation) {
  return operation.starts_with("MPI_Alltoall") || operation.starts_with("MPI_Ialltoall");
}

bool is_allgather(std::string_view operation) {
  return operation.starts_with("MPI_Allgather") || operation.starts_with("MPI_Iallgather");
}

}  // namespace scalediag::core
