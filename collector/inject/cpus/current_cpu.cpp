#include "collector/inject/cpus/current_cpu.h"

#include <dlfcn.h>
#include <linux/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace scalediag::inject {
namespace {

// The area for threads that the C library has not registered: it is older than 2.35, or was told not to.
__thread struct rseq own_area __attribute__((tls_model("initial-exec"), aligned(32)));

struct rseq* area_of_the_c_library() {
  static const auto* const offset = static_cast<const ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
  static const auto* const size = static_cast<const unsigned int*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
  if (offset == nullptr || size == nullptr || *size == 0) return nullptr;
  return reinterpret_cast<struct rseq*>(static_cast<char*>(__builtin_thread_pointer()) + *offset);
}

// The call fails with EBUSY where this thread has registered its area before.
bool has_own_area() {
  constexpr uint32_t kSignature = 0x53053053;  // the value of the C library; we have no sequences that abort
  constexpr uint32_t kFirstSize = 32;          // the only one that every kernel takes
  return syscall(SYS_rseq, &own_area, kFirstSize, 0, kSignature) == 0 || errno == EBUSY;
}

}  // namespace

const volatile uint32_t* current_cpu_of_this_thread() {
  constexpr uint32_t kMostNumbers = 1 << 20;  // above are the values that mean "not registered"
  struct rseq* area = area_of_the_c_library();
  if (area == nullptr && has_own_area()) area = &own_area;
  if (area == nullptr) return nullptr;
  const volatile uint32_t* cpu = &area->cpu_id;
  return *cpu < kMostNumbers ? cpu : nullptr;
}

}  // namespace scalediag::inject
