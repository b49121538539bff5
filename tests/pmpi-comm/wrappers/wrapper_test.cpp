// The wrappers as an application calls them, in front of a stand-in for an MPI library.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/mpi_routines.h"
#include "pmpi-comm/call_table.h"
#include "pmpi-comm/own_work.h"
#include "pmpi-comm/thread_state.h"
#include "tests/pmpi-comm/fake_mpi.h"

extern "C" {
int MPI_Init(int*, char***);
void mpi_init_(int* error);
int MPI_Finalize();
int MPI_Abort(uintptr_t comm, int code);
int MPI_Barrier(uintptr_t comm);
void mpi_barrier_(const int* comm, int* error);
void mpi_barrier_f08_(const int* comm, int* error);
int MPI_Bcast(void* buffer, int count, uintptr_t type, int root, uintptr_t comm);
int MPI_Test(uintptr_t* request, int* flag, void* status);
int MPI_Wait(uintptr_t* request, void* status);
int MPI_Scan(const void*, void*, int, uintptr_t, uintptr_t, uintptr_t);
}

namespace scalediag::pmpi {
namespace {

constexpr uintptr_t kComm = 17;
constexpr uintptr_t kDouble = 18;

struct Heard {
  int init_begin = 0, init_end = 0, finalize_begin = 0, finalize_end = 0, abort = 0, drains = 0;
  int rank = -1, size = -1;
  std::string version;
  std::vector<uint32_t> drained_as;
} heard;

class Wrapper : public testing::Test {
 protected:
  void SetUp() override {
    heard = Heard();
    fake_mpi = FakeMpi();
    Hooks h;
    h.init_begin = [](const void*) { ++heard.init_begin; };
    h.init_end = [](int rank, int size, const char* version) {
      ++heard.init_end;
      heard.rank = rank;
      heard.size = size;
      heard.version = version;
      recording = true;
    };
    h.finalize_begin = [] {
      ++heard.finalize_begin;
      recording = false;
    };
    h.finalize_end = [] { ++heard.finalize_end; };
    h.abort = [] { ++heard.abort; };
    h.attach_thread = [] { return current; };
    h.drain = [](ThreadState& s) {
      ++heard.drains;
      heard.drained_as.push_back(raw::routine_of(s.operation));
      s.ring_seen = *s.ring_head;
    };
    set_hooks(h);
    state.calls = &table;
    current = &state;
    this_thread = nullptr;
    recording = true;
  }
  void TearDown() override {
    recording = false;
    this_thread = nullptr;
    set_hooks(Hooks());
  }

  // Sum over all entries of an operation.
  uint64_t calls(uint32_t operation) const {
    uint64_t n = 0;
    table.calls().for_each(
        [&](const CallEntry& e) { n += raw::routine_of(e.operation) == operation ? e.calls.get() : 0; });
    return n;
  }

  CallTable table;
  ThreadState state;
  static ThreadState* current;
};
ThreadState* Wrapper::current = nullptr;

TEST_F(Wrapper, PassesTheCallOnAndCountsIt) {
  EXPECT_EQ(MPI_Barrier(kComm), 0);
  EXPECT_EQ(fake_mpi.calls, 1);
  EXPECT_EQ(fake_mpi.comm, kComm);
  EXPECT_EQ(calls(mpi::kBarrier), 1u);
  EXPECT_EQ(this_thread, &state);
  EXPECT_EQ(state.depth, 0);
  EXPECT_EQ(state.operation, raw::kOutsideMpi);
}

TEST_F(Wrapper, CountsAFortranCallOnceThoughItPassesTwoWrappers) {
  const int comm = 17;
  int error = 5;
  mpi_barrier_(&comm, &error);
  EXPECT_EQ(error, 0);
  EXPECT_EQ(fake_mpi.calls, 1);
  EXPECT_EQ(calls(mpi::kBarrier), 1u);
}

TEST_F(Wrapper, PassesOnWithoutCountingWhenNotRecording) {
  recording = false;
  EXPECT_EQ(MPI_Barrier(kComm), 0);
  EXPECT_EQ(fake_mpi.calls, 1);
  EXPECT_EQ(calls(mpi::kBarrier), 0u);
  EXPECT_EQ(this_thread, nullptr);
}

TEST_F(Wrapper, PassesOnWhenTheThreadCanNotBeRecorded) {
  current = nullptr;
  EXPECT_EQ(MPI_Barrier(kComm), 0);
  EXPECT_EQ(fake_mpi.calls, 1);
}

TEST_F(Wrapper, ReturnsTheErrorAndCountsAFailedCallWithoutBytes) {
  fake_mpi.error = 13;
  EXPECT_EQ(MPI_Bcast(nullptr, 100, kDouble, 0, kComm), 13);
  table.calls().for_each([](const CallEntry& e) {
    EXPECT_EQ(e.bytes.get(), 0u);
    EXPECT_EQ(e.calls.get(), 1u);
  });
  fake_mpi.error = 0;
  EXPECT_EQ(MPI_Bcast(nullptr, 100, kDouble, 0, kComm), 0);
  uint64_t bytes = 0;
  table.calls().for_each([&](const CallEntry& e) { bytes += e.bytes.get(); });
  EXPECT_EQ(bytes, 800u);  // 100 x 8
}

TEST_F(Wrapper, StandsInForAnErrorCodeThatFortranLeftAway) {
  const int comm = 17;
  fake_mpi.error = 13;
  mpi_barrier_f08_(&comm, nullptr);
  fake_mpi.error = 0;
  mpi_barrier_f08_(&comm, nullptr);
  EXPECT_EQ(calls(mpi::kBarrier), 2u);
  // Only the call that succeeded knows its communicator.
  std::map<uint32_t, uint64_t> by_size;
  table.calls().for_each([&](const CallEntry& e) { by_size[e.communicator_size] += e.calls.get(); });
  EXPECT_EQ(by_size, (std::map<uint32_t, uint64_t>{{0, 1}, {4, 1}}));
}

TEST_F(Wrapper, DoesNotCountCallsFromInsideMpi) {
  fake_mpi.inside = [] {
    int flag = 0;
    uintptr_t request = 0;
    MPI_Test(&request, &flag, nullptr);
  };
  MPI_Barrier(kComm);
  EXPECT_EQ(fake_mpi.calls, 2);
  EXPECT_EQ(calls(mpi::kTest), 0u);
}

TEST_F(Wrapper, ShowsTheOperationWhileItLasts) {
  fake_mpi.inside = [] {
    EXPECT_EQ(raw::routine_of(this_thread->operation), static_cast<uint32_t>(mpi::kBarrier));
    EXPECT_EQ(this_thread->depth, 1);
  };
  MPI_Barrier(kComm);
  EXPECT_EQ(fake_mpi.calls, 1);
}

// An error handler may throw through MPI.
TEST_F(Wrapper, IsOutsideAgainAfterAnException) {
  fake_mpi.inside = [] { throw std::runtime_error("from an error handler"); };
  EXPECT_THROW(MPI_Barrier(kComm), std::runtime_error);
  EXPECT_EQ(state.depth, 0);
  EXPECT_EQ(state.operation, raw::kOutsideMpi);
  fake_mpi.inside = nullptr;
  MPI_Barrier(kComm);
  EXPECT_EQ(calls(mpi::kBarrier), 1u);
}

uint64_t ring_head;

TEST_F(Wrapper, DrainsSamplesToWhereTheyWereTaken) {
  ring_head = 0;
  state.ring_head = &ring_head;
  MPI_Barrier(kComm);
  EXPECT_EQ(heard.drains, 0);
  ring_head = 8;  // before the call
  fake_mpi.inside = [] { ring_head = 16; };
  MPI_Barrier(kComm);
  EXPECT_EQ(heard.drained_as, (std::vector<uint32_t>{raw::kOutsideMpi, mpi::kBarrier}));
}

TEST_F(Wrapper, SamplesOfOwnWorkAreTheCollectors) {
  ring_head = 0;
  state.ring_head = &ring_head;
  {
    ring_head = 8;
    const OwnWork own(state);
    ring_head = 16;
  }
  EXPECT_EQ(heard.drained_as, (std::vector<uint32_t>{raw::kOutsideMpi, raw::kOfCollector}));
  EXPECT_EQ(state.operation, raw::kOutsideMpi);
}

TEST_F(Wrapper, CountsEveryPollThoughItTimesFew) {
  int flag = 0;
  uintptr_t request = 0;
  for (int i = 0; i < 1000; ++i) MPI_Test(&request, &flag, nullptr);
  EXPECT_EQ(fake_mpi.calls, 1000);
  EXPECT_EQ(calls(mpi::kTest), 1000u);
}

TEST_F(Wrapper, FallsBackToTheProfilingName) {
  uintptr_t request = 0;
  EXPECT_EQ(MPI_Wait(&request, nullptr), 0);
  EXPECT_EQ(fake_mpi.calls, 1);
  EXPECT_EQ(calls(mpi::kWait), 1u);
}

TEST_F(Wrapper, NamesARoutineThatMpiDoesNotHave) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(MPI_Scan(nullptr, nullptr, 0, 0, 0, 0), "the application called MPI_Scan, which no MPI library");
}

TEST_F(Wrapper, TellsOfInitOnceThoughFortranCallsC) {
  recording = false;
  int error = 5;
  mpi_init_(&error);
  EXPECT_EQ(error, 0);
  EXPECT_EQ(fake_mpi.calls, 1);
  EXPECT_EQ(heard.init_begin, 1);
  EXPECT_EQ(heard.init_end, 1);
  EXPECT_EQ(heard.rank, 3);
  EXPECT_EQ(heard.size, 4);
  EXPECT_EQ(heard.version, "Fake MPICH");
}

TEST_F(Wrapper, SaysNothingOfAnInitThatFailed) {
  recording = false;
  fake_mpi.error = 1;
  EXPECT_EQ(MPI_Init(nullptr, nullptr), 1);
  EXPECT_EQ(heard.init_end, 0);
}

TEST_F(Wrapper, TellsOfFinalizeAndAbort) {
  EXPECT_EQ(MPI_Finalize(), 0);
  EXPECT_EQ(heard.finalize_begin, 1);
  EXPECT_EQ(heard.finalize_end, 1);
  EXPECT_EQ(MPI_Abort(kComm, 3), 0);
  EXPECT_EQ(heard.abort, 1);
  EXPECT_EQ(fake_mpi.calls, 2);
}

// Calls of one operation by the site that made them.
std::map<uint32_t, uint64_t> calls_by_site(const CallTable& table, uint32_t routine) {
  std::map<uint32_t, uint64_t> calls;
  table.calls().for_each([&](const CallEntry& e) {
    if (raw::routine_of(e.operation) == routine) calls[raw::site_of(e.operation)] += e.calls.get();
  });
  return calls;
}

// What follows the call keeps the compiler from a jump to it, which would leave no trace of this function.
__attribute__((noinline)) int barrier_here() { return MPI_Barrier(kComm) + 1; }
__attribute__((noinline)) int barrier_there() { return MPI_Barrier(kComm) + 2; }
__attribute__((noinline)) int call_through(int (*function)()) { return function() + 1; }
__attribute__((noinline)) int at_depth(int depth, int (*function)()) {
  volatile int kept[40] = {depth};
  return depth > 0 ? at_depth(depth - 1, function) + kept[0] : call_through(function) + kept[0];
}

TEST_F(Wrapper, CallsAreCountedByThePlaceThatMakesThem) {
  for (int i = 0; i < 5; ++i) {
    barrier_here();
    if (i < 3) barrier_there();
  }
  const auto calls = calls_by_site(table, mpi::kBarrier);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls.count(0), 0u);  // none is unknown
  EXPECT_EQ(calls.begin()->second + calls.rbegin()->second, 8u);
  EXPECT_EQ(std::max(calls.begin()->second, calls.rbegin()->second), 5u);
}

TEST_F(Wrapper, APlaceIsTheSameAtEveryDepthOfTheStack) {
  for (int depth = 3; depth < 40; ++depth) at_depth(depth, barrier_here);
  EXPECT_EQ(calls_by_site(table, mpi::kBarrier),
            (std::map<uint32_t, uint64_t>{{calls_by_site(table, mpi::kBarrier).begin()->first, 37u}}));
}

// The frames of the function that called and of its callers are part of a site: two callers make two sites, whose
// innermost frame is the same.
TEST_F(Wrapper, ASiteHasItsCallers) {
  for (int i = 0; i < 4; ++i) call_through(barrier_here);
  for (int i = 0; i < 2; ++i) barrier_here();
  const auto calls = calls_by_site(table, mpi::kBarrier);
  ASSERT_EQ(calls.size(), 2u);
  std::vector<uintptr_t> innermost;
  uint32_t number = 0;
  call_sites().for_each([&](const CallSite& site) {
    if (calls.count(++number) != 0) innermost.push_back(site.frames[0]);
  });
  ASSERT_EQ(innermost.size(), 2u);
  EXPECT_EQ(innermost[0], innermost[1]);
}

}  // namespace
}  // namespace scalediag::pmpi
