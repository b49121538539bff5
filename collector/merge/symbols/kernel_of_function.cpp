#include "collector/merge/symbols/kernel_of_function.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "collector/merge/symbols/mpi_modules.h"
#include "core/raw/c_library.h"

namespace scalediag::merge {
namespace {

// Without what glibc puts before and after them: __memset_avx2_unaligned_erms, __libc_malloc, _int_free.part.0.
constexpr std::array<std::string_view, 46> kOfMemoryAndStrings = {"memcpy",        "memmove",
                                                                  "mempcpy",       "memset",
                                                                  "memcmp",        "memcmpeq",
                                                                  "memchr",        "memrchr",
                                                                  "rawmemchr",     "memmem",
                                                                  "bcopy",         "bzero",
                                                                  "bcmp",          "strlen",
                                                                  "strnlen",       "strcpy",
                                                                  "strncpy",       "stpcpy",
                                                                  "strcat",        "strncat",
                                                                  "strcmp",        "strncmp",
                                                                  "strcasecmp",    "strchr",
                                                                  "strrchr",       "strchrnul",
                                                                  "strstr",        "strspn",
                                                                  "strcspn",       "strpbrk",
                                                                  "strdup",        "wmemset",
                                                                  "wcslen",        "malloc",
                                                                  "calloc",        "realloc",
                                                                  "free",          "cfree",
                                                                  "memalign",      "posix_memalign",
                                                                  "aligned_alloc", "sysmalloc",
                                                                  "systrim",       "unlink_chunk",
                                                                  "tcache",        "checked_request2size"};

bool is_of_memory_and_strings(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  for (const std::string_view before : {"libc_", "int_"}) {
    if (name.starts_with(before)) name.remove_prefix(before.size());
  }
  return std::ranges::any_of(kOfMemoryAndStrings, [name](std::string_view routine) {
    if (!name.starts_with(routine)) return false;
    const std::string_view rest = name.substr(routine.size());
    return rest.empty() || rest.front() == '_' || rest.front() == '.' || rest.front() == '@';
  });
}

bool is_memory_or_string_routine(const Function& f) {
  if (raw::is_c_library(f.module)) return is_of_memory_and_strings(f.name);
  const std::string_view name = f.name;
  const bool allocates = name.starts_with("operator new") || name.starts_with("operator delete");
  return allocates && (is_library(f.module, "libstdc++") || is_library(f.module, "libc++"));
}

// "cos" of __cos_fma and "exp" of __ieee754_exp_avx2: the name by which programs call a function of libm, which has one
// for each kind of processor.
std::string math_name(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  constexpr std::string_view kInner = "ieee754_";
  if (name.starts_with(kInner)) name.remove_prefix(kInner.size());
  for (const std::string_view processor : {"_fma", "_avx", "_sse", "_ifunc"})
    name = name.substr(0, name.find(processor));
  return std::string(name);
}

}  // namespace

bool says_nothing(const Function& function) {
  return !function.is_named || is_vdso(function.module) || is_memory_or_string_routine(function);
}

std::string without_symbols(const std::string& module) { return module + " (no symbols)"; }

core::KernelId kernel_of(const Function& function) {
  if (!function.is_named) return {without_symbols(function.module), function.module, "", 0};
  if (is_memory_or_string_routine(function)) return {"[memory and strings]", function.module, "", 0};
  core::KernelId id = core::id_of(function);
  if (is_library(function.module, "libm")) id.name = math_name(id.name);
  return id;
}

}  // namespace scalediag::merge
