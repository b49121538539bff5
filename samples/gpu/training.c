/* training [SAMPLES [PARAMETERS [STEPS]]]: P ranks, a device each, train on a part of SAMPLES each, and sum PARAMETERS
 * gradients (floats) over all ranks, with the stand-ins beside this file. The times are the device's, N = 4 PARAMETERS
 * bytes:
 *
 *   function        on each of STEPS steps                          device time of a rank                scales
 *   train           one launch of `backward`, then the sum by       SAMPLES/P x 10 us                    yes
 *                   ncclAllReduce in the same stream, and the       2 (P-1) (5 us + N/P x 0.1 ns)        no
 *                   wait for both
 *   pass_on         a group of one message to the next rank and     5 us + 8 us                          no, small
 *                   one from the rank before, 80000 bytes each      (P = 1: to itself)
 *
 * A step also computes 1 ms on the host (host_work). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_time.h"
#include "stub_nccl.h"
#include "stub_runtime.h"

void backward(double* seconds) { (void)seconds; }
__attribute__((constructor)) static void register_kernels(void) {
  __cudaRegisterFunction(NULL, (const void*)(uintptr_t)backward, NULL, "backward", -1, NULL, NULL, NULL, NULL, NULL);
}

enum { kPassed = 20000 };
static int rank, ranks;
static void *stream, *communicator, *gradients;

__attribute__((noinline)) double host_work(void) { return compute_for(1e-3); }
__attribute__((noinline)) void train(double samples, size_t parameters) {
  const struct Dim3 one = {1, 1, 1};
  double seconds = 1e-5 * samples;
  void* arguments[] = {&seconds};
  cudaLaunchKernel((const void*)(uintptr_t)backward, one, one, arguments, 0, stream);
  ncclAllReduce(gradients, gradients, parameters, kNcclFloat, kNcclSum, communicator, stream);
  cudaStreamSynchronize(stream);
}
__attribute__((noinline)) void pass_on(void) {
  ncclGroupStart();
  ncclSend(gradients, kPassed, kNcclFloat, (rank + 1) % ranks, communicator, stream);
  ncclRecv(gradients, kPassed, kNcclFloat, (rank + ranks - 1) % ranks, communicator, stream);
  ncclGroupEnd();
  cudaStreamSynchronize(stream);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double samples = argc > 1 ? strtod(argv[1], NULL) : 4000;
  const size_t parameters = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000000;
  const long steps = argc > 3 ? strtol(argv[3], NULL, 10) : 20;
  UniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, (int)sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclCommInitRank(&communicator, ranks, id, rank);
  cudaStreamCreate(&stream);
  cudaMalloc(&gradients, 4 * (parameters > kPassed ? parameters : kPassed));
  double x = 0;
  for (long step = 0; step < steps; ++step) {
    x += host_work();
    train(samples / ranks, parameters);
    pass_on();
  }
  if (rank == 0) printf("training: %ld steps, %g\n", steps, x);
  cudaFree(gradients);
  ncclCommDestroy(communicator);
  MPI_Finalize();
  return 0;
}
