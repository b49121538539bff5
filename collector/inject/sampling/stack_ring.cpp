#include "collector/inject/sampling/stack_ring.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

// Where the first thread's stack begins; above it are the arguments and the environment.
extern "C" __attribute__((weak)) void* __libc_stack_end;

namespace scalediag::inject {
namespace {

// Bytes below the stack pointer that a function may use.
#if defined(__x86_64__)
constexpr uint64_t kRedZone = 128;
#else
constexpr uint64_t kRedZone = 0;
#endif

struct CopyHead {
  std::array<uint64_t, kUnwoundRegisters> registers;
  uint64_t instruction;
  uint64_t from;
  uint64_t is_cut;
};

void read_registers(const void* context, CopyHead& head) {
  const auto* c = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  constexpr int kInContext[kReturnRegister] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (uint32_t i = 0; i < kReturnRegister; ++i) {
    head.registers[i] = static_cast<uint64_t>(c->uc_mcontext.gregs[kInContext[i]]);
  }
  head.instruction = head.registers[kReturnRegister] = static_cast<uint64_t>(c->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  for (uint32_t i = 0; i < kStackRegister; ++i) head.registers[i] = c->uc_mcontext.regs[i];
  head.registers[kStackRegister] = c->uc_mcontext.sp;
  head.instruction = head.registers[kUnwoundRegisters - 1] = c->uc_mcontext.pc;
#endif
}

// Whole words, one by one: the address sanitizer checks memcpy, and forbids what lies between a function's variables.
__attribute__((no_sanitize("address"), no_sanitize("undefined"))) void copy_words(char* to, uint64_t from,
                                                                                  uint64_t bytes) {
  const auto* words = reinterpret_cast<const volatile uint64_t*>(from);
  auto* copied = reinterpret_cast<uint64_t*>(to);
  for (uint64_t i = 0; i < bytes / sizeof(uint64_t); ++i) copied[i] = words[i];
}

}  // namespace

StackRing::~StackRing() {
  if (memory_ != nullptr) munmap(memory_, size_);
}

bool StackRing::open(pthread_t thread, pid_t tid, size_t most_bytes) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(thread, &attributes) != 0) return false;
  void* low = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  low_ = reinterpret_cast<uint64_t>(low);
  high_ = low_ + bytes;
  if (tid == getpid() && &__libc_stack_end != nullptr) {
    const auto end = reinterpret_cast<uint64_t>(__libc_stack_end);
    if (end > low_) high_ = std::min(high_, end);
  }
  most_bytes_ = most_bytes & ~size_t{7};
  const size_t size = kStacks * (sizeof(CopyHead) + most_bytes_);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  size_ = size;
  memory_ = static_cast<char*>(memory);
  return true;
}

KeptStack StackRing::keep(const void* context) {
  if (memory_ == nullptr || context == nullptr) return {};
  CopyHead head;
  read_registers(context, head);
  const uint64_t stack = head.registers[kStackRegister];
  if (stack < low_ + kRedZone || stack >= high_) return {};
  head.from = stack - kRedZone;
  const uint64_t bytes = std::min<uint64_t>(high_ - head.from, most_bytes_) & ~uint64_t{7};
  head.is_cut = high_ - head.from > most_bytes_ ? 1 : 0;
  const uint64_t needed = sizeof head + bytes;
  uint64_t position = head_;
  // A copy is not split at the end of the ring.
  if (position % size_ + needed > size_) position += size_ - position % size_;
  if (position + needed - tail_.load(std::memory_order_acquire) > size_) return {};
  char* const to = memory_ + position % size_;
  std::memcpy(to, &head, sizeof head);
  copy_words(to + sizeof head, head.from, bytes);
  head_ = position + needed;
  return {position, static_cast<uint32_t>(needed)};
}

StackCopy StackRing::copy_of(const KeptStack& kept) const {
  const char* const from = memory_ + kept.position % size_;
  CopyHead head;
  std::memcpy(&head, from, sizeof head);
  StackCopy copy;
  copy.registers = head.registers;
  copy.instruction = head.instruction;
  copy.bytes = from + sizeof head;
  copy.from = head.from;
  copy.to = head.from + (kept.bytes - sizeof head);
  copy.is_cut = head.is_cut != 0;
  return copy;
}

}  // namespace scalediag::inject
