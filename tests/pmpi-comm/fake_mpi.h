#pragma once

#include <cstdint>

// What the fake routines do and saw.
struct FakeMpi {
  int calls = 0;
  int error = 0;               // what they return
  void (*inside)() = nullptr;  // called by MPI_Barrier
  uintptr_t comm = 0;
};
extern FakeMpi fake_mpi;
