// MPI operations that are called from several functions, directly and through a class in a library
// (call_sites_communicator.h). Calls and bytes with 2 ranks are in the cases that run it.
#include <mpi.h>

#include <cstdio>

#include "call_sites_communicator.h"

namespace {

double field[256];

// A message of `n` doubles from each even rank to the next one.
__attribute__((noinline)) void exchange_halo(int rank, int n) {
  if (rank % 2 == 0) {
    MPI_Send(field, n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(field, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Twice the same operation, in two lines.
__attribute__((noinline)) void exchange_particles(int rank) {
  if (rank % 2 == 0) {
    MPI_Send(field, 1, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD);
    MPI_Send(field, 200, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD);
  } else {
    MPI_Recv(field, 1, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(field, 200, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// An inlined function is named by itself.
inline __attribute__((always_inline)) double norm() {
  double sum = 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

// The stack grows between calls of the same site.
__attribute__((noinline)) double descend(int depth) {
  volatile double kept[10] = {};
  if (depth > 0) return kept[0] + descend(depth - 1);
  return norm();
}

__attribute__((noinline)) double energy(const Communicator& layer) { return layer.sum(1) + layer.sum(2); }
__attribute__((noinline)) double momentum(const Communicator& layer) { return layer.sum(3); }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Communicator layer;
  double total = 0;
  for (int step = 0; step < 10; ++step) {
    exchange_halo(rank, 100);
    if (step % 2 == 0) exchange_particles(rank);
    total += descend(step) + energy(layer) + momentum(layer);
  }
  if (rank == 0) std::printf("done %g\n", total);
  MPI_Finalize();
  return 0;
}
