/* Programs whose messages change with the number of ranks, for scaled traces: partners KIND [ROWS]. Ten rounds of
 *   master     rank 0 sends each other rank a task and receives its result
 *   butterfly  MPI_Sendrecv with rank XOR 1, 2, 4, ...
 *   torus      in a plane around along its shorter side, separate sends and receives with one tag
 *   lost       a message to the rank below, which ranks receive where they are fewer than 8
 *   rows       ROWS elements of a byte divided among the ranks, which send theirs to the rank above */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static char in[4096], out[4096];

static void master(void) {
  for (int worker = 1; rank == 0 && worker < size; ++worker) {
    MPI_Send(out, 64, MPI_BYTE, worker, 1, MPI_COMM_WORLD);
  }
  for (int worker = 1; rank == 0 && worker < size; ++worker) {
    MPI_Recv(in, 32, MPI_BYTE, worker, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) return;
  MPI_Recv(in, 64, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, 32, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
}

static void butterfly(void) {
  for (int mask = 1; mask < size; mask *= 2) {
    MPI_Sendrecv(out, 512, MPI_BYTE, rank ^ mask, 3, in, 512, MPI_BYTE, rank ^ mask, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

static void torus(void) {
  int side = 1;
  while (4 * side * side <= size) side *= 2;
  const int row = rank / side * side, up = row + (rank + 1) % side, down = row + (rank + side - 1) % side;
  MPI_Request requests[4];
  if (side == 1) return;
  MPI_Irecv(in, 256, MPI_BYTE, down, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + 256, 256, MPI_BYTE, up, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, 256, MPI_BYTE, up, 4, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out, 256, MPI_BYTE, down, 4, MPI_COMM_WORLD, &requests[3]);
  for (int i = 0; i < 4; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void lost(void) {
  if (rank > 0) MPI_Send(out, 8, MPI_BYTE, rank - 1, 5, MPI_COMM_WORLD);
  if (size < 8 && rank + 1 < size) {
    MPI_Recv(in, 8, MPI_BYTE, rank + 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void rows(int n) {
  const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(out, n / size + (rank < n % size), MPI_BYTE, above, 6, in, sizeof in, MPI_BYTE, below, 6,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 10; ++round) {
    if (strcmp(kind, "master") == 0) master();
    if (strcmp(kind, "butterfly") == 0) butterfly();
    if (strcmp(kind, "torus") == 0) torus();
    if (strcmp(kind, "lost") == 0) lost();
    if (strcmp(kind, "rows") == 0) rows(argc > 2 ? atoi(argv[2]) : 64);
    MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
