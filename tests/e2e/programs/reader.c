/* Rank 0 counts the bytes and lines of its standard input. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    long bytes = 0;
    long lines = 0;
    for (int c = getchar(); c != EOF; c = getchar()) {
      ++bytes;
      lines += c == '\n';
    }
    printf("read %ld bytes, %ld lines\n", bytes, lines);
  }
  MPI_Finalize();
  return 0;
}
