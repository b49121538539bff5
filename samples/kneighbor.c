/* Blocks of work whose length is drawn, and messages to neighbours on a ring: a program whose time depends on data.
 *
 *   kneighbor [SIZE [STEPS]]      SIZE = largest N, STEPS = S
 *
 * In every step each rank draws N, evenly from 1 to SIZE, multiplies two N x N matrices, and sends N doubles to each of
 * the K = 2 ranks after it. Ranks and steps draw different numbers, and the same ones in every run.
 *
 * The multiplication is marked as a region with the parameter n, which `scalediag blocks learn` finds its time by.
 *
 * Verified: an element of each product; messages are as long as their first number says.
 *
 * Per rank and step:
 *   multiply            1 call, 2 N^3 operations, SIZE (SIZE + 1)^2 / 2 in the mean
 *   MPI_Isend           K calls, 8 N bytes
 *   MPI_Irecv           K calls, room for 8 SIZE bytes
 *   MPI_Waitall         1 call for 2 K requests
 * Per run besides: 1 MPI_Allreduce of 4 bytes (verdict).
 *
 * Nothing stops scaling: work and messages of a rank do not depend on P. How long a step takes is decided by the
 * largest N nearby, so the mean over ranks waits. */
#include <math.h>
#include <mpi.h>

#include "common/arguments.h"
#include "scalediag_region.h"

enum { kNeighbors = 2 };

static const sample_usage kUsage = {.name = "kneighbor",
                                    .summary = "Work of a length that is drawn, and messages to neighbours.",
                                    .size_meaning = "largest N",
                                    .steps_meaning = "steps",
                                    .size_default = 100,
                                    .size_min = 1,
                                    .size_max = 2000,
                                    .steps_default = 1000,
                                    .steps_max = 1000000};

typedef struct {
  int rank, ranks;
  long size;
  double *a, *b, *c;            /* size x size */
  double* sent;                 /* size */
  double* received[kNeighbors]; /* size each */
} state;

static double* allocate(long count) {
  double* memory = calloc((size_t)count, sizeof(double));
  if (memory == NULL) {
    fprintf(stderr, "error: kneighbor: out of memory\nhint: a smaller SIZE\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return memory;
}

/* Mixes rank and step into a number from 1 to size (the finishing steps of splitmix64). */
static long draw(long size, int rank, long step) {
  unsigned long long x = (unsigned long long)rank * 1000003ULL + (unsigned long long)step * 0x9E3779B97F4A7C15ULL + 1;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  x ^= x >> 31;
  return 1 + (long)(x % (unsigned long long)size);
}

/* c = a b for n x n matrices. */
SAMPLE_KERNEL static void multiply(const double* a, const double* b, double* c, long n) {
  for (long i = 0; i < n; ++i) {
    double* row = c + i * n;
    for (long j = 0; j < n; ++j) row[j] = 0;
    for (long k = 0; k < n; ++k) {
      const double factor = a[i * n + k];
      for (long j = 0; j < n; ++j) row[j] += factor * b[k * n + j];
    }
  }
}

/* All of b is 1, so every element of the product is the sum of its row of a; the last one is checked. */
static int work(state* s, long n) {
  SCALEDIAG_BEGIN("multiply");
  SCALEDIAG_PARAMETER("n", n);
  multiply(s->a, s->b, s->c, n);
  SCALEDIAG_END("multiply");
  double expected = 0;
  for (long k = 0; k < n; ++k) expected += s->a[(n - 1) * n + k];
  return fabs(s->c[n * n - 1] - expected) <= 1e-9 * expected;
}

static int exchange(state* s, long n) {
  MPI_Request requests[2 * kNeighbors];
  MPI_Status statuses[2 * kNeighbors];
  s->sent[0] = (double)n;
  for (int k = 0; k < kNeighbors; ++k) {
    MPI_Isend(s->sent, (int)n, MPI_DOUBLE, (s->rank + k + 1) % s->ranks, k, MPI_COMM_WORLD, &requests[k]);
  }
  for (int k = 0; k < kNeighbors; ++k) {
    const int from = ((s->rank - k - 1) % s->ranks + s->ranks) % s->ranks;
    MPI_Irecv(s->received[k], (int)s->size, MPI_DOUBLE, from, k, MPI_COMM_WORLD, &requests[kNeighbors + k]);
  }
  MPI_Waitall(2 * kNeighbors, requests, statuses);
  int good = 1;
  for (int k = 0; k < kNeighbors; ++k) {
    int count = 0;
    MPI_Get_count(&statuses[kNeighbors + k], MPI_DOUBLE, &count);
    good = good && count == (int)s->received[k][0];
  }
  return good;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  state s = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  long steps = 0;
  int status = sample_read_arguments(argc, argv, &kUsage, s.rank, &s.size, &steps);
  if (status == kSampleRun) {
    if (s.rank == 0) printf("kneighbor: size %ld, steps %ld, ranks %d\n", s.size, steps, s.ranks);
    s.a = allocate(s.size * s.size);
    s.b = allocate(s.size * s.size);
    s.c = allocate(s.size * s.size);
    s.sent = allocate(s.size);
    for (int k = 0; k < kNeighbors; ++k) s.received[k] = allocate(s.size);
    for (long i = 0; i < s.size * s.size; ++i) {
      s.a[i] = 1.0 + (double)(i % 7);
      s.b[i] = 1.0;
    }
    int good = 1;
    for (long step = 0; step < steps; ++step) {
      const long n = draw(s.size, s.rank, step);
      good = work(&s, n) && good;
      good = exchange(&s, n) && good;
    }
    int all = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    status = sample_verdict(s.rank, all);
    free(s.a);
    free(s.b);
    free(s.c);
    free(s.sent);
    for (int k = 0; k < kNeighbors; ++k) free(s.received[k]);
  }
  MPI_Finalize();
  return status;
}
