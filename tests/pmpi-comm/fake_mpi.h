#pragma once

#include <cstdint>

// The behaviour of the fake routines, and the calls that they got.
struct FakeMpi {
  int calls = 0;
  int error = 0;               // the result of the routines
  void (*inside)() = nullptr;  // called by MPI_Barrier
  uintptr_t comm = 0;
};
extern FakeMpi fake_mpi;
