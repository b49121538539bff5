/* Two OpenMP threads a rank. Times are CPU time of the thread.
 *   together   0.5 s on each thread
 *   alone      1 s on one thread, while the other waits for it
 *   hand_out   2,000,000 iterations that are distributed one by one, which is work of the OpenMP library
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((always_inline)) static inline double spin(double seconds) {
  const double end = cpu_s() + seconds;
  double sum = 0;
  while (cpu_s() < end) {
    for (int i = 1; i < 500000; ++i) sum += 1.0 / i;
  }
  return sum;
}

/* The names that the profile has to show. */
__attribute__((noinline)) static double together(void) { return spin(0.5) + 1; }
__attribute__((noinline)) static double alone(void) { return spin(1.0) + 1; }

int main(int argc, char** argv) {
  int provided = 0;
  int rank = 0;
  double sum = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#pragma omp parallel reduction(+ : sum)
  {
    sum += together();
#pragma omp barrier
#pragma omp master
    sum += alone();
#pragma omp barrier
  }
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
  for (int i = 0; i < 2000000; ++i) sum += i;
  double total = 0;
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%d threads, sum %s\n", omp_get_max_threads(), total > 0 ? "positive" : "wrong");
  MPI_Finalize();
  return 0;
}
