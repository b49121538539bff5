/* rounds MODE ROUNDS MS: a main loop of ROUNDS rounds that compute for MS milliseconds each, send 8000 bytes to the
 * next rank and add up a number, after one Bcast and before one Reduce and a file "ended", which rank 0 writes. MODE:
 *
 * - even: all rounds are alike
 * - drift: round i takes i times as long as the first
 * - fewer: with two ranks or more, 4 rounds
 * - split, apart: with two ranks or more, rank 1 calls MPI from another place after the third round, or the first
 * - dies: a second run with one rank exits with status 3 in its second round
 * - slow: with two ranks or more, a second a round
 *
 * WITHOUT_BARRIER: in a library whose MPI_Ibarrier fails.
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kDoubles = 1000 };
static double out[kDoubles], in[kDoubles];
static int rank, size;

#ifdef WITHOUT_BARRIER
int PMPI_Ibarrier(MPI_Comm communicator, MPI_Request* request) {
  (void)communicator;
  (void)request;
  return MPI_ERR_OTHER;
}
#endif

static void compute(double ms) {
  struct timespec begin, t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (1e3 * (double)(t.tv_sec - begin.tv_sec) + 1e-6 * (double)(t.tv_nsec - begin.tv_nsec) < ms);
}

#define EXCHANGE(sum)                                                                                                 \
  do {                                                                                                                \
    double mine = 1;                                                                                                  \
    MPI_Sendrecv(out, kDoubles, MPI_DOUBLE, (rank + 1) % size, 1, in, kDoubles, MPI_DOUBLE, (rank + size - 1) % size, \
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                                               \
    MPI_Allreduce(&mine, &(sum), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);                                             \
  } while (0)

__attribute__((noinline)) static double usual_place(void) {
  double sum;
  EXCHANGE(sum);
  return sum;
}

__attribute__((noinline)) static double other_place(void) {
  double sum;
  EXCHANGE(sum);
  return sum + 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4) return 2;
  const char* const mode = argv[1];
  int rounds = atoi(argv[2]);
  const double ms = atof(argv[3]);
  const int is_like_the_first = size == 1;
  if (strcmp(mode, "fewer") == 0 && !is_like_the_first) rounds = 4;
  MPI_Bcast(out, 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double sum = 0;
  for (int i = 1; i <= rounds; ++i) {
    double length_ms = ms;
    if (strcmp(mode, "drift") == 0) length_ms = ms * i;
    if (strcmp(mode, "slow") == 0 && !is_like_the_first) length_ms = 1000;
    compute(length_ms);
    if (strcmp(mode, "dies") == 0 && is_like_the_first && i == 2 && access("ended", F_OK) == 0) exit(3);
    const int last = strcmp(mode, "split") == 0 ? 3 : strcmp(mode, "apart") == 0 ? 1 : rounds;
    const int is_elsewhere = !is_like_the_first && rank == 1 && i > last;
    sum += is_elsewhere ? other_place() : usual_place();
  }
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    FILE* file = fopen("ended", "a");
    fprintf(file, "%d ranks: %g\n", size, all);
    fclose(file);
  }
  MPI_Finalize();
  return 0;
}
