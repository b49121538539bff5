/* Stands in for libmpi_abi, the binary interface of the MPI 5 standard, above the MPI that is installed: the few routines
 * that standard_abi.c calls, with the standard's handles, constants and status. The real library is loaded so that its
 * symbols are nobody else's. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int source, tag, error, internal[5];
} AbiStatus;

enum { kAnySource = -1, kAnyTag = -2 };

static void* real(const char* name) {
  static void* library = NULL;
  if (library == NULL) library = dlopen(REAL_MPI, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  void* found = library != NULL ? dlsym(library, name) : NULL;
  if (found == NULL) {
    fprintf(stderr, "no %s: %s\n", name, dlerror());
    abort();
  }
  return found;
}
#define REAL(name, ...) ((int (*)(__VA_ARGS__))real("P" #name))

/* The addresses of Open MPI's predefined objects have to be those of the library that was loaded. */
static MPI_Comm world(void) {
#ifdef OMPI_MPI_H
  return (MPI_Comm)real("ompi_mpi_comm_world");
#else
  return MPI_COMM_WORLD;
#endif
}
static MPI_Comm comm_of(uintptr_t abi) { return abi == 0x101 ? world() : (MPI_Comm)abi; }
static MPI_Datatype type_of(uintptr_t abi) {
#ifdef OMPI_MPI_H
  return (MPI_Datatype)real(abi == 0x214 ? "ompi_mpi_double" : "ompi_mpi_byte");
#else
  return abi == 0x214 ? MPI_DOUBLE : MPI_BYTE;
#endif
}
static MPI_Op op_of(uintptr_t abi) {
#ifdef OMPI_MPI_H
  (void)abi;
  return (MPI_Op)real("ompi_mpi_op_sum");
#else
  (void)abi;
  return MPI_SUM;
#endif
}

/* MPI_X and PMPI_X with the standard's arguments. */
#define ABI(name, parameters, ...)                                                          \
  int abi_##name parameters __asm__("PMPI_" #name) __attribute__((visibility("default"))); \
  int abi_m_##name parameters __asm__("MPI_" #name) __attribute__((visibility("default"), weak, alias("PMPI_" #name))); \
  int abi_##name parameters { __VA_ARGS__ }

ABI(Init, (int* argc, char*** argv), return REAL(MPI_Init, int*, char***)(argc, argv);)
ABI(Finalize, (void), return REAL(MPI_Finalize, void)();)
ABI(Abi_get_version, (int* major, int* minor), *major = 1; *minor = 0; return 0;)
ABI(Get_library_version, (char* text, int* n), return REAL(MPI_Get_library_version, char*, int*)(text, n);)
ABI(Comm_rank, (uintptr_t comm, int* rank), return REAL(MPI_Comm_rank, MPI_Comm, int*)(comm_of(comm), rank);)
ABI(Comm_size, (uintptr_t comm, int* size), return REAL(MPI_Comm_size, MPI_Comm, int*)(comm_of(comm), size);)
ABI(Comm_test_inter, (uintptr_t comm, int* flag),
    return REAL(MPI_Comm_test_inter, MPI_Comm, int*)(comm_of(comm), flag);)
ABI(Type_size_x, (uintptr_t type, MPI_Count* bytes),
    return REAL(MPI_Type_size_x, MPI_Datatype, MPI_Count*)(type_of(type), bytes);)
/* Groups are passed on as they are: a pointer or an int. */
ABI(Comm_group, (uintptr_t comm, uintptr_t* group), MPI_Group made;
    const int e = REAL(MPI_Comm_group, MPI_Comm, MPI_Group*)(comm_of(comm), &made); *group = (uintptr_t)made; return e;)
ABI(Group_free, (uintptr_t * group), MPI_Group own = (MPI_Group)*group; return REAL(MPI_Group_free, MPI_Group*)(&own);)
ABI(Group_size, (uintptr_t group, int* size), return REAL(MPI_Group_size, MPI_Group, int*)((MPI_Group)group, size);)
ABI(Group_translate_ranks, (uintptr_t from, int n, const int* ranks, uintptr_t to, int* there),
    return REAL(MPI_Group_translate_ranks, MPI_Group, int, const int*, MPI_Group, int*)((MPI_Group)from, n, ranks,
                                                                                        (MPI_Group)to, there);)
ABI(Barrier, (uintptr_t comm), return REAL(MPI_Barrier, MPI_Comm)(comm_of(comm));)
ABI(Send, (const void* data, int n, uintptr_t type, int to, int tag, uintptr_t comm),
    return REAL(MPI_Send, const void*, int, MPI_Datatype, int, int, MPI_Comm)(data, n, type_of(type), to, tag,
                                                                             comm_of(comm));)
ABI(Recv, (void* data, int n, uintptr_t type, int from, int tag, uintptr_t comm, AbiStatus* status), MPI_Status got;
    const int e = REAL(MPI_Recv, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*)(
        data, n, type_of(type), from == kAnySource ? MPI_ANY_SOURCE : from, tag == kAnyTag ? MPI_ANY_TAG : tag,
        comm_of(comm), &got);
    if (status != NULL) {
      memset(status, 0x55, sizeof *status);
      status->source = got.MPI_SOURCE;
      status->tag = got.MPI_TAG;
    } return e;)
ABI(Test_cancelled, (const AbiStatus* status, int* flag), (void)status; *flag = 0; return 0;)
ABI(Allreduce, (const void* in, void* out, int n, uintptr_t type, uintptr_t op, uintptr_t comm),
    return REAL(MPI_Allreduce, const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)(
        in == (const void*)1 ? MPI_IN_PLACE : in, out, n, type_of(type), op_of(op), comm_of(comm));)
