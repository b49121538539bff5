#include "collector/inject/interposing/gomp_library.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "collector/inject/interposing/next_function.h"

namespace scalediag::inject::gomp {
namespace {

// The program's own, or that of all its libraries. It stays for good.
std::atomic<const Library*> of_all{nullptr};

// Of modules that bring one, by what has called; emptied where modules are unloaded.
struct Known {
  std::atomic<const void*> caller{nullptr};
  std::atomic<const Library*> library{nullptr};
};
constexpr size_t kMostCallers = 512;
std::atomic<bool> has_callers{false};
std::array<Known, kMostCallers> known_callers;
std::mutex lock;

__thread const Library* remembered __attribute__((tls_model("initial-exec"))) = nullptr;

const void* base_of(const void* code) {
  Dl_info module;
  return code != nullptr && dladdr(code, &module) != 0 ? module.dli_fbase : nullptr;
}

const Library* read_library(void* handle) {
  auto* library = new (std::nothrow) Library;
  if (library == nullptr) return nullptr;
#define SCALEDIAG_GOMP_READ(result, name, parameters) \
  library->name = reinterpret_cast<decltype(library->name)>(dlsym(handle, "GOMP_" #name));
  SCALEDIAG_GOMP_FUNCTIONS(SCALEDIAG_GOMP_READ)
#undef SCALEDIAG_GOMP_READ
  library->level = reinterpret_cast<int (*)()>(dlsym(handle, "omp_get_level"));
  const void* const of_llvm = dlsym(handle, "__kmpc_fork_call");
  library->tells_itself =
      of_llvm != nullptr && base_of(of_llvm) == base_of(reinterpret_cast<const void*>(library->barrier));
  return library;
}

// Each library once, by its GOMP_barrier.
const Library* library_behind(void* handle) {
  constexpr size_t kMost = 16;
  static std::array<const Library*, kMost> libraries{};
  const auto barrier = reinterpret_cast<void (*)()>(dlsym(handle, "GOMP_barrier"));
  if (barrier == nullptr) return nullptr;
  for (const Library*& library : libraries) {
    if (library == nullptr) library = read_library(handle);
    if (library == nullptr || library->barrier == barrier) return library;
  }
  return read_library(handle);
}

// The module is not loaded by that, and can be unloaded as before. The library behind it stays loaded, as GCC's does of
// itself.
const Library* library_behind_module(const char* path) {
  static const auto real_dlclose = next_function<int (*)(void*)>("dlclose");
  void* const module = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (module == nullptr) return nullptr;
  const Library* const library = library_behind(module);
  Dl_info file;
  if (library != nullptr && dladdr(reinterpret_cast<const void*>(library->barrier), &file) != 0) {
    dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
  real_dlclose(module);
  return library;
}

// The first module by the name of GCC's library.
const Library* any_library() {
  std::vector<std::string> names;  // dlopen inside dl_iterate_phdr would wait for itself
  const auto note = [](dl_phdr_info* module, size_t, void* to) {
    const char* const file = std::strrchr(module->dlpi_name, '/');
    if (file != nullptr && std::strncmp(file + 1, "libgomp", std::strlen("libgomp")) == 0) {
      try {
        static_cast<std::vector<std::string>*>(to)->emplace_back(module->dlpi_name);
      } catch (const std::bad_alloc&) {
      }
    }
    return 0;
  };
  dl_iterate_phdr(note, &names);
  for (const std::string& name : names) {
    if (const Library* library = library_behind_module(name.c_str())) return library;
  }
  return nullptr;
}

const Library* find(const void* caller) {
  Dl_info module;
  const bool is_known = dladdr(caller, &module) != 0 && module.dli_fname != nullptr;
  // What a region's code calls last returns to this library, which runs that code.
  if (is_known && module.dli_fbase == base_of(reinterpret_cast<const void*>(&library_of))) {
    return remembered != nullptr ? remembered : any_library();
  }
  const Library* library = is_known ? library_behind_module(module.dli_fname) : nullptr;
  return library != nullptr ? library : any_library();
}

Known& place_of(const void* caller, size_t probe) {
  const uint64_t mixed = reinterpret_cast<uintptr_t>(caller) * 0x9E3779B97F4A7C15u;
  return known_callers[((mixed >> 40) + probe) % kMostCallers];
}
constexpr size_t kMostProbes = 16;

const Library* find_and_keep(const void* caller) {
  const std::lock_guard<std::mutex> guard(lock);
  static bool by_caller = false;
  if (!by_caller) {
    const Library* const next = library_behind(RTLD_NEXT);
    of_all.store(next, std::memory_order_release);
    if (next != nullptr) return next;
  }
  // From here on one that comes for all is not for those who have another one.
  const Library* const library = find(caller);
  if (library == nullptr) return nullptr;
  by_caller = true;
  for (size_t probe = 0; probe < kMostProbes; ++probe) {
    Known& place = place_of(caller, probe);
    const void* const known = place.caller.load(std::memory_order_relaxed);
    if (known == caller) break;
    if (known != nullptr) continue;
    has_callers.store(true, std::memory_order_relaxed);
    place.library.store(library, std::memory_order_relaxed);
    place.caller.store(caller, std::memory_order_release);
    break;
  }
  return library;
}

}  // namespace

const Library* library_of(const void* caller) {
  if (const Library* library = of_all.load(std::memory_order_acquire)) return library;
  for (size_t probe = 0; probe < kMostProbes; ++probe) {
    const Known& place = place_of(caller, probe);
    const void* const known = place.caller.load(std::memory_order_acquire);
    if (known == nullptr) break;
    if (known != caller) continue;
    const Library* const library = place.library.load(std::memory_order_acquire);
    // Else it was forgotten meanwhile.
    if (place.caller.load(std::memory_order_relaxed) == caller) return library;
  }
  return find_and_keep(caller);
}

void forget_callers() {
  if (!has_callers.load(std::memory_order_relaxed)) return;
  const std::lock_guard<std::mutex> guard(lock);
  for (Known& known : known_callers) known.caller.store(nullptr, std::memory_order_release);
}

void remember(const Library* library) { remembered = library; }

}  // namespace scalediag::inject::gomp
