#include "pmpi-comm/mpi_library.h"

#include <gtest/gtest.h>

#include <cstring>

namespace scalediag::pmpi {
namespace {

bool has_nothing(const char*) { return false; }
bool has_open_mpi(const char* name) { return std::strcmp(name, "ompi_mpi_comm_world") == 0; }

TEST(MpiFamily, IsToldBySymbolAndVersion) {
  EXPECT_EQ(family_of("/lib/libmpi.so.40", "Open MPI v4.1.4", has_open_mpi, -1), MpiFamily::kOpenMpi);
  EXPECT_EQ(family_of("/lib/libmpich.so.12", "MPICH Version:\t4.0.2", has_nothing, -1), MpiFamily::kMpich);
  EXPECT_EQ(family_of("/opt/libmpi.so.12", "Intel(R) MPI Library 2021.9", has_nothing, -1), MpiFamily::kMpich);
}

// The implementation's own symbols stand behind the standard's library, whose constants are others.
TEST(MpiFamily, OfTheStandardComesFirst) {
  EXPECT_EQ(family_of("/lib/libmpi_abi.so.0", "Open MPI v6.0.0", has_open_mpi, 1), MpiFamily::kStandardAbi);
  EXPECT_EQ(family_of("/lib/libmpi_abi.so.0", "MPICH Version:\t5.0", has_nothing, 1), MpiFamily::kStandardAbi);
  // A library of another name that says that it has the standard's binary interface.
  EXPECT_EQ(family_of("/lib/libother.so", "Other MPI", has_nothing, 1), MpiFamily::kStandardAbi);
  // MPICH's own interface, of a version that knows the function and says that it has not the standard's.
  EXPECT_EQ(family_of("/lib/libmpi.so.12", "MPICH Version:\t5.0", has_nothing, -1), MpiFamily::kMpich);
}

TEST(MpiFamily, OfOthersIsUnknown) {
  EXPECT_EQ(family_of("/lib/libmpi.so.5", "Some MPI 1.0", has_nothing, -1), MpiFamily::kUnknown);
  EXPECT_EQ(family_of("/lib/libmpi.so.5", "", has_nothing, -1), MpiFamily::kUnknown);
}

// The bits of MPICH's status, and the standard's, where MPI itself is asked.
TEST(MpiLibrary, KnowsWhatWasCancelled) {
  MpiLibrary mpi;
  mpi.constants.status_cancelled_at = 1;
  mpi.constants.status_cancelled_mask = 1;
  const int sent[5] = {0, 2, 0, 0, 0}, cancelled[5] = {0, 3, 0, 0, 0};
  EXPECT_FALSE(mpi.is_cancelled(sent));
  EXPECT_TRUE(mpi.is_cancelled(cancelled));
  mpi.constants.status_cancelled_at = -1;
  EXPECT_FALSE(mpi.is_cancelled(cancelled));
  mpi.functions.test_cancelled = [](const int*, int* flag) {
    *flag = 1;
    return 0;
  };
  EXPECT_TRUE(mpi.is_cancelled(sent));
}

}  // namespace
}  // namespace scalediag::pmpi
