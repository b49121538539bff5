/* Rank 0 prints its arguments between brackets, to stdout and the last one to stderr as well. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int i = 1; i < argc; ++i) printf("[%s]", argv[i]);
    printf("\n");
    if (argc > 1) fprintf(stderr, "on stderr: %s\n", argv[argc - 1]);
  }
  MPI_Finalize();
  return 0;
}
