// The symbols that Fortran programs call for one routine.
#pragma once

// V(symbol, language, counts, id, n, kind) for each of them; id, n and kind are passed through.
//   x_ x__            mpif.h and `use mpi`; two underscores by the older habit for names that hold one
//   x_cptr_           the same where a C pointer is returned (Win_allocate; needless for the others)
//   x_f08_            `use mpi_f08`: Open MPI with buffers by address, MPICH for routines without buffers
//   x_f08ts_ x_fts_   `use mpi_f08` and later `use mpi`, buffers by descriptor: MPICH, newer Open MPI
//   *large_ *_c_*     the same with MPI_COUNT_KIND counts, as MPICH 4.0 and as later versions name them
#define SCALEDIAG_FORTRAN_NAMES(V, lower, id, n, kind)             \
  V(mpi_##lower##_, kFortran, kInt, id, n, kind)                   \
  V(mpi_##lower##__, kFortran, kInt, id, n, kind)                  \
  V(mpi_##lower##_cptr_, kFortran, kInt, id, n, kind)              \
  V(mpi_##lower##_cptr__, kFortran, kInt, id, n, kind)             \
  V(mpi_##lower##_f08_, kFortran, kInt, id, n, kind)               \
  V(mpi_##lower##_f08ts_, kDescriptors, kInt, id, n, kind)         \
  V(mpi_##lower##_fts_, kDescriptors, kInt, id, n, kind)           \
  V(mpi_##lower##_f08_large_, kFortran, kLarge, id, n, kind)       \
  V(mpi_##lower##_f08ts_large_, kDescriptors, kLarge, id, n, kind) \
  V(mpi_##lower##_c_f08_, kFortran, kLarge, id, n, kind)           \
  V(mpi_##lower##_c_f08ts_, kDescriptors, kLarge, id, n, kind)     \
  V(mpi_##lower##_c_fts_, kDescriptors, kLarge, id, n, kind)

// The same for routines without counts, which have no large forms.
#define SCALEDIAG_FORTRAN_PLAIN_NAMES(V, lower, id, n, kind) \
  V(mpi_##lower##_, kFortran, kInt, id, n, kind)             \
  V(mpi_##lower##__, kFortran, kInt, id, n, kind)            \
  V(mpi_##lower##_f08_, kFortran, kInt, id, n, kind)         \
  V(mpi_##lower##_fts_, kDescriptors, kInt, id, n, kind)
