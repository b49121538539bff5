#include "pmpi-comm/stack_walk.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <iterator>

namespace scalediag::pmpi {
namespace {

struct Frame {
  uintptr_t address, stack;
};

struct Found {
  Frame frames[64] = {};
  size_t n = 0;
  bool ends_at_signal = false;
};

// As a wrapper.
__attribute__((noinline)) void wrapper(Found& found) {
  const Caller caller{reinterpret_cast<uintptr_t>(__builtin_return_address(0)),
                      reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa())};
  found.ends_at_signal = walk_stack(caller, [&found](uintptr_t address, uintptr_t stack) {
    found.frames[found.n] = {address, stack};
    return ++found.n < std::size(found.frames);
  });
}

Found in_handler;
// The empty statement keeps the call from becoming a jump.
void handler(int /*signal*/) {
  wrapper(in_handler);
  asm volatile("");
}

TEST(StackWalk, BeginsAtTheCallerAndGoesUp) {
  Found found;
  wrapper(found);
  EXPECT_FALSE(found.ends_at_signal);
  ASSERT_GE(found.n, 3u);  // this function, its caller in the framework, main
  for (size_t i = 1; i < found.n; ++i) {
    EXPECT_GT(found.frames[i].stack, found.frames[i - 1].stack);
    const uintptr_t* const slot = slot_of(found.frames[i].address, found.frames[i - 1].stack, found.frames[i].stack);
    ASSERT_NE(slot, nullptr) << i;
    EXPECT_EQ(*slot, found.frames[i].address);
  }
}

// The handler's stack lies in the program's data, below that of the thread: what was interrupted is above it, and would
// be taken for the handler's caller.
TEST(StackWalk, EndsAtWhatASignalInterrupted) {
  static char memory[1 << 18];
  stack_t alternate{}, before{};
  alternate.ss_sp = memory;
  alternate.ss_size = sizeof memory;
  ASSERT_EQ(sigaltstack(&alternate, &before), 0);
  struct sigaction action {
  }, action_before{};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &action_before), 0);
  in_handler = {};
  raise(SIGUSR1);
  sigaction(SIGUSR1, &action_before, nullptr);
  sigaltstack(&before, nullptr);

  EXPECT_TRUE(in_handler.ends_at_signal);
  ASSERT_EQ(in_handler.n, 2u);  // the handler, and the code to which it returns
  for (size_t i = 0; i < in_handler.n; ++i) {
    EXPECT_GT(in_handler.frames[i].stack, reinterpret_cast<uintptr_t>(memory));
    EXPECT_LE(in_handler.frames[i].stack, reinterpret_cast<uintptr_t>(memory + sizeof memory));
  }
}

}  // namespace
}  // namespace scalediag::pmpi
