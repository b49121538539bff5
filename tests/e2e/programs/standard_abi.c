/* Calls MPI with the handles and constants of the MPI 5 standard's binary interface, as its mpi.h would have them: every
 * rank but 0 sends rank 0 ten messages of 5 doubles, which receives them from anybody; then a sum of 3 doubles in place. */
#include <stdint.h>
#include <stdio.h>

typedef struct {
  int source, tag, error, internal[5];
} Status;
#define WORLD ((void*)0x101)
#define DOUBLE ((void*)0x214)
#define SUM ((void*)0x21)
#define IN_PLACE ((void*)1)

int MPI_Init(int*, char***);
int MPI_Finalize(void);
int MPI_Comm_rank(void*, int*);
int MPI_Comm_size(void*, int*);
int MPI_Send(const void*, int, void*, int, int, void*);
int MPI_Recv(void*, int, void*, int, int, void*, Status*);
int MPI_Allreduce(const void*, void*, int, void*, void*, void*);

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  double data[5] = {1, 2, 3, 4, 5}, sum[3] = {1, 1, 1};
  int wrong = 0;
  for (int i = 0; i < 10; ++i) {
    if (rank > 0) {
      MPI_Send(data, 5, DOUBLE, 0, 7, WORLD);
      continue;
    }
    for (int from = 1; from < size; ++from) {
      Status status;
      MPI_Recv(data, 5, DOUBLE, -1, -2, WORLD, from % 2 == 0 ? &status : NULL);
      if (from % 2 == 0 && status.tag != 7) ++wrong;
    }
  }
  MPI_Allreduce(IN_PLACE, sum, 3, DOUBLE, SUM, WORLD);
  if (sum[0] != size) ++wrong;
  if (rank == 0) printf("wrong: %d\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
