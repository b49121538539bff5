// The time that threads of an OpenMP program spend waiting for one another. Such a thread looks busy: it checks again
// and again whether it may go on, in a loop of the OpenMP library, and CPU time passes without work.
//
//   in the library     functions that are known by name, or whose code holds the hint of a spin loop (spin_code.h).
//                      Its other functions distribute iterations and tasks, which is work of the program's. A stripped
//                      library without any hint (GCC's on Arm) waits in the functions that it does not export
//   in the program     the same, where the library was linked into it, if the name begins with gomp_, GOMP_ or __kmp
//   in sched_yield     LLVM's and Intel's library gives its core away where there are more threads than cores
#pragma once

#include <cstdint>
#include <string_view>

#include "collector/merge/symbols/symbolizer.h"

namespace scalediag::merge {

// GCC's, LLVM's, Intel's and NVIDIA's OpenMP library.
bool is_openmp_module(std::string_view path);
// The libraries whose threads call sched_yield while they wait.
bool is_yielding_openmp_module(std::string_view path);

// Whether code waits, in a module that is an OpenMP library or another one (`in_openmp_library`).
bool waits_for_threads(ModuleSymbols& symbols, uint64_t address, bool in_openmp_library);

// The C library's sched_yield.
bool is_yield(const Function& function);

}  // namespace scalediag::merge
