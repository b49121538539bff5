/* offload [SIZE [STEPS]]: each rank's part of a grid of SIZE cells is computed on a device that the stand-ins beside
 * this file play. P ranks; the times are the device's.
 *
 *   function       on each of STEPS steps                                        device time of a rank     scales
 *   update_cells   one launch of `update` in a stream, then the wait for it      SIZE/P x 100 ns           yes
 *   small_kernels  20 launches of `correct` and the wait for them                20 x 50 us                no: launches
 *   send_table     the whole table, 8 SIZE bytes, to the device                  10 us + SIZE x 0.8 ns     no: bytes
 *   fetch_border   1024 bytes from the device, then a sum over the ranks         10 us + 0.1 us            no, small
 *   slow_device    rank 0 alone, with a third argument: one launch of `extra`    20 ms                     one device
 *
 * A step also computes 1 ms on the host (host_work). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_time.h"
#include "stub_runtime.h"

static void* stream;
static void *on_device, *on_host;

/* A compiler for CUDA makes functions of the host of kernels, and registers these with their names. */
void update(double* seconds) { (void)seconds; }
void correct(double* seconds) { (void)seconds; }
void extra(double* seconds) { (void)seconds; }
__attribute__((constructor)) static void register_kernels(void) {
  __cudaRegisterFunction(NULL, (const void*)(uintptr_t)update, NULL, "update", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(NULL, (const void*)(uintptr_t)correct, NULL, "correct", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(NULL, (const void*)(uintptr_t)extra, NULL, "extra", -1, NULL, NULL, NULL, NULL, NULL);
}

static const struct Dim3 one = {1, 1, 1};
/* As `kernel<<<1, 1, 0, stream>>>(seconds)`. */
#define LAUNCH(kernel, seconds)                                                                \
  do {                                                                                         \
    double argument = seconds;                                                                 \
    void* arguments[] = {&argument};                                                           \
    if (cudaLaunchKernel((const void*)(uintptr_t)kernel, one, one, arguments, 0, stream) != 0) \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                            \
  } while (0)

__attribute__((noinline)) void update_cells(double cells) {
  LAUNCH(update, 1e-7 * cells);
  cudaStreamSynchronize(stream);
}
__attribute__((noinline)) void small_kernels(void) {
  for (int i = 0; i < 20; ++i) LAUNCH(correct, 5e-5);
  cudaStreamSynchronize(stream);
}
__attribute__((noinline)) void send_table(size_t bytes) { cudaMemcpy(on_device, on_host, bytes, kHostToDevice); }
__attribute__((noinline)) void fetch_border(void) {
  cudaMemcpyAsync(on_host, on_device, 1024, kDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double sum = 0, mine = 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
__attribute__((noinline)) void slow_device(void) {
  LAUNCH(extra, 0.02);
  cudaDeviceSynchronize();
}
__attribute__((noinline)) double host_work(void) { return compute_for(1e-3); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long size = argc > 1 ? strtol(argv[1], NULL, 10) : 200000;
  const long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 25;
  if (size < 1024 || size > 100000000 || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: offload [SIZE of 1024 to 100000000 [STEPS [slow]]]\n");
    MPI_Finalize();
    return 2;
  }
  const size_t bytes = 8 * (size_t)size;
  cudaStreamCreate(&stream);
  cudaMalloc(&on_device, bytes);
  on_host = calloc(bytes, 1);
  double x = 0;
  for (long step = 0; step < steps; ++step) {
    x += host_work();
    send_table(bytes);
    update_cells((double)size / ranks);
    small_kernels();
    if (argc > 3 && rank == 0) slow_device();
    fetch_border();
  }
  if (rank == 0) printf("offload: %ld cells, %ld steps, %g\n", size, steps, x);
  cudaFree(on_device);
  free(on_host);
  MPI_Finalize();
  return 0;
}
