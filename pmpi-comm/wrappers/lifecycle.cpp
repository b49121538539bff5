// Routines that begin and end MPI, and those that free handles that we remember: intercepted, but not counted.
#include <atomic>

#include "pmpi-comm/wrappers/fortran_names.h"
#include "pmpi-comm/wrappers/thunks.h"
#include "pmpi-comm/wrappers/wrapper.h"

using namespace scalediag::pmpi;

namespace {

// A Fortran routine may call the C routine, which is intercepted too, or the real one: the outermost wrapper informs
// the engine, and the ones inside it only pass the call on.
__thread bool inside_lifecycle __attribute__((tls_model("initial-exec"))) = false;

std::atomic<bool> init_told{false};

void tell_init_begin(const void* frame) {
  if (hooks().init_begin != nullptr && !init_told.exchange(true)) hooks().init_begin(frame);
}

void tell_init_end() {
  const MpiLibrary& mpi = mpi_library();
  const MpiFunctions& f = mpi.functions;
  if (hooks().init_end == nullptr) return;
  if (mpi.constants.family == MpiFamily::kUnknown) {
    if (hooks().mpi_is_unknown != nullptr) hooks().mpi_is_unknown(mpi);
    return;
  }
  int rank = 0, size = 0;
  if (f.comm_rank == nullptr || f.comm_size == nullptr) return;
  if (f.comm_rank(mpi.constants.comm_world, &rank) != 0 || f.comm_size(mpi.constants.comm_world, &size) != 0) return;
  hooks().init_end(rank, size, mpi.version.c_str());
}

enum class Moment { kInit, kFinalize, kAbort };

template <Moment moment, class... Argument> uintptr_t live(Site& site, Argument... arguments) {
  using Next = uintptr_t (*)(Argument...);
  const Uncounted uncounted;
  const Next next = reinterpret_cast<Next>(site.next());
  if (inside_lifecycle) return next(arguments...);

  struct Inside {
    Inside() { inside_lifecycle = true; }
    ~Inside() { inside_lifecycle = false; }
  } inside;
  if constexpr (moment == Moment::kInit) tell_init_begin(__builtin_frame_address(0));
  if constexpr (moment == Moment::kFinalize) {
    if (hooks().finalize_begin != nullptr) hooks().finalize_begin();
  }
  if constexpr (moment == Moment::kAbort) {
    if (hooks().abort != nullptr) hooks().abort();
  }
  const uintptr_t result = next(arguments...);
  int error = static_cast<int>(result);
  if constexpr (sizeof...(Argument) > 0) {  // only C's MPI_Finalize has none
    const uintptr_t values[] = {arguments...};
    if (site.language() != Language::kC) error = *reinterpret_cast<const int*>(values[sizeof...(Argument) - 1]);
  }
  if constexpr (moment == Moment::kInit) {
    if (error == 0) tell_init_end();
  }
  if constexpr (moment == Moment::kFinalize) {
    if (hooks().finalize_end != nullptr) hooks().finalize_end();
  }
  return result;
}

template <class... Argument> uintptr_t forget_and_pass_on(Site& site, Argument... arguments) {
  using Next = uintptr_t (*)(Argument...);
  const Uncounted uncounted;
  const uintptr_t values[] = {arguments...};
  if (recording.load(std::memory_order_relaxed) || is_counted_trace()) look_before(site, values);
  return reinterpret_cast<Next>(site.next())(arguments...);
}

}  // namespace

// The routine is not in the table: the site only finds the next symbol.
#define SCALEDIAG_LIFE_C(Name, moment, parameters, arguments)               \
  SCALEDIAG_EXPORT uintptr_t MPI_##Name parameters {                        \
    static Site site(kRoutines, "PMPI_" #Name, Language::kC, Counts::kInt); \
    return live<Moment::moment> arguments;                                  \
  }

SCALEDIAG_LIFE_C(Init, kInit, (uintptr_t argc, uintptr_t argv), (site, argc, argv))
SCALEDIAG_LIFE_C(Init_thread, kInit, (uintptr_t argc, uintptr_t argv, uintptr_t required, uintptr_t provided),
                 (site, argc, argv, required, provided))
SCALEDIAG_LIFE_C(Finalize, kFinalize, (), (site))
SCALEDIAG_LIFE_C(Abort, kAbort, (uintptr_t comm, uintptr_t code), (site, comm, code))

#define SCALEDIAG_LIFE_FORTRAN(symbol, moment, parameters, arguments)       \
  SCALEDIAG_EXPORT uintptr_t symbol parameters {                            \
    static Site site(kRoutines, #symbol, Language::kFortran, Counts::kInt); \
    int own_error = 0;                                                      \
    if (error == 0) error = reinterpret_cast<uintptr_t>(&own_error);        \
    return live<Moment::moment> arguments;                                  \
  }

#define SCALEDIAG_INIT(symbol, lang, cnt, id, n, kind) \
  SCALEDIAG_LIFE_FORTRAN(symbol, kInit, (uintptr_t error), (site, error))
#define SCALEDIAG_INIT_THREAD(symbol, lang, cnt, id, n, kind)                                      \
  SCALEDIAG_LIFE_FORTRAN(symbol, kInit, (uintptr_t required, uintptr_t provided, uintptr_t error), \
                         (site, required, provided, error))
#define SCALEDIAG_FINALIZE(symbol, lang, cnt, id, n, kind) \
  SCALEDIAG_LIFE_FORTRAN(symbol, kFinalize, (uintptr_t error), (site, error))
#define SCALEDIAG_ABORT(symbol, lang, cnt, id, n, kind) \
  SCALEDIAG_LIFE_FORTRAN(symbol, kAbort, (uintptr_t comm, uintptr_t code, uintptr_t error), (site, comm, code, error))

SCALEDIAG_FORTRAN_PLAIN_NAMES(SCALEDIAG_INIT, init, , , )
SCALEDIAG_FORTRAN_PLAIN_NAMES(SCALEDIAG_INIT_THREAD, init_thread, , , )
SCALEDIAG_FORTRAN_PLAIN_NAMES(SCALEDIAG_FINALIZE, finalize, , , )
SCALEDIAG_FORTRAN_PLAIN_NAMES(SCALEDIAG_ABORT, abort, , , )

#define SCALEDIAG_FORGET_FORTRAN(symbol, lang, cnt, id, n, kind)                 \
  SCALEDIAG_EXPORT uintptr_t symbol(SCALEDIAG_PARAMETERS_##n, uintptr_t error) { \
    static Site site(id, #symbol, Language::lang, Counts::cnt);                  \
    return forget_and_pass_on(site, SCALEDIAG_ARGUMENTS_##n, error);             \
  }

#define SCALEDIAG_FORGET_plain(Name, lower, n)
#define SCALEDIAG_FORGET_text(Name, lower, n)
#define SCALEDIAG_FORGET_c_only(Name, lower, n)
#define SCALEDIAG_FORGET_uncounted(Name, lower, n)                        \
  SCALEDIAG_EXPORT uintptr_t MPI_##Name(SCALEDIAG_PARAMETERS_##n) {       \
    static Site site(k##Name, "PMPI_" #Name, Language::kC, Counts::kInt); \
    return forget_and_pass_on(site, SCALEDIAG_ARGUMENTS_##n);             \
  }                                                                       \
  SCALEDIAG_FORTRAN_PLAIN_NAMES(SCALEDIAG_FORGET_FORTRAN, lower, k##Name, n, )

#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, group) \
  SCALEDIAG_FORGET_##form(Name, lower, n)
#include "core/mpi_routines.def"
