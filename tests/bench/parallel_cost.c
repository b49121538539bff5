/* The time that recording adds to parallel regions, barriers and tasks of OpenMP that are empty. On one rank, with and
 * without, and for comparison with the library loaded and recording left off:
 *
 *     mpirun -n 1 ./parallel_cost
 *     scalediag profile -n 1 --repeat 1 -- ./parallel_cost
 *     SCALEDIAG_OPENMP=off scalediag profile -n 1 --repeat 1 -- ./parallel_cost
 *
 * Each figure is the shortest of many repetitions, because a disturbance only makes one longer. The threads of a task
 * wait for 64 of them at a time. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { kTimes = 2000, kRepetitions = 100, kTasks = 64 };

static volatile int sink;

static void keep_shortest(double* shortest, double begin_s) {
  const double ns = 1e9 * (omp_get_wtime() - begin_s) / kTimes;
  if (ns < *shortest) *shortest = ns;
}

static double region_ns(void) {
  double shortest = 1e30;
  for (int r = 0; r < kRepetitions; ++r) {
    const double begin = omp_get_wtime();
    for (int i = 0; i < kTimes; ++i) {
#pragma omp parallel
      sink = i;
    }
    keep_shortest(&shortest, begin);
  }
  return shortest;
}

static double barrier_ns(void) {
  double shortest = 1e30;
#pragma omp parallel
  for (int r = 0; r < kRepetitions; ++r) {
    const double begin = omp_get_wtime();
    for (int i = 0; i < kTimes; ++i) {
#pragma omp barrier
    }
#pragma omp master
    keep_shortest(&shortest, begin);
  }
  return shortest;
}

static double task_ns(void) {
  double shortest = 1e30;
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < kRepetitions; ++r) {
    const double begin = omp_get_wtime();
    for (int i = 0; i < kTimes; ++i) {
#pragma omp task
      sink = i;
      if (i % kTasks == 0) {
#pragma omp taskwait
      }
    }
#pragma omp taskwait
    keep_shortest(&shortest, begin);
  }
  return shortest;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  for (int threads = 1; threads <= 2; ++threads) {
    omp_set_num_threads(threads);
    printf("%d %s: region %.0f ns, barrier %.0f ns, task %.0f ns\n", threads, threads == 1 ? "thread" : "threads",
           region_ns(), barrier_ns(), task_ns());
  }
  MPI_Finalize();
  return 0;
}
