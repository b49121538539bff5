/* Works for half a second a rank in one function, for the stand-alone test. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

__attribute__((noinline)) double measured_work(void) {
  const clock_t end = clock() + CLOCKS_PER_SEC / 2;
  double sum = 0;
  while (clock() < end) {
    for (int i = 1; i < 10000; ++i) sum += 1.0 / i;
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double sum = measured_work(), all = 0;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", all);
  MPI_Finalize();
  return 0;
}
