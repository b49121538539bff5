// dlsym: a program that loads MPI itself and asks the library for its functions, as Python's ctypes and Julia do, would
// get MPI's own functions, past the wrappers. It gets ours, which pass on to the library's. The same holds for the
// libraries of GPUs.
#include <dlfcn.h>

#include <cstring>

#include "collector/inject/engine.h"
#include "collector/inject/interposing/gpu_original.h"
#include "collector/inject/interposing/next_function.h"
#include "collector/inject/probe.h"

namespace {

using Dlsym = void* (*)(void*, const char*) noexcept;

// The C library's dlsym cannot be asked for with dlsym. Its versions are those of glibc before and since 2.34, the
// first one by machine.
Dlsym find_real_dlsym() {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<Dlsym>(found);
  }
  return nullptr;
}

Dlsym real_dlsym() {
  static const Dlsym real = find_real_dlsym();
  return real;
}

bool is_of_mpi(const char* name) {
  return name != nullptr && (std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "mpi_", 4) == 0);
}

bool is_from_here(const void* symbol) {
  Dl_info here, there;
  return dladdr(reinterpret_cast<const void*>(&is_of_mpi), &here) != 0 && dladdr(symbol, &there) != 0 &&
         here.dli_fbase == there.dli_fbase;
}

// The wrapper for a symbol that `handle` has; nullptr where there is none.
void* wrapper_of(Dlsym real, void* handle, const char* name) {
  void* const wrapper = real(RTLD_DEFAULT, name);  // this library stands first
  return wrapper != nullptr && is_from_here(wrapper) && real(handle, name) != nullptr ? wrapper : nullptr;
}

}  // namespace

void* scalediag::inject::symbol_of(void* handle, const char* name) { return real_dlsym()(handle, name); }

// The last call has to be a jump, also in a build that optimises little: what RTLD_NEXT means depends on where dlsym is
// called from. With a call, a function that asks for the next one of its own name would find itself, and call itself
// for ever.
SCALEDIAG_SHOWN __attribute__((optimize("O2"))) void* dlsym(void* handle, const char* name) noexcept {
  const Dlsym real = real_dlsym();
  const bool names_an_order = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
  if (!names_an_order && is_of_mpi(name) &&
      (scalediag::inject::Engine::get().armed() || scalediag::inject::is_a_probe())) {
    if (void* const wrapper = wrapper_of(real, handle, name)) return wrapper;
  }
  if (handle != RTLD_NEXT && scalediag::inject::gpu::is_gpu_name(name)) {
    if (void* const found = real(handle, name)) {
      if (void* const counts = scalediag::inject::gpu::counting_function(name, found)) return counts;
      // No library has it but this one: dlerror() has to say so, too.
      return real(handle, "scalediag_has_no_such_function");
    }
  }
  return real(handle, name);
}
