/* An MPI library that nobody knows, with its program: a rank that is alone. Built twice, with LIBRARY as the former. */
#include <string.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int PMPI_Comm_size(void* comm, int* size);
#ifdef LIBRARY
int PMPI_Get_library_version(char* text, int* length);
int MPI_Init(int* argc, char*** argv) { return argc == (void*)0 && argv == (void*)0; }
int MPI_Finalize(void) { return 0; }
int PMPI_Comm_size(void* comm, int* size) {
  *size = comm != (void*)0;
  return 0;
}
int PMPI_Get_library_version(char* text, int* length) {
  strcpy(text, "Nobody's MPI 1.0");
  *length = (int)strlen(text);
  return 0;
}
#else
int main(int argc, char** argv) { return MPI_Init(&argc, &argv) + MPI_Finalize(); }
#endif
