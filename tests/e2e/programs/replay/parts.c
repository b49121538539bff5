/* Two main loops, one after the other: parts N M. In each iteration every rank uses up a millisecond of CPU time, sends
 * 40 kB of noise to the next rank, which are others in each iteration, and adds a number over all ranks. After the
 * first loop each rank prints how many of its messages were not those of their iteration, and at the end the same of
 * the second.
 *
 *   parts N M nested   the first loop is gone through twice, within a loop of two rounds
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kNumbers = 5000 };

static volatile double sink;

static void compute(void) {
  const clock_t begin = clock();
  double x = 1;
  while (clock() - begin < CLOCKS_PER_SEC / 1000) {
    for (int i = 0; i < 1000; ++i) x = x * 1.0000001 + 1e-9;
  }
  sink = x;
}

static void fill(uint64_t* numbers, uint64_t iteration) {
  uint64_t x = iteration * 1000003 + 1;
  for (int i = 0; i < kNumbers; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    numbers[i] = x;
  }
}

/* Whether what came is of another iteration. */
static int step(int rank, int size, int tag, uint64_t iteration) {
  static uint64_t out[kNumbers], in[kNumbers], expected[kNumbers];
  MPI_Request request;
  double one = 1, all = 0;
  fill(out, iteration);
  compute();
  MPI_Irecv(in, kNumbers, MPI_UINT64_T, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &request);
  MPI_Send(out, kNumbers, MPI_UINT64_T, (rank + 1) % size, tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (all != size) MPI_Abort(MPI_COMM_WORLD, 1);
  fill(expected, iteration);
  return memcmp(in, expected, sizeof in) != 0;
}

static void run(const char* name, int rank, int size, int tag, int n) {
  int others = 0;
  for (int i = 0; i < n; ++i) others += step(rank, size, tag, (uint64_t)(1000 * tag + i));
  printf("rank %d: %d of %d messages of the %s loop are others\n", rank, others, n, name);
  fflush(stdout);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int n = atoi(argv[1]), m = atoi(argv[2]), rounds = argc > 3 ? 2 : 1;
  for (int round = 0; round < rounds; ++round) {
    run("first", rank, size, 1, n);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  run("second", rank, size, 2, m);
  MPI_Finalize();
  return 0;
}
