#include "collector/merge/samples/openmp_waiting.h"

#include <algorithm>
#include <array>

#include "collector/merge/symbols/mpi_modules.h"
#include "core/raw/c_library.h"

namespace scalediag::merge {
namespace {

// Whether the name is one of these libraries' functions, wherever they were linked into.
bool is_openmp_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNameBeginnings = {"gomp_", "GOMP_", "__kmp"};
  return std::ranges::any_of(kNameBeginnings, [name](std::string_view b) { return name.starts_with(b); });
}

// Whether the function waits, for libraries with symbols; by the beginning of its name.
bool is_waiting_name(std::string_view name) {
  constexpr std::array<std::string_view, 17> kWaiting = {
      // GCC's
      "do_spin", "do_wait", "futex_wait", "gomp_barrier_wait", "gomp_team_barrier_wait", "gomp_simple_barrier_wait",
      "gomp_mutex_lock_slow", "gomp_sem_wait", "gomp_ptrlock_get_slow", "gomp_doacross_wait",
      // LLVM's and Intel's
      "__kmp_wait", "__kmp_yield", "__kmp_x86_pause", "__kmp_suspend", "__kmp_hardware_timestamp", "__kmp_acquire_",
      "kmp_flag"};
  return std::ranges::any_of(kWaiting, [name](std::string_view p) { return name.starts_with(p); });
}

}  // namespace

bool is_openmp_module(std::string_view path) {
  constexpr std::array<std::string_view, 4> kLibraries = {"libgomp", "libomp", "libiomp5", "libnvomp"};
  return std::ranges::any_of(kLibraries, [path](std::string_view l) { return is_library(file_name(path), l); });
}

bool is_yielding_openmp_module(std::string_view path) {
  return is_openmp_module(path) && !is_library(file_name(path), "libgomp");
}

bool waits_for_threads(ModuleSymbols& symbols, uint64_t address, bool in_openmp_library) {
  const Function& function = symbols.function_at(address);
  if (!in_openmp_library && !is_openmp_name(function.name)) return false;
  return is_waiting_name(function.name) || symbols.spins_at(address);
}

bool is_yield(const Function& function) {
  return (function.name == "sched_yield" || function.name == "__sched_yield") && raw::is_c_library(function.module);
}

}  // namespace scalediag::merge
