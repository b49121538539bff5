// The OpenMP library behind the functions that stand in front of GCC's (libgomp).
//
// A program has it among its libraries, where it is found as any other original is (RTLD_NEXT). Or a library that is
// loaded later brings one, as numpy's OpenBLAS does, perhaps under another name and beside another one: then it is that
// of the module which calls.
#pragma once

#include <cstdint>

namespace scalediag::inject::gomp {

using Code = void (*)(void*);

// The functions, as GCC's compilers call them: result, name, parameters.
#define SCALEDIAG_GOMP_FUNCTIONS(FUNCTION)                                                                      \
  FUNCTION(void, parallel, (Code, void*, unsigned, unsigned))                                                   \
  FUNCTION(unsigned, parallel_reductions, (Code, void*, unsigned, unsigned))                                    \
  FUNCTION(void, parallel_sections, (Code, void*, unsigned, unsigned, unsigned))                                \
  FUNCTION(void, parallel_loop_static, (Code, void*, unsigned, long, long, long, long, unsigned))               \
  FUNCTION(void, parallel_loop_dynamic, (Code, void*, unsigned, long, long, long, long, unsigned))              \
  FUNCTION(void, parallel_loop_guided, (Code, void*, unsigned, long, long, long, long, unsigned))               \
  FUNCTION(void, parallel_loop_nonmonotonic_dynamic, (Code, void*, unsigned, long, long, long, long, unsigned)) \
  FUNCTION(void, parallel_loop_nonmonotonic_guided, (Code, void*, unsigned, long, long, long, long, unsigned))  \
  FUNCTION(void, parallel_loop_runtime, (Code, void*, unsigned, long, long, long, unsigned))                    \
  FUNCTION(void, parallel_loop_nonmonotonic_runtime, (Code, void*, unsigned, long, long, long, unsigned))       \
  FUNCTION(void, parallel_loop_maybe_nonmonotonic_runtime, (Code, void*, unsigned, long, long, long, unsigned)) \
  FUNCTION(void, parallel_start, (Code, void*, unsigned))                                                       \
  FUNCTION(void, parallel_sections_start, (Code, void*, unsigned, unsigned))                                    \
  FUNCTION(void, parallel_loop_static_start, (Code, void*, unsigned, long, long, long, long))                   \
  FUNCTION(void, parallel_loop_dynamic_start, (Code, void*, unsigned, long, long, long, long))                  \
  FUNCTION(void, parallel_loop_guided_start, (Code, void*, unsigned, long, long, long, long))                   \
  FUNCTION(void, parallel_loop_runtime_start, (Code, void*, unsigned, long, long, long))                        \
  FUNCTION(void, parallel_end, ())                                                                              \
  FUNCTION(void, barrier, ())                                                                                   \
  FUNCTION(bool, barrier_cancel, ())                                                                            \
  FUNCTION(void, loop_end, ())                                                                                  \
  FUNCTION(bool, loop_end_cancel, ())                                                                           \
  FUNCTION(void, sections_end, ())                                                                              \
  FUNCTION(bool, sections_end_cancel, ())                                                                       \
  FUNCTION(void*, single_copy_start, ())                                                                        \
  FUNCTION(void, single_copy_end, (void*))                                                                      \
  FUNCTION(void, workshare_task_reduction_unregister, (bool))                                                   \
  FUNCTION(void, taskwait, ())                                                                                  \
  FUNCTION(void, taskwait_depend, (void**))                                                                     \
  FUNCTION(void, taskgroup_end, ())                                                                             \
  FUNCTION(void, task, (Code, void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int, void*))   \
  FUNCTION(void, taskloop,                                                                                      \
           (Code, void*, void (*)(void*, void*), long, long, unsigned, unsigned long, int, long, long, long))   \
  FUNCTION(void, taskloop_ull,                                                                                  \
           (Code, void*, void (*)(void*, void*), long, long, unsigned, unsigned long, int, unsigned long long,  \
            unsigned long long, unsigned long long))

struct Library {
#define SCALEDIAG_GOMP_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  SCALEDIAG_GOMP_FUNCTIONS(SCALEDIAG_GOMP_MEMBER)
#undef SCALEDIAG_GOMP_MEMBER
  int (*level)() = nullptr;   // omp_get_level: the parallel regions around the calling thread
  bool tells_itself = false;  // LLVM's library has these functions as well, and tells of its regions by OMPT
};

// The library that code at this address calls. Null where there is none, which can only be where a program asks whether
// there is one.
const Library* library_of(const void* caller);
// To be called when modules were unloaded: others may come to their addresses.
void forget_callers();
// The calling thread runs code of a region of this library: what it calls without a trace of the caller, since the call
// is the caller's last one, is that library's.
void remember(const Library* library);

}  // namespace scalediag::inject::gomp
