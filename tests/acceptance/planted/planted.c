/* Work that scales, with one cause planted into it that does not: planted CAUSE. Cost is counted in units of one
 * multiplication and one addition that depend on the step before, some 2 ns each.
 *
 * Every rank runs solve(): 60 times kWork / 60 / P units, and one MPI_Allreduce of 8 bytes every 10 steps. Besides:
 *
 *   serial         rank 0 alone runs write_summary(), kPlanted units in all, for any P
 *   root_sends     rank 0 sends 40 messages of 160 kB to every other rank
 *   root_receives  rank 0 receives 200 messages of 4 kB from every other rank
 *   imbalance      refine(): kWork / 4 units over sqrt(P) on rank 0, kWork / 4 / P on the others
 *   replicated     every rank runs build_table(), kPlanted units, whatever P is
 *   helper         solve() and read_input() both do their work in relax(): kWork / P and kPlanted units
 *
 * Of OpenMP's threads (when compiled with -fopenmp) the second does half of solve()'s work; and
 *
 *   threads_wait   the first thread alone runs update_boundary(), kWork / 4 / P units, while the others wait for it
 *   threads_idle   the same, but kPlanted units, whatever P is */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSteps = 60 };
static const double kWork = 2e9;
static const double kPlanted = 8e6; /* a quarter of solve()'s share of one of 64 ranks */

#define APART __attribute__((noinline, noclone))

/* A macro, so that functions which use it have loops of their own. */
#define CHURN(x, units) \
  for (long i_ = 0; i_ < (long)(units); ++i_) (x) = (x) * 0.999999 + 1e-7

APART static double relax(double x, double units) {
  CHURN(x, units);
  return x;
}

APART static double solve(double x, double units) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static, 1)
  for (int half = 0; half < 2; ++half) {
    double y = x + half;
    CHURN(y, units / 2);
    sum += y;
  }
  return sum;
}

APART static double write_summary(double x, double units) {
  CHURN(x, units);
  return x + 1;
}

APART static double refine(double x, double units) {
  CHURN(x, units);
  return x + 2;
}

APART static double build_table(double x, double units) {
  CHURN(x, units);
  return x + 3;
}

APART static double read_input(double x, double units) { return relax(x, units) + 4; }

APART static double update_boundary(double x, double units) {
  CHURN(x, units);
  return x + 5;
}

static void root_to_all(int rank, int ranks, int messages, int bytes, int to_root) {
  char* buffer = calloc((size_t)bytes, 1);
  for (int m = 0; m < messages; ++m) {
    for (int other = 1; other < ranks; ++other) {
      const int sends = to_root ? rank == other : rank == 0;
      const int receives = to_root ? rank == 0 : rank == other;
      if (sends) MPI_Send(buffer, bytes, MPI_BYTE, to_root ? 0 : other, 0, MPI_COMM_WORLD);
      if (receives) MPI_Recv(buffer, bytes, MPI_BYTE, to_root ? other : 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  free(buffer);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* cause = argc > 1 ? argv[1] : "";
#define IS(name) (strcmp(cause, name) == 0)

  double x = rank;
  if (IS("helper")) x += read_input(x, kPlanted);
  if (IS("replicated")) x += build_table(x, kPlanted);
  for (int step = 0; step < kSteps; ++step) {
    const double units = kWork / kSteps / ranks;
    x += IS("helper") ? relax(x, units) : solve(x, units);
    if (IS("imbalance")) x += refine(x, kWork / 4 / kSteps / (rank == 0 ? sqrt(ranks) : ranks));
    if (IS("serial") && rank == 0) x += write_summary(x, kPlanted / kSteps);
    if (IS("threads_wait")) x += update_boundary(x, kWork / 4 / kSteps / ranks);
    if (IS("threads_idle")) x += update_boundary(x, kPlanted / kSteps);
    if (step % 10 == 9) {
      double sum;
      MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      x = sum / ranks;
    }
  }
  if (IS("root_sends")) root_to_all(rank, ranks, 40, 160000, 0);
  if (IS("root_receives")) root_to_all(rank, ranks, 200, 4096, 1);
  if (rank == 0) printf("%s %g\n", cause, x);
  MPI_Finalize();
  return 0;
}
