#include "collector/merge/sites/communication_layers.h"

#include <gtest/gtest.h>

#include "core/raw/wrapper_libraries.h"

namespace scalediag::merge {
namespace {

TEST(CommunicationLayers, AreKnownByTheirLibrary) {
  EXPECT_TRUE(is_communication_layer("/usr/lib/libPstream.so", "f"));
  EXPECT_TRUE(is_communication_layer("/usr/lib/libblacs-openmpi.so.1", "f"));
  EXPECT_TRUE(is_communication_layer("/usr/lib/python3/dist-packages/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so", "f"));
  EXPECT_FALSE(is_communication_layer("/usr/lib/liblammps.so.0", "f"));
  // The whole of a program.
  EXPECT_FALSE(is_communication_layer("/usr/lib/libgromacs_mpi.so.7", "gmx::Integrator::run()"));
}

// ScaLAPACK's library holds the BLACS and its own functions, so that only names tell them apart.
TEST(CommunicationLayers, AreTheBlacsInScalapack) {
  const char* const library = "/usr/lib/libscalapack-openmpi.so.2.2";
  for (const char* name : {"Cdgsum2d", "dgebs2d_", "igamn2d_", "BI_Srecv", "Cblacs_barrier", "blacs_gridinit_"}) {
    EXPECT_TRUE(is_communication_layer(library, name)) << name;
  }
  for (const char* name : {"pdsyev_", "PB_CInV", "Csum2d", "d", "C", ""}) {
    EXPECT_FALSE(is_communication_layer(library, name)) << name;
  }
  EXPECT_TRUE(raw::holds_wrappers(library));
  EXPECT_FALSE(raw::is_wrapper_library(library));
  EXPECT_FALSE(raw::holds_wrappers("/usr/lib/libscalapackish.so"));
}

TEST(FileLayers, AreKnownByTheirLibraryOrName) {
  for (const char* library : {"/lib/libc.so.6", "/usr/lib/libstdc++.so.6", "/usr/lib/libhdf5_openmpi.so.103"}) {
    EXPECT_TRUE(is_file_layer(library, "f")) << library;
  }
  for (const char* name : {"std::ofstream::close()", "H5FD_sec2_write", "_gfortran_st_write", "nc_put_vara_double"}) {
    EXPECT_TRUE(is_file_layer("/app", name)) << name;
  }
  for (const char* name : {"main", "H5", "H5file::write()", "checkpoint(int)"}) {
    EXPECT_FALSE(is_file_layer("/usr/lib/libcheckpoint.so", name)) << name;
  }
}

TEST(CommunicationLayers, AreKnownByTheNamesOfTheirClasses) {
  for (const char* name :
       {"Communicator::sum(double) const", "app::MpiWrapper::send(int)", "mpi_layer::global_sum",
        "double HaloComm<double>::reduce<app::Field>(app::Field const&)", "boost::mpi::broadcast(int)",
        "mpi_sum_double", "my_mpi_bcast", "LAMMPS_NS::CommBrick::reverse_comm(LAMMPS_NS::Compute*)"}) {
    EXPECT_TRUE(is_communication_layer("/app", name)) << name;
  }
  for (const char* name : {"main", "CommSend(Domain&, int)", "compiler::run()", "Commander::go()", "solve(MPI::Comm&)",
                           "physics::pressure", "Field<MpiComm>::relax()", "physics::exchange(mpi::Request)"}) {
    EXPECT_FALSE(is_communication_layer("/app", name)) << name;
  }
}

}  // namespace
}  // namespace scalediag::merge
