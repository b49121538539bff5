// The Fortran forms of every routine. Each passes the call on to the symbol of its own name, never to PMPI_X: the
// Fortran layer of MPI converts handles, statuses and constants.
#include "pmpi-comm/wrappers/fortran_names.h"
#include "pmpi-comm/wrappers/thunks.h"
#include "pmpi-comm/wrappers/wrapper.h"

using namespace scalediag::pmpi;

// In mpi_f08 the error code is optional. Where it is absent ours is passed, so that we learn whether the call
// succeeded.
#define SCALEDIAG_FORTRAN_THUNK(symbol, lang, cnt, id, n, kind)                  \
  SCALEDIAG_EXPORT uintptr_t symbol(SCALEDIAG_PARAMETERS_##n, uintptr_t error) { \
    static Site site(id, #symbol, Language::lang, Counts::cnt);                  \
    int own_error = 0;                                                           \
    if (error == 0) error = reinterpret_cast<uintptr_t>(&own_error);             \
    return pass_on<kind>(site, SCALEDIAG_ARGUMENTS_##n, error);                  \
  }

#define SCALEDIAG_FORTRAN_TEXT_THUNK(symbol, lang, cnt, id, n, kind)                               \
  SCALEDIAG_EXPORT uintptr_t symbol(SCALEDIAG_PARAMETERS_##n, uintptr_t error, uintptr_t length) { \
    static Site site(id, #symbol, Language::lang, Counts::cnt);                                    \
    int own_error = 0;                                                                             \
    if (error == 0) error = reinterpret_cast<uintptr_t>(&own_error);                               \
    return pass_on<kind>(site, SCALEDIAG_ARGUMENTS_##n, error, length);                            \
  }

#define SCALEDIAG_FORTRAN_FORM_plain(lower, id, n, kind) \
  SCALEDIAG_FORTRAN_NAMES(SCALEDIAG_FORTRAN_THUNK, lower, id, n, kind)
#define SCALEDIAG_FORTRAN_FORM_text(lower, id, n, kind) \
  SCALEDIAG_FORTRAN_NAMES(SCALEDIAG_FORTRAN_TEXT_THUNK, lower, id, n, kind)
#define SCALEDIAG_FORTRAN_FORM_c_only(lower, id, n, kind)
#define SCALEDIAG_FORTRAN_FORM_uncounted(lower, id, n, kind)

#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, group) \
  SCALEDIAG_FORTRAN_FORM_##form(lower, k##Name, n, kind_of(Rule::rule, Progress::progress))
#include "core/mpi_routines.def"
