/* The time that a wrapper adds to a call. On one rank, with and without:
 *
 *     mpirun -n 1 ./wrapper_cost
 *     scalediag profile -n 1 --repeat 1 -- ./wrapper_cost
 *     scalediag profile -n 1 --repeat 1 --trace -- ./wrapper_cost     (the cost of recording an event)
 *
 * MPI_X goes through the wrapper and PMPI_X past it, so the difference of the two in one process is the
 * wrapper's cost; without the library it has to be near 0. Each figure is the shortest of many
 * repetitions, because a disturbance only makes one longer. Calls to MPI_PROC_NULL do almost nothing in
 * MPI, which leaves the least noise. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kCalls = 20000, kRepetitions = 200 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Interleaved, so that a change of the processor's clock rate affects both. */
#define MEASURE(label, CALL, PCALL)                                                                           \
  do {                                                                                                        \
    double with = 1e30, past = 1e30;                                                                          \
    for (int r = 0; r < kRepetitions; ++r) {                                                                  \
      double begin = now_ns();                                                                                \
      for (int i = 0; i < kCalls; ++i) CALL;                                                                  \
      double middle = now_ns();                                                                               \
      for (int i = 0; i < kCalls; ++i) PCALL;                                                                 \
      double end = now_ns();                                                                                  \
      if ((middle - begin) / kCalls < with) with = (middle - begin) / kCalls;                                 \
      if ((end - middle) / kCalls < past) past = (end - middle) / kCalls;                                     \
    }                                                                                                         \
    printf("%-28s MPI_ %7.1f ns  PMPI_ %7.1f ns  wrapper %6.1f ns a call\n", label, with, past, with - past); \
  } while (0)

int main(int argc, char** argv) {
  int flag = 0;
  double data[16] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm world = MPI_COMM_WORLD;
  MEASURE("Iprobe(MPI_PROC_NULL)", MPI_Iprobe(MPI_PROC_NULL, 0, world, &flag, MPI_STATUS_IGNORE),
          PMPI_Iprobe(MPI_PROC_NULL, 0, world, &flag, MPI_STATUS_IGNORE));
  MEASURE("Iprobe(MPI_ANY_SOURCE)", MPI_Iprobe(MPI_ANY_SOURCE, 0, world, &flag, MPI_STATUS_IGNORE),
          PMPI_Iprobe(MPI_ANY_SOURCE, 0, world, &flag, MPI_STATUS_IGNORE));
  MEASURE("Test(MPI_REQUEST_NULL)", MPI_Test(&request, &flag, MPI_STATUS_IGNORE),
          PMPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  MEASURE("Wait(MPI_REQUEST_NULL)", MPI_Wait(&request, MPI_STATUS_IGNORE), PMPI_Wait(&request, MPI_STATUS_IGNORE));
  MEASURE("Send(MPI_PROC_NULL)", MPI_Send(data, 16, MPI_DOUBLE, MPI_PROC_NULL, 0, world),
          PMPI_Send(data, 16, MPI_DOUBLE, MPI_PROC_NULL, 0, world));
  MEASURE("Allreduce on MPI_COMM_SELF", MPI_Allreduce(MPI_IN_PLACE, data, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF),
          PMPI_Allreduce(MPI_IN_PLACE, data, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF));
  MPI_Finalize();
  return 0;
}
