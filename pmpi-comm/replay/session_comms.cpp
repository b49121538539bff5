// Communicators and groups: what is known of those of the recorded run, and what stands for them in a replay.
#include "pmpi-comm/replay/session.h"

namespace scalediag::pmpi {

LoggedComm* Session::comm_of(uintptr_t handle) {
  const auto found = comms_.find(handle);
  return found != comms_.end() ? &found->second : nullptr;
}

LoggedComm* Session::learn_comm(uintptr_t handle, LoggedComm comm) {
  comm.number = n_comms_++;
  return &(comms_[handle] = comm);
}

LoggedComm Session::ask_comm(uintptr_t handle) const {
  LoggedComm comm;
  int inter = 0;
  mpi_.comm_rank(handle, &comm.rank);
  mpi_.comm_size(handle, &comm.size);
  mpi_.comm_test_inter(handle, &inter);
  comm.inter = inter != 0;
  comm.remote_size = comm.size;
  if (comm.inter) {
    mpi_.comm_remote_size(handle, &comm.remote_size);
    return comm;
  }
  const MpiConstants& c = mpi_.constants();
  int kind = 0, dimensions = 0, out = 0, weighted = 0;
  mpi_.topo_test(handle, &kind);
  if (kind == c.cart && mpi_.cartdim_get(handle, &dimensions) == 0) comm.neighbors = 2 * dimensions;
  if (kind == c.graph) mpi_.graph_neighbors_count(handle, comm.rank, &comm.neighbors);
  if (kind == c.dist_graph) mpi_.dist_graph_neighbors_count(handle, &comm.neighbors, &out, &weighted);
  return comm;
}

void Session::make_comm(uint32_t routine, const uintptr_t* values, const LoggedComm* parent) {
  const uintptr_t at = values[kRoutineTable[routine].roles.handle_at];
  const uintptr_t null = mpi_.constants().comm_null;
  LoggedComm comm;
  uint64_t is_null = recording() && read_handle(at) == null ? 1 : 0;
  log_.pass_number(is_null);
  if (is_null != 0) {
    if (!recording()) write_handle(at, null);
    return note_events(1);
  }
  // One that is made later must not be asked yet; it is as the one that it copies.
  const bool is_later = kRoutineTable[routine].rule == Rule::kMakesCommLater;
  if (recording()) comm = is_later && parent != nullptr ? *parent : ask_comm(read_handle(at));
  for (int* number : {&comm.rank, &comm.size, &comm.remote_size, &comm.neighbors}) log_.pass(*number);
  log_.pass(comm.inter);
  pass_members(comm, is_later ? 0 : read_handle(at));
  uintptr_t made = recording() ? read_handle(at) : 0;
  if (!recording()) {
    // A duplicate was made on the real handle.
    if (routine == kComm_dup || routine == kComm_dup_with_info) {
      made = read_handle(at);
    } else {
      mpi_.comm_split(mpi_.comm_self, 0, 0, &made);
      write_handle(at, made);
    }
  }
  learn_comm(made, comm);
  note_events(is_later ? 0 : 1);
}

// A group of its own in the replay; nobody sees its members, since every question about it is answered from the log.
void Session::make_group(uintptr_t at) {
  int size = 0;
  if (recording()) mpi_.group_size(read_handle(at), &size);
  log_.pass(size);
  if (recording()) return;
  uintptr_t own = 0, made = 0;
  const int zero = 0;
  mpi_.comm_group(mpi_.comm_self, &own);
  mpi_.group_incl(own, size == 0 ? 0 : 1, &zero, &made);
  write_handle(at, made);
}

}  // namespace scalediag::pmpi
