/* A program that is recorded at one place and replayed at another one.
 *
 *   moved FILE
 *
 * reads a number of steps from FILE, computes with a field, adds up over all ranks in every step, and writes the result
 * into the file `result`. The loop over the field is one that -O3 makes other code of than -O2. */
#include <mpi.h>
#include <stdio.h>

enum { kCells = 4096 };

int main(int argc, char** argv) {
  static double field[kCells];
  long steps = 0;
  int rank = 0, size = 0;
  double all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  FILE* const input = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (input == NULL || fscanf(input, "%ld", &steps) != 1) {
    fprintf(stderr, "the number of steps cannot be read\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  fclose(input);
  for (long step = 0; step < steps; ++step) {
    for (int i = 1; i + 1 < kCells; ++i) field[i] = 0.5 * field[i] + 0.25 * (field[i - 1] + field[i + 1]) + rank;
    double sum = 0;
    for (int i = 0; i < kCells; ++i) sum += field[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < kCells; ++i) field[i] -= all / (size * (double)kCells);
  }
  FILE* const result = rank == 0 ? fopen("result", "w") : NULL;
  if (result != NULL) {
    fprintf(result, "%.9f\n", all);
    fclose(result);
  }
  printf("rank %d of %d: %.9f after %ld steps\n", rank, size, all, steps);
  MPI_Finalize();
  return 0;
}
