/* two_streams [MICROSECONDS [STEPS]]: two streams of a device work at the same time, which the stand-ins beside this
 * file play. On each step every rank asks for
 *
 *   stream 1   one launch of `interior`, T us, then one of `border`, T/4 us
 *   stream 2   a copy of 800000 bytes to the device (10 us + 80 us), then one launch of `pack`, T/2 us
 *
 * and computes 1 ms on the host meanwhile. step_both() then waits for stream 2, which is done first where T is large,
 * and for the device. A step's device work is 1.75 T + 90 us in sum, and takes 1.25 T. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_time.h"
#include "stub_runtime.h"

void interior(double* seconds) { (void)seconds; }
void border(double* seconds) { (void)seconds; }
void pack(double* seconds) { (void)seconds; }
__attribute__((constructor)) static void register_kernels(void) {
  __cudaRegisterFunction(NULL, (const void*)(uintptr_t)interior, NULL, "interior", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(NULL, (const void*)(uintptr_t)border, NULL, "border", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(NULL, (const void*)(uintptr_t)pack, NULL, "pack", -1, NULL, NULL, NULL, NULL, NULL);
}

enum { kBytes = 800000 };
static void *streams[2], *on_device, *on_host;

static void launch(void (*kernel)(double*), double seconds, void* stream) {
  const struct Dim3 one = {1, 1, 1};
  void* arguments[] = {&seconds};
  if (cudaLaunchKernel((const void*)(uintptr_t)kernel, one, one, arguments, 0, stream) != 0)
    MPI_Abort(MPI_COMM_WORLD, 3);
}
__attribute__((noinline)) double host_work(void) { return compute_for(1e-3); }
__attribute__((noinline)) double step_both(double seconds) {
  launch(interior, seconds, streams[0]);
  cudaMemcpyAsync(on_device, on_host, kBytes, kHostToDevice, streams[1]);
  launch(border, seconds / 4, streams[0]);
  launch(pack, seconds / 2, streams[1]);
  const double x = host_work();
  cudaStreamSynchronize(streams[1]);
  cudaDeviceSynchronize();
  return x;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double seconds = 1e-6 * (argc > 1 ? strtod(argv[1], NULL) : 20000);
  const long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 20;
  for (int i = 0; i < 2; ++i) cudaStreamCreate(&streams[i]);
  cudaMalloc(&on_device, kBytes);
  on_host = calloc(kBytes, 1);
  double x = 0, mine = 1, sum = 0;
  for (long step = 0; step < steps; ++step) {
    x += step_both(seconds);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (x < 0) printf("%g\n", x);
  cudaFree(on_device);
  free(on_host);
  MPI_Finalize();
  return 0;
}
