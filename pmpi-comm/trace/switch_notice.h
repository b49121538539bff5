// Notices whether the calling thread has kept its core, without a system call.
//
// A thread's area of restartable sequences (rseq(2)) has a pointer to a critical section. The kernel sets it to null
// when it has taken the core from the thread, or given it a signal, while the thread was outside of that section. The
// section that is put there contains no code, so that this always is so. Where a program uses such sections itself, the
// pointer is another one, which counts as a core that was not kept.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#if __has_include(<linux/rseq.h>) && defined(__x86_64__)
#include <linux/rseq.h>
#define SCALEDIAG_RSEQ 1
#endif

namespace scalediag::pmpi {

class SwitchNotice {
 public:
  // Called by the thread that is watched, before the others. Without the C library's or the kernel's support,
  // has_kept_core() is always false.
  void start() {
#ifdef SCALEDIAG_RSEQ
    const auto* const size = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
    const auto* const offset = static_cast<const ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
    if (size == nullptr || offset == nullptr || *size == 0) return;
    // The kernel refuses a section whose end it cannot check: its signature is before the place to go on at.
    static const uint32_t kNoCode[] = {0, kSignature, 0, 0};
    static const rseq_cs kNoSection __attribute__((aligned(32))) = {0, 0, reinterpret_cast<uintptr_t>(&kNoCode[3]), 1,
                                                                    reinterpret_cast<uintptr_t>(&kNoCode[2])};
    section_ = reinterpret_cast<uintptr_t>(&kNoSection);
    auto* const area = reinterpret_cast<rseq*>(static_cast<char*>(__builtin_thread_pointer()) + *offset);
    pointer_ = reinterpret_cast<uint64_t*>(&area->rseq_cs);
#endif
  }
  // Watches from now on.
  void watch() {
    if (pointer_ != nullptr) __atomic_store_n(pointer_, section_, __ATOMIC_RELAXED);
  }
  // Whether the thread has had its core all the time since watch().
  bool has_kept_core() const { return pointer_ != nullptr && __atomic_load_n(pointer_, __ATOMIC_RELAXED) == section_; }

 private:
  static constexpr uint32_t kSignature = 0x53053053;  // the C library's, RSEQ_SIG of x86

  uint64_t* pointer_ = nullptr;
  uint64_t section_ = 0;
};

}  // namespace scalediag::pmpi
