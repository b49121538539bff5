#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "pmpi-comm/operations.h"
#include "pmpi-comm/routine.h"
#include "pmpi-comm/wrappers/fortran_names.h"

// Declares every symbol that the table promises; the program does not link when one is missing.
extern "C" {
#define DECLARE(symbol, language, counts, id, n, kind) void symbol();
#define SCALEDIAG_ROUTINE(Name, lower, n, rule, roles, pace) \
  void MPI_##Name();                                         \
  void MPI_##Name##_c();                                     \
  SCALEDIAG_FORTRAN_NAMES(DECLARE, lower, 0, n, 0)
#define SCALEDIAG_C_ROUTINE(Name, lower, n, rule, roles, pace) void MPI_##Name();
#define SCALEDIAG_UNCOUNTED(Name, lower, n, rule, roles) \
  void MPI_##Name();                                     \
  SCALEDIAG_FORTRAN_PLAIN_NAMES(DECLARE, lower, 0, n, 0)
#include "pmpi-comm/routines.def"
#undef SCALEDIAG_ROUTINE
#undef SCALEDIAG_C_ROUTINE
#undef SCALEDIAG_UNCOUNTED
}

namespace scalediag::pmpi {
namespace {

struct Symbol {
  const char* name;
  void (*address)();
};

std::vector<Symbol> all_symbols() {
  return {
#define LIST(symbol, language, counts, id, n, kind) {#symbol, &::symbol},
#define SCALEDIAG_ROUTINE(Name, lower, n, rule, roles, pace) \
  {"MPI_" #Name, &::MPI_##Name}, {"MPI_" #Name "_c", &::MPI_##Name##_c}, SCALEDIAG_FORTRAN_NAMES(LIST, lower, 0, n, 0)
#define SCALEDIAG_C_ROUTINE(Name, lower, n, rule, roles, pace) {"MPI_" #Name, &::MPI_##Name},
#define SCALEDIAG_UNCOUNTED(Name, lower, n, rule, roles) \
  {"MPI_" #Name, &::MPI_##Name}, SCALEDIAG_FORTRAN_PLAIN_NAMES(LIST, lower, 0, n, 0)
#include "pmpi-comm/routines.def"
#undef SCALEDIAG_ROUTINE
#undef SCALEDIAG_C_ROUTINE
#undef SCALEDIAG_UNCOUNTED
  };
}

TEST(Routines, EveryOneIsListedOnce) {
  std::set<std::string> names;
  for (const Routine& r : kRoutineTable) EXPECT_TRUE(names.insert(r.name).second) << r.name << " stands twice";
}

TEST(Routines, EverySymbolHasACodeOfItsOwn) {
  std::set<std::string> names;
  std::set<void (*)()> addresses;
  const std::vector<Symbol> symbols = all_symbols();
  for (const Symbol& s : symbols) {
    EXPECT_NE(s.address, nullptr) << s.name;
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_TRUE(addresses.insert(s.address).second) << s.name;
  }
}

TEST(Routines, FortranNamesAreTheLowerCaseOfTheCNames) {
  for (const Routine& r : kRoutineTable) {
    std::string lower;
    for (const char* c = r.name; *c != '\0'; ++c) lower += static_cast<char>(std::tolower(*c));
    EXPECT_EQ(lower, r.lower_name);
  }
}

TEST(Routines, RolesAreArgumentsOfTheRoutine) {
  for (const Routine& r : kRoutineTable) {
    const Roles& a = r.roles;
    std::set<int> positions;
    for (int at : {a.comm_at, a.win_at, a.send_at, a.count_at, a.type_at, a.recv_at, a.recv_count_at, a.recv_type_at,
                   a.peer_at, a.root_at, a.op_at, a.handle_at}) {
      EXPECT_LT(at, static_cast<int>(r.arguments)) << r.name;
      if (at >= 0) {
        EXPECT_TRUE(positions.insert(at).second) << r.name << " uses argument " << at << " twice";
      }
    }
  }
}

TEST(Routines, PolledOnesMoveNothing) {
  for (const Routine& r : kRoutineTable) {
    if (r.pace == Pace::kPolled) {
      EXPECT_EQ(r.rule, Rule::kNoBytes) << r.name;
    }
  }
}

TEST(Routines, OperationsAreTheCountedOnes) {
  EXPECT_EQ(operation_count(), static_cast<uint32_t>(kCountedRoutines));
  EXPECT_STREQ(operation_name(kAllreduce), "MPI_Allreduce");
  EXPECT_STREQ(operation_name(operation_count() - 1), "MPI_Comm_connect");
}

// Chapters 3, 5, 6, 7, 10 and 11 of MPI 3.1: the routines that communicate or wait.
TEST(Routines, CoverMpi31) {
  const char* const kRequired[] = {"Send",
                                   "Bsend",
                                   "Ssend",
                                   "Rsend",
                                   "Recv",
                                   "Sendrecv",
                                   "Sendrecv_replace",
                                   "Mrecv",
                                   "Probe",
                                   "Mprobe",
                                   "Isend",
                                   "Ibsend",
                                   "Issend",
                                   "Irsend",
                                   "Irecv",
                                   "Imrecv",
                                   "Iprobe",
                                   "Improbe",
                                   "Send_init",
                                   "Bsend_init",
                                   "Ssend_init",
                                   "Rsend_init",
                                   "Recv_init",
                                   "Start",
                                   "Startall",
                                   "Wait",
                                   "Waitany",
                                   "Waitall",
                                   "Waitsome",
                                   "Test",
                                   "Testany",
                                   "Testall",
                                   "Testsome",
                                   "Request_free",
                                   "Request_get_status",
                                   "Cancel",
                                   "Buffer_detach",
                                   "Barrier",
                                   "Bcast",
                                   "Gather",
                                   "Gatherv",
                                   "Scatter",
                                   "Scatterv",
                                   "Allgather",
                                   "Allgatherv",
                                   "Alltoall",
                                   "Alltoallv",
                                   "Alltoallw",
                                   "Reduce",
                                   "Allreduce",
                                   "Reduce_scatter",
                                   "Reduce_scatter_block",
                                   "Scan",
                                   "Exscan",
                                   "Ibarrier",
                                   "Ibcast",
                                   "Igather",
                                   "Igatherv",
                                   "Iscatter",
                                   "Iscatterv",
                                   "Iallgather",
                                   "Iallgatherv",
                                   "Ialltoall",
                                   "Ialltoallv",
                                   "Ialltoallw",
                                   "Ireduce",
                                   "Iallreduce",
                                   "Ireduce_scatter",
                                   "Ireduce_scatter_block",
                                   "Iscan",
                                   "Iexscan",
                                   "Neighbor_allgather",
                                   "Neighbor_allgatherv",
                                   "Neighbor_alltoall",
                                   "Neighbor_alltoallv",
                                   "Neighbor_alltoallw",
                                   "Ineighbor_allgather",
                                   "Ineighbor_allgatherv",
                                   "Ineighbor_alltoall",
                                   "Ineighbor_alltoallv",
                                   "Ineighbor_alltoallw",
                                   "Put",
                                   "Get",
                                   "Accumulate",
                                   "Get_accumulate",
                                   "Fetch_and_op",
                                   "Compare_and_swap",
                                   "Rput",
                                   "Rget",
                                   "Raccumulate",
                                   "Rget_accumulate",
                                   "Win_create",
                                   "Win_allocate",
                                   "Win_allocate_shared",
                                   "Win_create_dynamic",
                                   "Win_free",
                                   "Win_fence",
                                   "Win_start",
                                   "Win_complete",
                                   "Win_post",
                                   "Win_wait",
                                   "Win_test",
                                   "Win_lock",
                                   "Win_unlock",
                                   "Win_lock_all",
                                   "Win_unlock_all",
                                   "Win_flush",
                                   "Win_flush_all",
                                   "Win_flush_local",
                                   "Win_flush_local_all",
                                   "Win_sync",
                                   "Comm_dup",
                                   "Comm_dup_with_info",
                                   "Comm_idup",
                                   "Comm_create",
                                   "Comm_create_group",
                                   "Comm_split",
                                   "Comm_split_type",
                                   "Comm_free",
                                   "Comm_disconnect",
                                   "Intercomm_create",
                                   "Intercomm_merge",
                                   "Cart_create",
                                   "Cart_sub",
                                   "Graph_create",
                                   "Dist_graph_create",
                                   "Dist_graph_create_adjacent",
                                   "Comm_spawn",
                                   "Comm_spawn_multiple",
                                   "Comm_accept",
                                   "Comm_connect",
                                   "Comm_join"};
  std::set<std::string> counted;
  for (uint32_t id = 0; id < operation_count(); ++id) counted.insert(operation_name(id));
  for (const char* name : kRequired) EXPECT_EQ(counted.count(std::string("MPI_") + name), 1u) << name;
}

}  // namespace
}  // namespace scalediag::pmpi
