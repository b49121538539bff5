/* Blocks for `scalediag blocks`.  blocks STEPS [EVERY]
 * In each step a rank works in the region "work", on n = 1 to 50 things, with the parameter n, and every EVERY-th step
 * (1: all) also with the parameter twice = 2 n. Then it works again, without a mark, and passes n doubles round the
 * ring with the tag 100 + step % 20, and on even steps, for it is another place of the program, 500 + step % 20 once
 * more. */
#include <mpi.h>
#include <stdlib.h>

#include "scalediag_region.h"

enum { kMost = 50 };

static void turn(long turns) {
  for (volatile long i = 0; i < turns; ++i) continue;
}

static void pass(int rank, int ranks, int count, int tag) {
  double sent[kMost] = {0}, received[kMost];
  MPI_Sendrecv(sent, count, MPI_DOUBLE, (rank + 1) % ranks, tag, received, kMost, MPI_DOUBLE,
               (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 40, every = argc > 2 ? atoi(argv[2]) : 1;
  for (int step = 0; step < steps; ++step) {
    const int n = 1 + (step * 17 + rank * 5) % kMost;
    SCALEDIAG_BEGIN("work");
    SCALEDIAG_PARAMETER("n", n);
    if (step % every == 0) SCALEDIAG_PARAMETER("twice", 2 * n);
    turn(2000L * n);
    SCALEDIAG_END("work");
    turn(1000L * n);
    pass(rank, ranks, n, 100 + step % 20);
    turn(1000L * n);
    if (step % 2 == 0) pass(rank, ranks, n, 500 + step % 20);
  }
  MPI_Finalize();
  return 0;
}
