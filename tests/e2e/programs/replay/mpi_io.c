/* Reads in.dat, whose byte i is 7 i modulo 251 (4000 of them), by MPI in several ways, and writes out.dat. Every rank
 * prints how many bytes were wrong, and what MPI says of the file and of one that is not there. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kBytes = 100 };

static int wrong;

static void expect(const unsigned char* bytes, int from, int stride, MPI_Status* status, int count) {
  int came = 0;
  MPI_Get_count(status, MPI_BYTE, &came);
  wrong += came != count;
  for (int i = 0; i < count; ++i) wrong += bytes[i] != (from + i * stride) * 7 % 251;
}

int main(int argc, char** argv) {
  unsigned char bytes[kBytes];
  int rank, size, mode = 0, members = 0;
  MPI_File file, out, missing;
  MPI_Status status;
  MPI_Request request;
  MPI_Offset length = 0, place = 0;
  MPI_Group group;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File_open(MPI_COMM_WORLD, "in.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_get_size(file, &length);
  MPI_File_get_amode(file, &mode);
  MPI_File_get_group(file, &group);
  MPI_Group_size(group, &members);
  wrong += members != size;
  MPI_Group_free(&group);
  MPI_File_read_at(file, 200 * rank, bytes, kBytes, MPI_BYTE, &status);
  expect(bytes, 200 * rank, 1, &status, kBytes);
  /* The end of the file: 30 bytes of 100. */
  memset(bytes, 3, sizeof bytes);
  MPI_File_read_at(file, 3970, bytes, kBytes, MPI_BYTE, &status);
  expect(bytes, 3970, 1, &status, 30);
  wrong += bytes[30] != 3;
  MPI_File_seek(file, 50, MPI_SEEK_SET);
  MPI_File_read(file, bytes, 10, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_get_position(file, &place);
  wrong += bytes[9] != 59 * 7 % 251 || place != 60;
  MPI_File_iread_at(file, 300 + rank, bytes, kBytes, MPI_BYTE, &request);
  MPI_Wait(&request, &status);
  expect(bytes, 300 + rank, 1, &status, kBytes);
  MPI_File_read_at_all(file, 100 * rank, bytes, kBytes, MPI_BYTE, &status);
  expect(bytes, 100 * rank, 1, &status, kBytes);
  MPI_File_read_at_all_begin(file, 400, bytes, kBytes, MPI_BYTE);
  MPI_File_read_at_all_end(file, bytes, &status);
  expect(bytes, 400, 1, &status, kBytes);
  /* Every other byte, from the rank's own on. */
  MPI_Datatype every;
  MPI_Type_create_resized(MPI_BYTE, 0, 2, &every);
  MPI_Type_commit(&every);
  MPI_File_set_view(file, rank, MPI_BYTE, every, "native", MPI_INFO_NULL);
  MPI_File_get_byte_offset(file, 10, &place);
  wrong += place != rank + 20;
  MPI_File_read_all(file, bytes, kBytes, MPI_BYTE, &status);
  expect(bytes, rank, 2, &status, kBytes);
  MPI_Type_free(&every);
  MPI_File_close(&file);
  wrong += file != MPI_FILE_NULL;

  memset(bytes, 10 + rank, sizeof bytes);
  MPI_File_open(MPI_COMM_WORLD, "out.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &out);
  MPI_File_set_errhandler(out, MPI_ERRORS_ARE_FATAL);
  MPI_File_write_at(out, 1000 + kBytes * rank, bytes, kBytes, MPI_BYTE, &status);
  MPI_File_write_at_all(out, kBytes * rank, bytes, kBytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(out, 2000 + kBytes * rank, bytes, kBytes, MPI_BYTE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_sync(out);
  MPI_File_close(&out);
  const int found =
      MPI_File_open(MPI_COMM_SELF, "missing.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &missing) == MPI_SUCCESS;
  printf("rank %d: %d wrong, size %d, read only %d, missing file found %d\n", rank, wrong, (int)length,
         mode == MPI_MODE_RDONLY, found);
  MPI_Finalize();
  return 0;
}
