// Stacks of this test's own threads: functions that call themselves a known number of times.
#include "collector/inject/unwinding/unwinder.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "collector/inject/sampling/stack_ring.h"
#include "collector/inject/sampling/timer_ring.h"
#include "collector/inject/unwinding/call_stacks.h"

namespace scalediag::inject {
namespace {

constexpr size_t kStackCopied = 64 * 1024;

__attribute__((noinline)) KeptStack take_copy(StackRing& ring) {
  ucontext_t context;
  getcontext(&context);
  return ring.keep(&context);
}

// Calls itself `depth` times; not a jump, since the result is used afterwards.
__attribute__((noinline)) KeptStack call_itself(int depth, StackRing& ring) {
  KeptStack kept = depth > 0 ? call_itself(depth - 1, ring) : take_copy(ring);
  asm volatile("" : "+m"(kept));
  return kept;
}

// A frame whose size is not known before, and one whose alignment makes the compiler find the caller by an expression.
__attribute__((noinline)) KeptStack call_from_odd_frame(int bytes, StackRing& ring) {
  volatile auto* some = static_cast<char*>(__builtin_alloca(static_cast<size_t>(bytes)));
  alignas(64) volatile char aligned[64] = {};
  some[0] = aligned[0];
  KeptStack kept = call_itself(3, ring);
  asm volatile("" : "+m"(kept));
  some[1] = aligned[1];
  return kept;
}

struct Unwound {
  StackEnd end = StackEnd::kMisled;
  std::vector<UnwoundFrame> frames;

  int64_t of(uint64_t function) const {
    return std::count_if(frames.begin(), frames.end(), [&](const UnwoundFrame& f) { return f.function == function; });
  }
};

Unwound unwind(const StackCopy& copy) {
  Unwinder unwinder;
  Unwound u;
  unwinder.with_modules([&] { u.end = unwinder.unwind(copy, u.frames); });
  return u;
}

bool open_here(StackRing& ring, size_t bytes) {
  return ring.open(pthread_self(), static_cast<pid_t>(syscall(SYS_gettid)), bytes);
}

const auto kCallItself = reinterpret_cast<uint64_t>(&call_itself);

TEST(Unwinder, FindsEveryCallOfAFunctionByItself) {
  StackRing ring;
  ASSERT_TRUE(open_here(ring, kStackCopied));
  for (const int depth : {0, 1, 20}) {
    const KeptStack kept = call_itself(depth, ring);
    ASSERT_GT(kept.bytes, 0u);
    const Unwound u = unwind(ring.copy_of(kept));
    EXPECT_EQ(u.end, StackEnd::kWhole);
    EXPECT_EQ(u.of(kCallItself), depth + 1);
    ring.release(kept);
  }
}

TEST(Unwinder, FindsCallersOfFramesOfUnknownSize) {
  StackRing ring;
  ASSERT_TRUE(open_here(ring, kStackCopied));
  const Unwound u = unwind(ring.copy_of(call_from_odd_frame(1000, ring)));
  EXPECT_EQ(u.end, StackEnd::kWhole);
  EXPECT_EQ(u.of(kCallItself), 4);
  EXPECT_EQ(u.of(reinterpret_cast<uint64_t>(&call_from_odd_frame)), 1);
}

TEST(Unwinder, SaysThatAStackIsLongerThanItsCopy) {
  StackRing ring;
  ASSERT_TRUE(open_here(ring, 4096));
  // A frame has 16 bytes at least: its return address, and the alignment that calls keep.
  const Unwound u = unwind(ring.copy_of(call_itself(4096 / 16, ring)));
  EXPECT_EQ(u.end, StackEnd::kCut);
  EXPECT_GT(u.of(kCallItself), 5);
  EXPECT_LE(u.of(kCallItself), 4096 / 16);
}

TEST(Unwinder, EndsAtTheStartOfAThread) {
  Unwound u;
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void* to) -> void* {
                  StackRing ring;
                  if (open_here(ring, kStackCopied)) {
                    *static_cast<Unwound*>(to) = unwind(ring.copy_of(call_itself(7, ring)));
                  }
                  return nullptr;
                },
                &u),
            0);
  pthread_join(thread, nullptr);
  EXPECT_EQ(u.end, StackEnd::kWhole);
  EXPECT_EQ(u.of(kCallItself), 8);
}

TEST(Unwinder, SaysThatNoTableHasTheCode) {
  StackRing ring;
  ASSERT_TRUE(open_here(ring, kStackCopied));
  StackCopy copy = ring.copy_of(call_itself(2, ring));
  copy.instruction = 0x1000;  // no module is there
  const Unwound u = unwind(copy);
  EXPECT_EQ(u.end, StackEnd::kNoTable);
  EXPECT_EQ(u.frames.size(), 1u);
}

// Whatever the stack holds, nothing but the copy is read.
TEST(Unwinder, SurvivesAStackOfGarbage) {
  StackRing ring;
  ASSERT_TRUE(open_here(ring, kStackCopied));
  StackCopy copy = ring.copy_of(call_itself(5, ring));
  std::vector<char> garbage(copy.to - copy.from);
  for (const char fill : {'\0', '\x7f', '\xff'}) {
    std::fill(garbage.begin(), garbage.end(), fill);
    copy.bytes = garbage.data();
    EXPECT_LT(unwind(copy).frames.size(), 2048u);
  }
}

TEST(StackRing, KeepsNoStackThatIsNotTheThreads) {
  StackRing ring;
  ASSERT_TRUE(open_here(ring, 4096));
  ucontext_t context;
  getcontext(&context);
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RSP] = 0x5000;
#elif defined(__aarch64__)
  context.uc_mcontext.sp = 0x5000;
#endif
  EXPECT_EQ(ring.keep(&context).bytes, 0u);
}

TEST(StackRing, HasRoomAgainAfterRelease) {
  StackRing ring;
  ASSERT_TRUE(open_here(ring, 1024));
  std::vector<KeptStack> kept;
  for (KeptStack k = call_itself(100, ring); k.bytes > 0; k = call_itself(100, ring)) kept.push_back(k);
  EXPECT_GE(kept.size(), StackRing::kStacks - 1);
  for (const KeptStack& k : kept) ring.release(k);
  EXPECT_GT(call_itself(100, ring).bytes, 0u);
}

TEST(CallStacks, StacksShareTheirOuterFunctions) {
  StackRing ring;
  ASSERT_TRUE(open_here(ring, kStackCopied));
  CallStacks stacks;
  // From one place, so that depth alone makes stacks differ.
  const auto callers_at = [&](int depth) {
    TimerSample s;
    s.operation = raw::kOutsideMpi;
    s.stacks = &ring;
    s.stack = call_itself(depth, ring);
    uint32_t callers = 0;
    stacks.with_modules([&] { callers = stacks.callers_of(s, 0); });
    return callers;
  };
  std::vector<uint32_t> numbers;
  std::vector<size_t> met;
  for (const int depth : {3, 3, 4}) {
    numbers.push_back(callers_at(depth));
    met.push_back(stacks.take_new_callers().size());
  }
  EXPECT_EQ(numbers[0], numbers[1]);
  EXPECT_NE(numbers[0], numbers[2]);
  EXPECT_GT(met[0], 4u);
  EXPECT_EQ(met[1], 0u);
  // Of the deeper stack: the call at depth 1 returns to the same place as that at depth 0, one node deeper.
  EXPECT_EQ(met[2], 2u);
  TimerSample nothing;
  EXPECT_EQ(stacks.callers_of(nothing, 0), static_cast<uint32_t>(raw::kUncopiedStack));
}

}  // namespace
}  // namespace scalediag::inject
