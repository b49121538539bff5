// MPI_X and MPI_X_c for every routine.
#include "pmpi-comm/wrappers/thunks.h"
#include "pmpi-comm/wrappers/wrapper.h"

using namespace scalediag::pmpi;

#define SCALEDIAG_THUNK(symbol, Name, n, counts, kind)                      \
  SCALEDIAG_EXPORT uintptr_t symbol(SCALEDIAG_PARAMETERS_##n) {             \
    static Site site(k##Name, "PMPI_" #Name, Language::kC, Counts::counts); \
    return pass_on<kind>(site, SCALEDIAG_ARGUMENTS_##n);                    \
  }

#define SCALEDIAG_C_FORM_plain(Name, n, kind)      \
  SCALEDIAG_THUNK(MPI_##Name, Name, n, kInt, kind) \
  SCALEDIAG_THUNK(MPI_##Name##_c, Name, n, kLarge, kind)
#define SCALEDIAG_C_FORM_text SCALEDIAG_C_FORM_plain
#define SCALEDIAG_C_FORM_c_only(Name, n, kind) SCALEDIAG_THUNK(MPI_##Name, Name, n, kInt, kind)
#define SCALEDIAG_C_FORM_uncounted(Name, n, kind)

#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, group) \
  SCALEDIAG_C_FORM_##form(Name, n, kind_of(Rule::rule, Progress::progress))
#include "core/mpi_routines.def"

// Fortran's forms, which are not intercepted because of their CHARACTER arguments, call these, so that spawned
// processes are counted.
SCALEDIAG_THUNK(PMPI_Comm_spawn, Comm_spawn, 8, kInt, Kind::kTimed)
SCALEDIAG_THUNK(PMPI_Comm_spawn_multiple, Comm_spawn_multiple, 9, kInt, Kind::kTimed)
