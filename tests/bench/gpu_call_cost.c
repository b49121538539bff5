/* The time of a launch with the stand-in for CUDA's runtime, to which counting adds:
 *
 *     mpirun -n 1 ./gpu_call_cost
 *     scalediag profile -n 1 --repeat 1 --counters none -- ./gpu_call_cost
 *     scalediag profile -n 1 --repeat 1 --counters none --gpu activity -- ./gpu_call_cost
 *
 * The difference to the first is the cost: without the library nothing stands in front of the launch. Without CUPTI the
 * third makes and reads a pair of events, which take the stand-in itself the time that the first run's second line says:
 * that is no part of what counting costs. The figures are the shortest of many repetitions. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "samples/gpu/stub_runtime.h"

enum { kCalls = 20000, kRepetitions = 100 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void empty(void) {}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct Dim3 one = {1, 1, 1};
  double seconds = 0;
  void* arguments[] = {&seconds};
  double least = 1e30;
  for (int r = 0; r < kRepetitions; ++r) {
    const double begin = now_ns();
    for (int i = 0; i < kCalls; ++i) cudaLaunchKernel((const void*)(uintptr_t)empty, one, one, arguments, 0, NULL);
    const double each = (now_ns() - begin) / kCalls;
    if (each < least) least = each;
  }
  printf("launch %.1f ns\n", least);
  void *first, *last;
  cudaEventCreateWithFlags(&first, 0);
  cudaEventCreateWithFlags(&last, 0);
  least = 1e30;
  for (int r = 0; r < kRepetitions; ++r) {
    const double begin = now_ns();
    for (int i = 0; i < kCalls; ++i) {
      float ms;
      cudaEventRecord(first, NULL);
      cudaEventRecord(last, NULL);
      cudaEventQuery(last);
      cudaEventElapsedTime(&ms, first, last);
    }
    const double each = (now_ns() - begin) / kCalls;
    if (each < least) least = each;
  }
  printf("events of the stand-in %.1f ns a pair\n", least);
  MPI_Finalize();
  return 0;
}
