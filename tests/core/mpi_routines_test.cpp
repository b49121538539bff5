#include "core/mpi_routines.h"

#include <gtest/gtest.h>

namespace scalediag::mpi {
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

TEST(Roles, AreThePositionsOfTheWords) {
  constexpr Roles kRoles = roles_of("_ count type peer tag comm request");
  EXPECT_EQ(kRoles.count_at, 1);
  EXPECT_EQ(kRoles.comm_at, 5);
  EXPECT_EQ(kRoles.request_at, 6);
  EXPECT_EQ(kRoles.status_at, -1);
  EXPECT_EQ(kRoles.words, 7);
}

TEST(Collectives, BlockingOrNotWithBlocksOfAnySize) {
  for (const char* name : {"MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Ialltoallv"}) {
    EXPECT_TRUE(is(name, Collective::kAlltoall)) << name;
  }
  // To neighbours only; the same to all.
  for (const char* name : {"MPI_Neighbor_alltoall", "MPI_Allgather", "MPI_Allreduce", "[MPI other]"}) {
    EXPECT_FALSE(is(name, Collective::kAlltoall)) << name;
  }
}

TEST(Collectives, AllRanksOfACommunicatorTakePart) {
  for (const char* name :
       {"MPI_Bcast", "MPI_Iallreduce", "MPI_Alltoallv", "MPI_Barrier", "MPI_Comm_dup", "MPI_Neighbor_alltoall"}) {
    EXPECT_TRUE(is_collective(name)) << name;
  }
  for (const char* name : {"MPI_Send", "MPI_Waitall", "MPI_Sendrecv", "MPI_Get", "MPI_Reduce_local", "MPI_Comm_rank"}) {
    EXPECT_FALSE(is_collective(name)) << name;
  }
}

}  // namespace
}  // namespace scalediag::mpi
