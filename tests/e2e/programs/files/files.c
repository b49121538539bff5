/* Writes a file together and reads it again, each rank 20 times 4 MiB of its own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBytes = 4 << 20, kTimes = 20 };

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  MPI_File file;
  char* data = calloc(kBytes, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i < kTimes; ++i) {
    const MPI_Offset at = (MPI_Offset)kBytes * (i * size + rank);
    MPI_File_write_at_all(file, at, data, kBytes, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, at, data, kBytes, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
  if (rank == 0) printf("%s\n", data[0] == 0 ? "zeros" : "wrong");
  MPI_Finalize();
  free(data);
  return 0;
}
