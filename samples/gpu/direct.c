/* direct [STEPS]: messages whose buffers are memory of the device, as an MPI that knows GPUs takes them. The stand-in's
 * memory of the device is the host's, so that any MPI does. On each of STEPS steps every rank sends 4000 bytes from the
 * device to the next rank and receives as many into it (MPI_Sendrecv), sums 8 bytes that lie on the host and 8 of
 * the device in place, sends 100 bytes from the host, and 50 bytes that it copies from the device to the host first. */
#include <mpi.h>
#include <stdlib.h>

#include "stub_runtime.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  void* memory;
  cudaMalloc(&memory, 8000);
  char *on_device = memory, on_host[200] = "", copy[100] = "";
  double mine = 1, sum = 0;
  for (long step = 0; step < steps; ++step) {
    MPI_Sendrecv(on_device, 4000, MPI_BYTE, next, 0, on_device + 4000, 4000, MPI_BYTE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(on_host, 100, MPI_BYTE, next, 1, on_host + 100, 100, MPI_BYTE, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    cudaMemcpy(copy, on_device, 50, kDeviceToHost);
    MPI_Sendrecv(copy, 50, MPI_BYTE, next, 3, copy + 50, 50, MPI_BYTE, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, on_device, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  cudaFree(memory);
  /* The address may be given to the host now. */
  MPI_Sendrecv(on_host, 100, MPI_BYTE, next, 2, on_host + 100, 100, MPI_BYTE, before, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
