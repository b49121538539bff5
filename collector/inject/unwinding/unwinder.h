// The call stack of a thread from a copy of its registers and of the end of its stack.
#pragma once

#include <link.h>

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collector/inject/unwinding/frame_rules.h"

namespace scalediag::inject {

// The registers and the stack of a thread when it was interrupted.
struct StackCopy {
  std::array<uint64_t, kUnwoundRegisters> registers{};
  uint64_t instruction = 0;
  const char* bytes = nullptr;  // memory from `from` to `to`
  uint64_t from = 0, to = 0;
  bool is_cut = false;  // the stack is longer than the copy
};

enum class StackEnd : uint8_t {
  kWhole,    // the first function of the thread was reached
  kCut,      // it lies beyond the end of the copy
  kNoTable,  // no unwind table has the code that was reached
  kMisled,   // the table led out of the stack
};

struct UnwoundFrame {
  uint64_t address = 0;   // to which the frame's callee returns; of the innermost, the interrupted instruction
  uint64_t function = 0;  // where the frame's function begins; 0 where no table has it
};

// A module as the loader lists it (dl_iterate_phdr). begin >= end: it has nothing in memory.
UnwindModule unwind_module(const dl_phdr_info& info);

class Unwinder {
 public:
  // Reads the loader's list of modules and calls work() while none can be unmapped. What work() throws is passed on.
  template <class Work> void with_modules(Work work) {
    with_modules_locked([](void* w) { (*static_cast<Work*>(w))(); }, &work);
  }
  // Only within with_modules(). Replaces `frames`, the innermost first; may throw std::bad_alloc.
  StackEnd unwind(const StackCopy& copy, std::vector<UnwoundFrame>& frames);

 private:
  void with_modules_locked(void (*work)(void*), void* data);
  const FrameRules& rules_at(uint64_t address);

  std::vector<UnwindModule> modules_;  // by address
  uint64_t loaded_ = 0, unloaded_ = 0;
  std::unordered_map<uint64_t, FrameRules> known_;  // by address
};

}  // namespace scalediag::inject
