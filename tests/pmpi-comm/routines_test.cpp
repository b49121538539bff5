#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "core/mpi_routines.h"
#include "pmpi-comm/wrappers/fortran_names.h"

// The symbols that the table promises: V(symbol, ...) for each.
#define C_NAMES_plain(V, Name) V(MPI_##Name, , , , , ) V(MPI_##Name##_c, , , , , )
#define C_NAMES_text C_NAMES_plain
#define C_NAMES_c_only(V, Name) V(MPI_##Name, , , , , )
#define C_NAMES_uncounted C_NAMES_c_only
#define FORTRAN_NAMES_plain(V, lower) SCALEDIAG_FORTRAN_NAMES(V, lower, 0, 0, 0)
#define FORTRAN_NAMES_text FORTRAN_NAMES_plain
#define FORTRAN_NAMES_c_only(V, lower)
#define FORTRAN_NAMES_uncounted(V, lower) SCALEDIAG_FORTRAN_PLAIN_NAMES(V, lower, 0, 0, 0)

// Declares each; the program does not link when one is missing.
extern "C" {
#define DECLARE(symbol, language, counts, id, n, kind) void symbol();
#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, kind) \
  C_NAMES_##form(DECLARE, Name) FORTRAN_NAMES_##form(DECLARE, lower)
#include "core/mpi_routines.def"
}

namespace scalediag::mpi {
namespace {

struct Symbol {
  const char* name;
  void (*address)();
};

std::vector<Symbol> all_symbols() {
  return {
#define LIST(symbol, language, counts, id, n, kind) {#symbol, &::symbol},
#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, kind) \
  C_NAMES_##form(LIST, Name) FORTRAN_NAMES_##form(LIST, lower)
#include "core/mpi_routines.def"
  };
}

TEST(Routines, EveryOneIsListedOnce) {
  std::set<std::string> names;
  for (const Routine& r : kRoutineTable) EXPECT_TRUE(names.emplace(r.name).second) << r.name << " stands twice";
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
  const std::vector<std::string> fortran = {
#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, kind) "mpi_" #lower,
#include "core/mpi_routines.def"
  };
  for (uint32_t id = 0; id < kRoutines; ++id) {
    std::string lower;
    for (const char c : kRoutineTable[id].name) lower += static_cast<char>(std::tolower(c));
    EXPECT_EQ(lower, fortran[id]);
  }
}

TEST(Routines, PolledOnesMoveNothing) {
  for (const Routine& r : kRoutineTable) {
    if (r.progress == Progress::kPolled) {
      EXPECT_EQ(r.rule, Rule::kNoBytes) << r.name;
    }
  }
}

TEST(Routines, CountedOnesComeFirst) {
  EXPECT_EQ(kRoutineTable[kAllreduce].name, "MPI_Allreduce");
  EXPECT_EQ(kRoutineTable[kCountedRoutines - 1].name, "MPI_Comm_connect");
  EXPECT_EQ(kRoutineTable[kCountedRoutines].rule, Rule::kFreesType);
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
  for (uint32_t id = 0; id < kCountedRoutines; ++id) counted.emplace(kRoutineTable[id].name);
  for (const char* name : kRequired) EXPECT_EQ(counted.count(std::string("MPI_") + name), 1u) << name;
}

}  // namespace
}  // namespace scalediag::mpi
