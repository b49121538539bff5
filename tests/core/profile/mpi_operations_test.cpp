#include "core/profile/mpi_operations.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

TEST(CanWait, WhatCompletesOrSynchronises) {
  for (const char* name : {"MPI_Send",
                           "MPI_Ssend",
                           "MPI_Rsend",
                           "MPI_Recv",
                           "MPI_Sendrecv",
                           "MPI_Mrecv",
                           "MPI_Probe",
                           "MPI_Mprobe",
                           "MPI_Wait",
                           "MPI_Waitall",
                           "MPI_Waitsome",
                           "MPI_Buffer_detach",
                           "MPI_Barrier",
                           "MPI_Allreduce",
                           "MPI_Neighbor_alltoall",
                           "MPI_Win_create",
                           "MPI_Win_fence",
                           "MPI_Win_start",
                           "MPI_Win_complete",
                           "MPI_Win_wait",
                           "MPI_Win_lock",
                           "MPI_Win_flush",
                           "MPI_Comm_split",
                           "MPI_Comm_free",
                           "MPI_Intercomm_create",
                           "MPI_Intercomm_merge",
                           "MPI_Comm_spawn",
                           "MPI_File_open",
                           "MPI_File_close",
                           "MPI_File_sync",
                           "MPI_File_write_all",
                           "MPI_File_read_at_all",
                           "MPI_File_write_all_end",
                           "MPI_File_write_ordered"}) {
    EXPECT_TRUE(can_wait(name)) << name;
  }
}

// Local procedures of the MPI standard.
TEST(CanWait, NotWhatReturnsAtOnce) {
  for (const char* name : {"MPI_Isend",
                           "MPI_Irecv",
                           "MPI_Ibarrier",
                           "MPI_Ineighbor_alltoallw",
                           "MPI_Iprobe",
                           "MPI_Improbe",
                           "MPI_Bsend",
                           "MPI_Send_init",
                           "MPI_Recv_init",
                           "MPI_Start",
                           "MPI_Startall",
                           "MPI_Test",
                           "MPI_Testsome",
                           "MPI_Request_free",
                           "MPI_Request_get_status",
                           "MPI_Cancel",
                           "MPI_Put",
                           "MPI_Rget_accumulate",
                           "MPI_Compare_and_swap",
                           "MPI_Win_post",
                           "MPI_Win_sync",
                           "MPI_Win_test",
                           "MPI_Comm_idup",
                           "MPI_File_write",
                           "MPI_File_read_at",
                           "MPI_File_iwrite_all",
                           "MPI_File_write_all_begin",
                           "MPI_File_read_shared",
                           "MPI_File_seek",
                           "MPI_Pack",
                           "[MPI other]"}) {
    EXPECT_FALSE(can_wait(name)) << name;
  }
}

// The table of routines marks those that are polled because they never wait.
TEST(CanWait, NoPolledRoutine) {
#define kTimed false
#define kPolled true
#define SCALEDIAG_ROUTINE(Name, name, n, rule, roles, polled) EXPECT_FALSE(polled&& can_wait("MPI_" #Name)) << #Name;
#define SCALEDIAG_C_ROUTINE SCALEDIAG_ROUTINE
#define SCALEDIAG_UNCOUNTED(Name, name, n, rule, roles)
#include "pmpi-comm/routines.def"
}

TEST(MpiOperations, AllToAllIsEachToEachOther) {
  for (const char* name : {"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Ialltoallv"}) {
    EXPECT_TRUE(is_all_to_all(name)) << name;
  }
  // To neighbours only; the same to all.
  for (const char* name : {"MPI_Neighbor_alltoall", "MPI_Allgather", "MPI_Allreduce", "[MPI other]"}) {
    EXPECT_FALSE(is_all_to_all(name)) << name;
  }
}

}  // namespace
}  // namespace scalediag::core
