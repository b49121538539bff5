#include "collector/merge/symbols/mpi_modules.h"

#include <gtest/gtest.h>

namespace scalediag::merge {
namespace {

TEST(MpiModules, LibrariesOfTheMpisAreMpi) {
  for (const char* path : {"/usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4",
                           "libmpi.so",
                           "/opt/libmpi_mpifh-gfortran.so.40",
                           "libmpi_cxx.so.40",
                           "libmpi_usempif08.so.40",
                           "libmpich.so.12",
                           "libmpichfort.so.12",
                           "libmpifort.so.12",
                           "libmpi_gnu_91.so.12",
                           "libopen-rte.so.40",
                           "libopen-pal.so.40",
                           "/usr/lib/pmix/mca_bfrops_v21.so",
                           "mca_btl_vader.so",
                           "libpmix.so.2",
                           "libevent-2.1.so.7",
                           "libevent_core-2.1.so.7.0.1",
                           "libucp.so.0",
                           "libuct_cma.so.0",
                           "libfabric.so.1",
                           "libpsm2.so.2",
                           "libmca_common_sm.so.40"}) {
    EXPECT_TRUE(is_mpi_module(path)) << path;
  }
}

TEST(MpiModules, WhatOnlySoundsLikeMpiIsNot) {
  for (const char* path :
       {"/opt/app/libmpifft.so", "libmpicbg.so.1", "/opt/mpi/app", "libm.so.6", "libc.so.6", "/opt/libmpi/libsolver.so",
        "libhdf5_openmpi.so.103", "libscalapack-openmpi.so.2.2", "libmpi-app.so", "libeventual.so", "mpirun"}) {
    EXPECT_FALSE(is_mpi_module(path)) << path;
  }
}

TEST(MpiModules, KnowsTheCollectorAndTheKernelsPage) {
  EXPECT_TRUE(is_collector_module("/usr/lib/scalediag/libscalediag.so"));
  EXPECT_FALSE(is_collector_module("/usr/lib/libscalediagnostics.so"));
  EXPECT_TRUE(is_vdso("linux-vdso.so.1"));
  EXPECT_TRUE(is_vdso("[vdso]"));
  EXPECT_FALSE(is_vdso("/lib/libc.so.6"));
}

TEST(PapiModules, AreToldByName) {
  for (const char* path : {"/usr/lib/libpapi.so.7.0.0.0", "libpapi.so", "/opt/papi/lib/libpfm.so.4.13.0"}) {
    EXPECT_TRUE(is_papi_module(path)) << path;
  }
  for (const char* path : {"/usr/lib/libsde.so.1", "/home/user/papillon", "libpapillon.so", ""}) {
    EXPECT_FALSE(is_papi_module(path)) << path;
  }
}

}  // namespace
}  // namespace scalediag::merge
