/* Work on a device that scales, with one cause planted into it that does not: planted_gpu CAUSE [SHARING]. The device
 * is played by the stand-in beside it, and called as CUDA's driver is. SHARING ranks have one device (1).
 *
 * On each of kSteps steps every one of P ranks computes kHost / P s on the host, and advance_cells() launches
 * `advance`, kDevice / P s, and waits for it. One MPI_Allreduce of 8 bytes ends the run. CAUSE is none, or on each step
 * adds
 *
 *   transfers     send_table(): 8 MB to the device, whatever P is
 *   launches      smooth_cells(): 1000 launches of `smooth`, 5 us each, and the wait for them, whatever P is
 *   one_device    refine_mesh(): `refine`, kDevice / 2 / sqrt(P) s on rank 0, kDevice / 2 / P s on the others
 *   device_work   rebuild_tree(): `rebuild`, 10 ms, whatever P is
 *   communicates  exchange(): 10 times MPI_Allreduce of 256 kB while nothing is on the device */
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_time.h"

enum { kSteps = 5, kTable = 8000000, kShared = 32768 };
static const double kHost_s = 0.15, kDevice_s = 0.45;

typedef unsigned long long Address;
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamSynchronize(void* stream);
int cuMemAlloc_v2(Address* to, size_t n);
int cuMemcpyHtoD_v2(Address to, const void* from, size_t n);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** arguments, void** extra);

static void* stream;
static Address on_device;

#define APART __attribute__((noinline, noclone))

/* Launches `kernel` so many times and waits for it; a macro, so that the calls are those of the function around it. */
#define RUN_ON_DEVICE(kernel, seconds, times)                                                                        \
  do {                                                                                                               \
    static void* function;                                                                                           \
    double argument = seconds;                                                                                       \
    void* arguments[] = {&argument};                                                                                 \
    if (function == NULL) cuModuleGetFunction(&function, NULL, #kernel);                                             \
    for (int i = 0; i < (times); ++i) {                                                                              \
      if (cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 3); \
    }                                                                                                                \
    cuStreamSynchronize(stream);                                                                                     \
  } while (0)

APART static void advance_cells(double seconds) { RUN_ON_DEVICE(advance, seconds, 1); }
APART static void smooth_cells(void) { RUN_ON_DEVICE(smooth, 5e-6, 1000); }
APART static void refine_mesh(double seconds) { RUN_ON_DEVICE(refine, seconds, 1); }
APART static void rebuild_tree(void) { RUN_ON_DEVICE(rebuild, 10e-3, 1); }
APART static void send_table(const char* table) { cuMemcpyHtoD_v2(on_device, table, kTable); }
APART static void exchange(double* values, double* sums) {
  for (int i = 0; i < 10; ++i) MPI_Allreduce(values, sums, kShared, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
APART static double on_host(double seconds) { return compute_for(seconds); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* cause = argc > 1 ? argv[1] : "";
  const char* known[] = {"none", "transfers", "launches", "one_device", "device_work", "communicates"};
  size_t which = 0;
  while (which < sizeof known / sizeof *known && strcmp(known[which], cause) != 0) ++which;
  const int sharing = argc > 2 ? atoi(argv[2]) : 1;
  if (which == sizeof known / sizeof *known || sharing < 1) {
    if (rank == 0)
      fprintf(stderr, "usage: planted_gpu none|transfers|launches|one_device|device_work|communicates [SHARING]\n");
    MPI_Finalize();
    return 2;
  }
  char device[16];
  snprintf(device, sizeof device, "%d", rank / sharing);
  setenv("CUDA_VISIBLE_DEVICES", device, 1);

  char* table = calloc(kTable, 1);
  double* values = calloc(2 * kShared, sizeof *values);
  cuStreamCreate(&stream, 0);
  cuMemAlloc_v2(&on_device, kTable);
  double mine = 0, sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    mine += on_host(kHost_s / kSteps / ranks);
    advance_cells(kDevice_s / kSteps / ranks);
    if (which == 1) send_table(table);
    if (which == 2) smooth_cells();
    if (which == 3) refine_mesh(kDevice_s / kSteps / 2 / (rank == 0 ? sqrt(ranks) : ranks));
    if (which == 4) rebuild_tree();
    if (which == 5) exchange(values, values + kShared);
  }
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("planted_gpu: %g\n", sum);
  MPI_Finalize();
  return 0;
}
