// The original of an interposed function, to which it passes its calls on.
#pragma once

#include <dlfcn.h>

// A function that takes the place of the C library's.
#define SCALEDIAG_SHOWN extern "C" __attribute__((visibility("default")))

namespace scalediag::inject {

// The function of that name that would have been called without this library.
template <class Function> Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// dlsym as the C library has it: what a library itself has, without this library's functions in front of it.
void* symbol_of(void* handle, const char* name);

}  // namespace scalediag::inject
