/* Writes and reads files in every way that is counted, and keeps memory that grows with the number of ranks.
 *
 * A rank writes 4 blocks of 1000 bytes by MPI-IO, 10 of 123 bytes by fwrite and 7 bytes by fprintf; it reads these 1237
 * bytes with read, and writes 50 with pwrite. Output to a pipe is no file's. Memory: 16 MiB and 8 MiB for each rank. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char block[1000];
  memset(block, 1, sizeof block);

  MPI_File shared;
  MPI_File_open(MPI_COMM_WORLD, "shared.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &shared);
  for (int i = 0; i < 4; ++i) {
    MPI_File_write_at(shared, (MPI_Offset)(4 * rank + i) * 1000, block, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&shared);

  char name[64];
  snprintf(name, sizeof name, "own%d.data", rank);
  FILE* own = fopen(name, "w");
  if (own == NULL) return 1;
  for (int i = 0; i < 10; ++i) fwrite(block, 1, 123, own);
  fprintf(own, "%06d\n", rank);
  fclose(own);

  const int again = open(name, O_RDWR);
  ssize_t n = 0, got = 0;
  while ((got = read(again, block, sizeof block)) > 0) n += got;
  if (pwrite(again, block, 50, 0) != 50) return 1;
  close(again);

  const size_t bytes = ((size_t)16 + 8 * (size_t)size) << 20;
  char* kept = malloc(bytes);
  if (kept == NULL) return 1;
  memset(kept, rank + 1, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();

  /* What the system says, as /usr/bin/time does; the numbers are in kB. */
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "VmHWM:", 6) == 0) printf("%d read %zd peak %ld %d\n", rank, n, atol(line + 6), kept[bytes / 2]);
  }
  return 0;
}
