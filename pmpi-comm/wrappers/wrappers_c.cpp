// MPI_X and MPI_X_c for every routine.
#include "pmpi-comm/wrappers/thunks.h"
#include "pmpi-comm/wrappers/wrapper.h"

using namespace scalediag::pmpi;

#define SCALEDIAG_THUNK(symbol, Name, id, n, counts, kind)             \
  SCALEDIAG_EXPORT uintptr_t symbol(SCALEDIAG_PARAMETERS_##n) {        \
    static Site site(id, "PMPI_" #Name, Language::kC, Counts::counts); \
    return pass_on<kind>(site, SCALEDIAG_ARGUMENTS_##n);               \
  }
#define SCALEDIAG_C_THUNK(Name, id, n, counts, kind) SCALEDIAG_THUNK(MPI_##Name, Name, id, n, counts, kind)

#define SCALEDIAG_ROUTINE(Name, lower, n, rule, roles, pace)                 \
  SCALEDIAG_C_THUNK(Name, k##Name, n, kInt, kind_of(Rule::rule, Pace::pace)) \
  SCALEDIAG_C_THUNK(Name##_c, k##Name, n, kLarge, kind_of(Rule::rule, Pace::pace))
#define SCALEDIAG_C_ROUTINE(Name, lower, n, rule, roles, pace) \
  SCALEDIAG_C_THUNK(Name, k##Name, n, kInt, kind_of(Rule::rule, Pace::pace))
#define SCALEDIAG_UNCOUNTED(Name, lower, n, rule, roles)
#include "pmpi-comm/routines.def"

// Fortran's forms, which are not intercepted because of their CHARACTER arguments, call these, so that spawned
// processes are counted.
SCALEDIAG_THUNK(PMPI_Comm_spawn, Comm_spawn, kComm_spawn, 8, kInt, Kind::kTimed)
SCALEDIAG_THUNK(PMPI_Comm_spawn_multiple, Comm_spawn_multiple, kComm_spawn_multiple, 9, kInt, Kind::kTimed)
