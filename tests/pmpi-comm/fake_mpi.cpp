// A few routines of an MPI library whose Fortran layer calls the C routines by their public names, as MPICH's does.
#include "tests/pmpi-comm/fake_mpi.h"

#include <cstring>

FakeMpi fake_mpi;

extern "C" {

int PMPI_Comm_size(uintptr_t, int* size) { return *size = 4, 0; }
int PMPI_Comm_rank(uintptr_t, int* rank) { return *rank = 3, 0; }
int PMPI_Comm_test_inter(uintptr_t, int* flag) { return *flag = 0, 0; }
int PMPI_Type_size_x(uintptr_t, int64_t* bytes) { return *bytes = 8, 0; }
int PMPI_Get_library_version(char* version, int* length) {
  std::strcpy(version, "Fake MPICH");  // its handles are MPICH's
  *length = 10;
  return 0;
}

int MPI_Init(int*, char***) { return ++fake_mpi.calls, fake_mpi.error; }
void mpi_init_(int* error) { *error = MPI_Init(nullptr, nullptr); }
int MPI_Finalize() { return ++fake_mpi.calls, 0; }
int MPI_Abort(uintptr_t, int) { return ++fake_mpi.calls, 0; }

int MPI_Barrier(uintptr_t comm) {
  ++fake_mpi.calls;
  if (fake_mpi.inside != nullptr) fake_mpi.inside();
  fake_mpi.comm = comm;
  return fake_mpi.error;
}
void mpi_barrier_(const int* comm, int* error) { *error = MPI_Barrier(static_cast<uintptr_t>(*comm)); }
void mpi_barrier_f08_(const int* comm, int* error) {
  const int code = MPI_Barrier(static_cast<uintptr_t>(*comm));
  if (error != nullptr) *error = code;
}

int MPI_Bcast(void*, int, uintptr_t, int, uintptr_t) { return ++fake_mpi.calls, fake_mpi.error; }
int MPI_Test(uintptr_t*, int* flag, void*) { return ++fake_mpi.calls, *flag = 1, 0; }

// Only the profiling name exists.
int PMPI_Wait(uintptr_t*, void*) { return ++fake_mpi.calls, 0; }
}
