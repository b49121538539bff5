// The functions above a wrapper's caller, by unwinding, and the words of the stack that hold their return addresses.
#pragma once

#include <unwind.h>

#include <algorithm>
#include <cstdint>

namespace scalediag::pmpi {

// Of a wrapper's caller: the address to which the wrapper returns, and the stack pointer before the call.
struct Caller {
  uintptr_t address = 0;
  uintptr_t stack = 0;
};

// Calls visit(address, stack) for `caller` and then for each function above it, with the address to which it is
// returned and its stack pointer at its call, until that is false or the stack ends. A function that a signal has
// interrupted may be on another stack than the handler: the walk ends below it, after the code of the C library to
// which the handler returns, and true is the result.
template <class Visit> bool walk_stack(Caller caller, Visit visit) {
  struct Walk {
    Caller caller;
    Visit& visit;
    bool found = false, ends_at_signal = false;
  } walk{caller, visit};
  const auto take = [](_Unwind_Context* context, void* data) {
    Walk& to = *static_cast<Walk*>(data);
    int is_interrupted = 0;
    const uintptr_t address = _Unwind_GetIPInfo(context, &is_interrupted);
    const uintptr_t stack = _Unwind_GetCFA(context);
    if (!to.found && (address != to.caller.address || stack != to.caller.stack)) {
      return stack > to.caller.stack ? _URC_END_OF_STACK : _URC_NO_REASON;
    }
    to.ends_at_signal = to.found && is_interrupted != 0;
    to.found = true;
    if (to.ends_at_signal || address == 0) return _URC_END_OF_STACK;
    return to.visit(address, stack) ? _URC_NO_REASON : _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(take, &walk);
  return walk.ends_at_signal;
}

// The place at which the return address is on the stack, in the frame of the function that will return to it: the frame
// lies between the stack pointers of two functions that follow each other in a walk. x86 has the address at the end of
// the frame; elsewhere the function has stored it somewhere in it. nullptr where it is not there.
inline const uintptr_t* slot_of(uintptr_t address, uintptr_t frame_begin, uintptr_t frame_end) {
  constexpr uintptr_t kLargestFrame = 1 << 16;
  if (frame_end <= frame_begin) return nullptr;
  const auto* slot = reinterpret_cast<const uintptr_t*>(frame_end);
  const auto* const first =
      reinterpret_cast<const uintptr_t*>(frame_end - std::min(frame_end - frame_begin, kLargestFrame));
  while (--slot >= first) {
    if (*slot == address) return slot;
  }
  return nullptr;
}

}  // namespace scalediag::pmpi
