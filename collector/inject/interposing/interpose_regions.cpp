// The interfaces by which programs name regions: our own, MPI_Pcontrol, and the marker functions of Caliper, LIKWID and
// Kokkos. Those of a library that the program has are passed on to it.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "collector/inject/interposing/next_function.h"
#include "collector/inject/regions/region_table.h"

#define SCALEDIAG_MARKER extern "C" __attribute__((visibility("default")))

namespace scalediag::inject {
namespace {

constexpr char kOwn[] = "scalediag";
constexpr char kPcontrol[] = "MPI_Pcontrol";
constexpr char kCaliper[] = "Caliper";
constexpr char kLikwid[] = "LIKWID";
constexpr char kKokkos[] = "Kokkos";

RegionTable& table() { return RegionTable::get(); }

// Passes the call on to the library that defines the function, where there is one.
template <class... Argument> int pass_to_next(int (*next)(Argument...), Argument... arguments) {
  return next != nullptr ? next(arguments...) : 0;
}

// A handle for what ends by something else than a name; never 0.
uint64_t handle_of(uint64_t number) { return number * 2 + 1; }
uint64_t handle_of_text(const char* text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; *text != '\0'; ++text) h = (h ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  return h | 1;
}

// The text that the second argument of MPI_Pcontrol points to, where it does: programs may call it without, and what
// would be the argument is then anything. `text` has room for `bytes`. False: no readable text of printable characters.
bool read_text(const char* from, char* text, size_t bytes) {
  constexpr uintptr_t kPage = 4096;
  const auto address = reinterpret_cast<uintptr_t>(from);
  if (address < kPage) return false;
  // As far as its page reaches, and then the next one, so that a text at the end of memory can be read.
  size_t n = 0;
  while (n + 1 < bytes) {
    const size_t in_page = std::min(bytes - 1 - n, kPage - (address + n) % kPage);
    const iovec local{text + n, in_page}, remote{reinterpret_cast<void*>(address + n), in_page};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != static_cast<ssize_t>(in_page)) return false;
    for (const size_t end = n + in_page; n < end; ++n) {
      const auto c = static_cast<unsigned char>(text[n]);
      if (c == '\0') return n > 1;
      if (c < 0x20 || c == 0x7F) return false;
    }
  }
  text[n] = '\0';
  return true;
}

// MPICH's Fortran layer calls the C function.
__thread bool inside_pcontrol __attribute__((tls_model("initial-exec"))) = false;

// level > 0 enters a region, level < 0 leaves it; named by the text that follows or else by the level. 0 without a text
// leaves the region that was last entered without one, and with one does nothing: it is a mark.
void pcontrol(int level, const char* argument) {
  if (!table().is_open() || inside_pcontrol) return;
  char text[RegionTable::kLongestName];
  constexpr uint64_t kByLevel = 1;
  if (read_text(argument, text, sizeof text)) {
    if (level > 0) table().begin(kPcontrol, text);
    if (level < 0) table().end(kPcontrol, text);
    return;
  }
  std::snprintf(text, sizeof text, "level %d", level < 0 ? -level : level);
  if (level > 0) table().begin(kPcontrol, text, kByLevel);
  if (level < 0) table().end(kPcontrol, text);
  // Programs end with 0, "profiling is off", what they never began.
  if (level == 0) table().end(kPcontrol, nullptr, kByLevel, false);
}

}  // namespace
}  // namespace scalediag::inject

using namespace scalediag::inject;

SCALEDIAG_MARKER void scalediag_region_begin(const char* name) { table().begin(kOwn, name); }
SCALEDIAG_MARKER void scalediag_region_end(const char* name) { table().end(kOwn, name); }
SCALEDIAG_MARKER void scalediag_region_parameter(const char* name, double value) { table().parameter(name, value); }

// The argument is passed on as it came: MPI libraries do nothing with it, and other tools read at most a text.
SCALEDIAG_MARKER int MPI_Pcontrol(const int level, ...) {
  va_list arguments;
  va_start(arguments, level);
  const char* argument = va_arg(arguments, const char*);
  va_end(arguments);
  pcontrol(level, argument);
  using Next = int (*)(int, ...);
  static const Next next = next_function<Next>("MPI_Pcontrol");
  return next != nullptr ? next(level, argument) : 0;
}

#define SCALEDIAG_PCONTROL_FORTRAN(symbol)                               \
  SCALEDIAG_MARKER void symbol(const int* level, const char* argument) { \
    pcontrol(*level, argument);                                          \
    using Next = void (*)(const int*, const char*);                      \
    static const Next next = next_function<Next>(#symbol);               \
    inside_pcontrol = true;                                              \
    if (next != nullptr) next(level, argument);                          \
    inside_pcontrol = false;                                             \
  }
SCALEDIAG_PCONTROL_FORTRAN(mpi_pcontrol_)
SCALEDIAG_PCONTROL_FORTRAN(mpi_pcontrol__)
SCALEDIAG_PCONTROL_FORTRAN(mpi_pcontrol_f08_)

// Caliper. Its C++ classes for functions, scopes and loops do the same inside its library as these C functions, so both
// are here. Iterations are left out: each would be a region.
#define SCALEDIAG_CALIPER_NAMED(what, call)                                       \
  SCALEDIAG_MARKER void cali_##what(const char* name) {                           \
    call;                                                                         \
    static const auto next = next_function<void (*)(const char*)>("cali_" #what); \
    if (next != nullptr) next(name);                                              \
  }
SCALEDIAG_CALIPER_NAMED(begin_region, table().begin(kCaliper, name))
SCALEDIAG_CALIPER_NAMED(end_region, table().end(kCaliper, name))
SCALEDIAG_CALIPER_NAMED(begin_phase, table().begin(kCaliper, name))
SCALEDIAG_CALIPER_NAMED(end_phase, table().end(kCaliper, name))
SCALEDIAG_CALIPER_NAMED(begin_comm_region, table().begin(kCaliper, name))
SCALEDIAG_CALIPER_NAMED(end_comm_region, table().end(kCaliper, name))
SCALEDIAG_CALIPER_NAMED(begin_byname, table().begin(kCaliper, name, handle_of_text(name)))
SCALEDIAG_CALIPER_NAMED(end_byname, table().end(kCaliper, name, handle_of_text(name), false))

SCALEDIAG_MARKER void cali_begin_string_byname(const char* attribute, const char* value) {
  table().begin(kCaliper, value, handle_of_text(attribute));
  static const auto next = next_function<void (*)(const char*, const char*)>("cali_begin_string_byname");
  if (next != nullptr) next(attribute, value);
}
SCALEDIAG_MARKER void cali_begin_string(uint64_t attribute, const char* value) {
  table().begin(kCaliper, value, handle_of(attribute));
  static const auto next = next_function<void (*)(uint64_t, const char*)>("cali_begin_string");
  if (next != nullptr) next(attribute, value);
}
SCALEDIAG_MARKER void cali_end(uint64_t attribute) {
  table().end(kCaliper, nullptr, handle_of(attribute), false);
  static const auto next = next_function<void (*)(uint64_t)>("cali_end");
  if (next != nullptr) next(attribute);
}

// Constructors and destructors of cali::Function and cali::ScopeAnnotation, and of cali::Loop with its end().
#define SCALEDIAG_CALIPER_CLASS(begins, ends)                                            \
  SCALEDIAG_MARKER void begins(void* self, const char* name) {                           \
    table().begin(kCaliper, name, handle_of(reinterpret_cast<uintptr_t>(self)));         \
    static const auto next = next_function<void (*)(void*, const char*)>(#begins);       \
    if (next != nullptr) next(self, name);                                               \
  }                                                                                      \
  SCALEDIAG_MARKER void ends(void* self) {                                               \
    table().end(kCaliper, nullptr, handle_of(reinterpret_cast<uintptr_t>(self)), false); \
    static const auto next = next_function<void (*)(void*)>(#ends);                      \
    if (next != nullptr) next(self);                                                     \
  }
SCALEDIAG_CALIPER_CLASS(_ZN4cali8FunctionC1EPKc, _ZN4cali8FunctionD1Ev)
SCALEDIAG_CALIPER_CLASS(_ZN4cali15ScopeAnnotationC1EPKc, _ZN4cali15ScopeAnnotationD1Ev)
SCALEDIAG_CALIPER_CLASS(_ZN4cali4LoopC1EPKc, _ZN4cali4LoopD1Ev)
SCALEDIAG_MARKER void _ZN4cali4Loop3endEv(void* self) {
  table().end(kCaliper, nullptr, handle_of(reinterpret_cast<uintptr_t>(self)), false);
  static const auto next = next_function<void (*)(void*)>("_ZN4cali4Loop3endEv");
  if (next != nullptr) next(self);
}

// LIKWID's marker functions; its macros call them.
SCALEDIAG_MARKER int likwid_markerStartRegion(const char* name) {
  table().begin(kLikwid, name);
  static const auto next = next_function<int (*)(const char*)>("likwid_markerStartRegion");
  return pass_to_next(next, name);
}
SCALEDIAG_MARKER int likwid_markerStopRegion(const char* name) {
  table().end(kLikwid, name);
  static const auto next = next_function<int (*)(const char*)>("likwid_markerStopRegion");
  return pass_to_next(next, name);
}

// Kokkos loads the library that KOKKOS_TOOLS_LIBS names, and calls these.
SCALEDIAG_MARKER void kokkosp_init_library(int, uint64_t, uint32_t, void*) {}
SCALEDIAG_MARKER void kokkosp_finalize_library() {}
// Of Kokkos_Tools_ToolSettings, the first member is whether Kokkos waits for the device after each kernel: that would
// change what is measured.
SCALEDIAG_MARKER void kokkosp_request_tool_settings(uint32_t, bool* requires_global_fencing) {
  *requires_global_fencing = false;
}
SCALEDIAG_MARKER void kokkosp_push_profile_region(const char* name) { table().begin(kKokkos, name); }
SCALEDIAG_MARKER void kokkosp_pop_profile_region() { table().end(kKokkos, nullptr); }

namespace {

// Kernels may run at the same time, on several devices, and end by the number that is given here.
uint64_t begin_kernel(const char* name) {
  static std::atomic<uint64_t> kernels{0};
  const uint64_t number = ++kernels;
  table().begin(kKokkos, name, handle_of(number));
  return number;
}
void end_kernel(uint64_t number) { table().end(kKokkos, nullptr, handle_of(number), false); }

}  // namespace

#define SCALEDIAG_KOKKOS_KERNEL(what)                                                                 \
  SCALEDIAG_MARKER void kokkosp_begin_parallel_##what(const char* name, uint32_t, uint64_t* number) { \
    *number = begin_kernel(name);                                                                     \
  }                                                                                                   \
  SCALEDIAG_MARKER void kokkosp_end_parallel_##what(uint64_t number) { end_kernel(number); }
SCALEDIAG_KOKKOS_KERNEL(for)
SCALEDIAG_KOKKOS_KERNEL(scan)
SCALEDIAG_KOKKOS_KERNEL(reduce)
