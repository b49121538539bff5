/* A program without OpenMP that loads a library with it, for itself alone, as an interpreter does. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  long sum = 0;
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library != NULL) {
    long (*sum_to)(long);
    *(void**)&sum_to = dlsym(library, "sum_to");
    for (int i = 0; i < 5; ++i) sum += sum_to(1000);
    dlclose(library);
    if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL) printf("it is still loaded\n");
  } else if (argc > 1) {
    printf("%s\n", dlerror());
  }
  printf("sum %ld, OpenMP is %s\n", sum, dlsym(RTLD_DEFAULT, "omp_get_level") != NULL ? "there" : "not there");
  MPI_Finalize();
  return 0;
}
