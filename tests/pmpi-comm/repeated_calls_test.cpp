#include "pmpi-comm/repeated_calls.h"

#include <gtest/gtest.h>

#include "pmpi-comm/ticks.h"

namespace scalediag::pmpi {
namespace {

constexpr uintptr_t kOrigin = 1 << 20;
constexpr uint32_t kSend = 1, kAllreduce = 2;

// Calls at given times after its beginning, in ticks of a nanosecond.
class Calls {
 public:
  // Of `length` ticks; from the place `address` in the function whose frame lies `depth` below the origin.
  void call(uint32_t operation, uintptr_t address, uintptr_t depth, uint64_t begin, uint64_t length = 10) {
    repeated_.enter(start_ + begin);
    repeated_.leave(operation, address, kOrigin - depth, start_ + begin, start_ + begin + length, mpi_ticks_);
    mpi_ticks_ += length;
  }
  void watch(const RoundSite& site) { repeated_.watch(site); }
  uint64_t round_begun_by(uint32_t operation, uintptr_t address, uintptr_t depth) {
    return repeated_.round_begun_by(operation, address, kOrigin - depth);
  }
  std::vector<raw::RepeatedCall> list(uint64_t end, size_t most = 10) {
    std::vector<raw::RepeatedCall> calls = repeated_.list(start_ + end, most);
    for (raw::RepeatedCall& c : calls) {
      for (uint64_t* ticks : {&c.begin_ticks, &c.first_begin_ticks, &c.last_end_ticks, &c.end_ticks}) *ticks -= start_;
    }
    return calls;
  }

 private:
  const uint64_t start_ = ticks() + 1'000'000;
  RepeatedCalls repeated_{1, kOrigin};
  uint64_t mpi_ticks_ = 0;
};

TEST(RepeatedCalls, ALoopIsFromTheCallBeforeToTheCallAfter) {
  Calls calls;
  calls.call(kSend, 7, 100, 500);
  for (const uint64_t begin : {1000, 2000, 3000, 4000}) calls.call(kAllreduce, 8, 100, begin);
  calls.call(kSend, 9, 100, 4600);
  const auto list = calls.list(9000);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].operation, kAllreduce);
  EXPECT_EQ(list[0].calls, 4u);
  EXPECT_EQ(list[0].begin_ticks, 510u);
  EXPECT_EQ(list[0].first_begin_ticks, 1000u);
  EXPECT_EQ(list[0].last_end_ticks, 4010u);
  EXPECT_EQ(list[0].end_ticks, 4600u);
  EXPECT_NEAR(static_cast<double>(list[0].evenness_of_calls), 1e6, 10);  // of rounded roots
  // The first send before, four calls until its own end.
  EXPECT_EQ(list[0].begin_mpi_ticks, 10u);
  EXPECT_EQ(list[0].end_mpi_ticks, 50u);
}

TEST(RepeatedCalls, SitesDifferInOperationPlaceAndDepth) {
  Calls calls;
  for (int i = 0; i < 3; ++i) {
    calls.call(kSend, 7, 100, 1000 * i + 100);
    calls.call(kSend, 8, 100, 1000 * i + 200);
    calls.call(kSend, 7, 300, 1000 * i + 300);
    calls.call(kAllreduce, 7, 100, 1000 * i + 400);
  }
  EXPECT_EQ(calls.list(5000).size(), 4u);
  EXPECT_EQ(calls.list(5000, 2).size(), 2u);
}

TEST(RepeatedCalls, RoundsBeginWithVisitsOfTheWatchedSite) {
  constexpr uint64_t kDepthOfOrigin = 1 << 30;
  Calls visited, called;
  visited.watch({kSend, 7, kDepthOfOrigin + 200 + 90, true});  // within kNearDepth
  called.watch({kSend, 7, 0, false});
  std::vector<uint64_t> by_visits, by_calls;
  for (int i = 0; i < 3; ++i) {
    for (int n = 0; n < 2; ++n) {
      by_visits.push_back(visited.round_begun_by(kSend, 7, 200));
      by_calls.push_back(called.round_begun_by(kSend, 7, 200));
      for (Calls* calls : {&visited, &called}) calls->call(kSend, 7, 200, 1000 * i + 100 + 10 * n, 5);
    }
    for (Calls* calls : {&visited, &called}) {
      EXPECT_EQ(calls->round_begun_by(kAllreduce, 9, 100), 0u);
      calls->call(kAllreduce, 9, 100, 1000 * i + 500);
    }
  }
  EXPECT_EQ(by_visits, (std::vector<uint64_t>{1, 0, 2, 0, 3, 0}));
  EXPECT_EQ(by_calls, (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(visited.round_begun_by(kSend, 7, 200 + 400), 0u) << "another way to the same place";
  EXPECT_EQ(visited.list(9000).size(), 2u) << "asking adds no calls";
}

TEST(RepeatedCalls, CallsOfAFunctionInARowAreOneVisit) {
  // Each iteration sends to four neighbours 10 ticks apart: visits are even, calls are not.
  Calls calls;
  for (int i = 0; i < 5; ++i) {
    for (int n = 0; n < 4; ++n) calls.call(kSend, 7, 200, 10000 * i + 100 + 10 * n, 5);
    calls.call(kAllreduce, 9, 100, 10000 * i + 5000);
  }
  const auto list = calls.list(60000);
  ASSERT_EQ(list.size(), 2u);
  const auto& send = list[0].operation == kSend ? list[0] : list[1];
  EXPECT_EQ(send.calls, 20u);
  EXPECT_EQ(send.visits, 5u);
  EXPECT_NEAR(static_cast<double>(send.evenness_of_visits), 1e6, 10);
  // 15 times of 10 and 4 of 9970: (15 sqrt(10) + 4 sqrt(9970))^2 / (19 * (150 + 39880)).
  EXPECT_NEAR(1e-6 * static_cast<double>(send.evenness_of_calls), 0.2625, 1e-3);
}

// Two functions with unwind tables; what is called from them is fake.
int first_function(int x) { return 3 * x + 1; }
int second_function(int x) { return 5 * x + 2; }

TEST(RepeatedCalls, FunctionsAtTheSameDepthAreToldApart) {
  const auto in_first = reinterpret_cast<uintptr_t>(&first_function) + 2;
  const auto in_second = reinterpret_cast<uintptr_t>(&second_function) + 2;
  Calls calls;
  for (int i = 0; i < 5; ++i) {
    for (int n = 0; n < 3; ++n) calls.call(kSend, in_first, 200 + 16 * (n % 2), 10000 * i + 100 + 10 * n, 5);
    for (int n = 0; n < 3; ++n) calls.call(kSend, in_second, 200, 10000 * i + 5000 + 10 * n, 5);
  }
  const auto list = calls.list(60000);
  ASSERT_EQ(list.size(), 3u);
  for (const raw::RepeatedCall& site : list) EXPECT_EQ(site.visits, 5u);
}

TEST(RepeatedCalls, TheLastCallsLoopEndsWithTheRecording) {
  Calls calls;
  for (const uint64_t begin : {1000, 2000, 3000}) calls.call(kAllreduce, 8, 100, begin);
  EXPECT_EQ(calls.list(3700).at(0).end_ticks, 3700u);
}

TEST(RepeatedCalls, TwoCallsAreNoLoopAndSitesBeyondTheLimitAreLeftOut) {
  Calls calls;
  calls.call(kSend, 1, 100, 100);
  calls.call(kSend, 1, 100, 200);
  EXPECT_TRUE(calls.list(300).empty());
  for (uintptr_t address = 2; address < 2 * RepeatedCalls::kMostSites; ++address) {
    for (int i = 0; i < 3; ++i) calls.call(kSend, address, 100, 1000 * address + 100 * i);
  }
  EXPECT_EQ(calls.list(1u << 30, 1u << 20).size(), RepeatedCalls::kMostSites - 1);
}

}  // namespace
}  // namespace scalediag::pmpi
