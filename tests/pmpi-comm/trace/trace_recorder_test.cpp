// The events of calls in a trace.
#include "pmpi-comm/trace/trace_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/pmpi-comm/trace/recorded.h"

namespace scalediag::pmpi {
namespace {

TEST_F(Recorded, BlockingMessages) {
  call(kSend, {0, 3, kInt, 2, 7, kWorld});
  call(kRecv, {0, 5, kByte, 0, 8, kWorld, 0});
  call(kSend, {0, 3, kInt, word(kProcNull), 7, kWorld});
  // Rank 0 of the pair is 3.
  call(kSend, {0, 3, kInt, 0, 7, kPair});
  EXPECT_EQ(events(), "Send 2 12B tag 7 comm 0; Recv 0 5B tag 8 comm 0; Send 3 12B tag 7 comm 1");
  EXPECT_EQ(trace_.communicators[1].members, (std::vector<int>{3, 1}));
}

TEST_F(Recorded, CallsThatFailAreNoEvents) {
  call(
      kSend, {0, 3, kInt, 2, 7, kWorld}, [](const auto&) {}, false);
  EXPECT_EQ(events(), "");
}

// The application wants no status: ours is passed on instead.
TEST_F(Recorded, WildcardsAreWhatHappened) {
  call(kRecv, {0, 5, kByte, word(kAny), word(kAny), kWorld, 0}, [](const std::vector<uintptr_t>& passed) {
    ASSERT_NE(passed[6], 0U);
    *reinterpret_cast<Status*>(passed[6]) = {3, 9};
  });
  EXPECT_EQ(events(), "Recv 3 5B tag 9 comm 0");
}

TEST_F(Recorded, OwnStatusIsLeftAlone) {
  Status own;
  call(kRecv, {0, 5, kByte, word(kAny), 4, kPair, address(&own)}, [&](const std::vector<uintptr_t>& passed) {
    ASSERT_EQ(passed[6], address(&own));
    own = {0, 4};  // rank 0 of the pair
  });
  EXPECT_EQ(events(), "Recv 3 5B tag 4 comm 1");
}

TEST_F(Recorded, RequestsAreMatchedToTheirWaits) {
  uintptr_t a, b;
  isend(&a, 1000, 2);
  irecv(&b, 1001, 3);
  call(kWait, {address(&a), 0}, [&](const auto&) { a = kNoRequest; });
  isend(&a, 1002, 0);
  std::vector<uintptr_t> both = {a, b};
  waitall(both);
  // Request 0 is free again when the third one begins; in the end nothing else is outstanding.
  EXPECT_EQ(events(),
            "Isend 2 10B tag 5 comm 0 request 0; Irecv 3 10B tag 5 comm 0 request 1; Wait 0; Isend 0 10B tag 5 comm 0 "
            "request 0; Waitall all");
}

TEST_F(Recorded, LoopsAreFolded) {
  for (int i = 0; i < 50; ++i) {
    std::vector<uintptr_t> requests(2);
    // MPI hands out other handles each time.
    irecv(&requests[0], 1000 + word(2 * i), 0);
    isend(&requests[1], 1001 + word(2 * i), 2);
    waitall(requests);
  }
  EXPECT_EQ(events(), "50 x {Irecv 0 10B tag 5 comm 0 request 0; Isend 2 10B tag 5 comm 0 request 1; Waitall all}");
  EXPECT_EQ(trace_.n_events, 150U);
}

class RecordedWithSeries : public Recorded {
 protected:
  RecordedWithSeries() : Recorded(true) {}
};

// More than one chunk of computations, which take a byte each at least.
TEST_F(RecordedWithSeries, EveryComputationIsKeptBesideTheLoop) {
  constexpr size_t kEvents = 70'000;
  for (size_t i = 0; i < kEvents; ++i) call(kBarrier, {kWorld});
  EXPECT_EQ(events(), "70000 x {Barrier 0 0B root 0 comm 0}");
  ASSERT_EQ(trace_.steps.size(), 1U);
  const loggp::TraceStep& barrier = trace_.steps[0].body[0];
  const std::vector<float>& series = barrier.computations_s;
  ASSERT_EQ(series.size(), kEvents);
  // The loop's own sum and extremes are those of the same computations; a float has 24 bits.
  const double sum = std::accumulate(series.begin(), series.end(), 0.0);
  EXPECT_NEAR(sum, static_cast<double>(barrier.before.total) * 1e-9, 1e-6 * sum);
  const auto [least, most] = std::minmax_element(series.begin(), series.end());
  EXPECT_FLOAT_EQ(*least, static_cast<float>(static_cast<double>(barrier.before.least) * 1e-9));
  EXPECT_FLOAT_EQ(*most, static_cast<float>(static_cast<double>(barrier.before.most) * 1e-9));
}

TEST_F(Recorded, WithoutSeriesThereAreOnlyMeans) {
  for (int i = 0; i < 3; ++i) call(kBarrier, {kWorld});
  events();
  EXPECT_TRUE(trace_.steps[0].body[0].computations_s.empty());
}

// 100, 200, ... instructions before the calls; none of the fourth is counted.
struct FakeCounter : InstructionCounter {
  std::optional<uint64_t> enter_mpi(bool) override {
    ++calls;
    if (calls == 4) return std::nullopt;
    return 100 * calls;
  }
  void leave_mpi() override {}
  uint64_t calls = 0;
};

// The recorder uses the counter from its beginning on.
struct HasCounter {
  FakeCounter counter_;
};
class RecordedWithInstructions : protected HasCounter, public Recorded {
 protected:
  RecordedWithInstructions() : Recorded(false, &counter_) {}
};

TEST_F(RecordedWithInstructions, AreThoseBeforeTheCountedOccurrences) {
  for (int i = 0; i < 5; ++i) call(kBarrier, {kWorld});
  call(kSend, {0, 3, kInt, 2, 7, kWorld});
  EXPECT_EQ(events(), "5 x {Barrier 0 0B root 0 comm 0}; Send 2 12B tag 7 comm 0");
  EXPECT_EQ(trace_.counted_for, 1);
  const loggp::TraceTimes& barrier = trace_.steps[0].body[0].instructions;
  EXPECT_EQ(barrier.n, 4U);
  EXPECT_EQ(barrier.total, 100U + 200 + 300 + 500);
  EXPECT_EQ(barrier.least, 100U);
  EXPECT_EQ(barrier.most, 500U);
  EXPECT_EQ(barrier.deviation, 148U);  // sqrt((39 / 4 - (11 / 4)^2) 10^4) = 147.9
  EXPECT_EQ(trace_.steps[1].instructions.n, 1U);
  EXPECT_EQ(trace_.steps[1].instructions.total, 600U);
}

// A receive from anybody that is cancelled is no event: what was computed before it, and before the calls that are none
// either, belongs to the next one.
TEST_F(RecordedWithInstructions, OfWhatIsNoEventBelongToTheNext) {
  uintptr_t any;
  irecv(&any, 1000, kAny);                                                     // 100
  call(kCancel, {address(&any)});                                              // 200
  call(kWait, {address(&any), 0}, [&](const std::vector<uintptr_t>& passed) {  // 300
    reinterpret_cast<Status*>(passed[1])->cancelled = 1;
    any = kNoRequest;
  });
  counter_.calls = 4;
  call(kBarrier, {kWorld});  // 500
  EXPECT_EQ(events(), "Barrier 0 0B root 0 comm 0");
  EXPECT_EQ(trace_.steps[0].instructions.total, 1100U);
}

TEST_F(Recorded, ReceiveFromAnybodyIsKnownLater) {
  uintptr_t any, other;
  irecv(&any, 1000, kAny, kAny);
  isend(&other, 1001, 2);
  call(kWait, {address(&any), 0}, [&](const std::vector<uintptr_t>& passed) {
    ASSERT_NE(passed[1], 0U);
    *reinterpret_cast<Status*>(passed[1]) = {3, 9};
    any = kNoRequest;
  });
  EXPECT_EQ(events(), "Irecv 3 10B tag 9 comm 0 request 0; Isend 2 10B tag 5 comm 0 request 1; Wait 0");
}

TEST_F(Recorded, CancelledReceiveFromAnybodyNeverWas) {
  uintptr_t any;
  irecv(&any, 1000, kAny);
  call(kCancel, {address(&any)});
  call(kWait, {address(&any), 0}, [&](const std::vector<uintptr_t>& passed) {
    reinterpret_cast<Status*>(passed[1])->cancelled = 1;
    any = kNoRequest;
  });
  call(kBarrier, {kWorld});
  EXPECT_EQ(events(), "Barrier 0 0B root 0 comm 0");
}

// Where one receive from any rank is not complete for very long, the events after it are no longer kept in memory.
TEST_F(Recorded, MemoryIsBoundedWhileASenderIsNotKnown) {
  uintptr_t any;
  irecv(&any, 1000, kAny);
  for (int i = 0; i < 70'000; ++i) call(kBarrier, {kWorld});
  call(kWait, {address(&any), 0}, [&](const std::vector<uintptr_t>& passed) {
    *reinterpret_cast<Status*>(passed[1]) = {3, 5};
    any = kNoRequest;
  });
  EXPECT_EQ(events(), "70000 x {Barrier 0 0B root 0 comm 0}; Irecv 3 10B tag 5 comm 0");
}

TEST_F(Recorded, PollsAreNoEvents) {
  uintptr_t a;
  irecv(&a, 1000, 3);
  int flag = 0;
  for (int i = 0; i < 100; ++i) call(kTest, {address(&a), address(&flag), 0});
  for (int i = 0; i < 100; ++i) call(kIprobe, {0, 0, kWorld, address(&flag), 0});
  call(kTest, {address(&a), address(&flag), 0}, [&](const auto&) {
    flag = 1;
    a = kNoRequest;
  });
  EXPECT_EQ(events(), "Irecv 3 10B tag 5 comm 0 request 0; Test all");
}

TEST_F(Recorded, SomeOfTheRequests) {
  std::vector<uintptr_t> r(3);
  for (int i = 0; i < 3; ++i) irecv(&r[static_cast<size_t>(i)], 1000 + word(i), i == 1 ? 0 : 2, i);
  int n = 0;
  int indices[3] = {};
  call(kWaitsome, {3, address(r.data()), address(&n), address(indices), 0}, [&](const auto&) {
    n = 2;
    indices[0] = 2;
    indices[1] = 0;
    r[0] = r[2] = kNoRequest;
  });
  int index = -1;
  call(kWaitany, {3, address(r.data()), address(&index), 0}, [&](const auto&) { index = 1; });
  EXPECT_EQ(events(),
            "Irecv 2 10B tag 0 comm 0 request 0; Irecv 0 10B tag 1 comm 0 request 1; Irecv 2 10B tag 2 comm 0 request "
            "2; Waitsome 0 2; Waitany all");
}

// MPI may give all operations that are complete at once one handle.
TEST_F(Recorded, OneHandleForSeveralOperations) {
  std::vector<uintptr_t> r(2);
  isend(&r[0], 1000, 2);
  isend(&r[1], 1000, 3);
  waitall(r);
  EXPECT_EQ(events(), "Isend 2 10B tag 5 comm 0 request 0; Isend 3 10B tag 5 comm 0 request 1; Waitall all");
}

TEST_F(Recorded, PersistentRequests) {
  uintptr_t s = 0;
  call(kSend_init, {0, 4, kInt, 3, 6, kWorld, address(&s)}, [&](const auto&) { s = 1000; });
  for (int i = 0; i < 3; ++i) {
    call(kStart, {address(&s)});
    call(kWait, {address(&s), 0});
  }
  call(kRequest_free, {address(&s)});
  EXPECT_EQ(events(), "3 x {Send_init 3 16B tag 6 comm 0 request 0; Wait all}");
}

TEST_F(Recorded, SendAndReceiveAtOnce) {
  call(kSendrecv, {0, 2, kInt, 0, 1, 0, 3, kInt, 2, 4, kWorld, 0});
  call(kSendrecv, {0, 2, kInt, 0, 1, 0, 3, kInt, word(kProcNull), 4, kWorld, 0});
  EXPECT_EQ(events(), "Sendrecv 0 8B tag 1 comm 0 from 2 12B tag 4; Sendrecv 0 8B tag 1 comm 0 from -1 0B tag 0");
}

TEST_F(Recorded, MatchedProbe) {
  uintptr_t message = 0;
  Status met;
  call(kMprobe, {word(kAny), word(kAny), kWorld, address(&message), address(&met)}, [&](const auto&) {
    met = {2, 6};
    message = 50;
  });
  call(kMrecv, {0, 8, kByte, address(&message), 0}, [&](const auto&) { message = 0; });
  EXPECT_EQ(events(), "Mrecv 2 8B tag 6 comm 0");
}

TEST_F(Recorded, Collectives) {
  call(kBcast, {0, 6, kInt, 2, kWorld});
  call(kReduce, {0, 0, 6, kInt, 0, 3, kWorld});
  call(kAlltoall, {0, 6, kInt, 0, 6, kInt, kWorld});
  call(kAllgather, {1, 0, 0, 0, 6, kInt, kWorld});  // in place: the receiving side counts
  const int counts[] = {1, 2, 3, 6};
  call(kAllgatherv, {0, 2, kInt, 0, address(counts), 0, kInt, kWorld});  // 12 of 4 bytes, a quarter each
  call(kReduce_scatter, {0, 0, address(counts), kInt, 0, kWorld});
  EXPECT_EQ(events(),
            "Bcast 1 24B root 2 comm 0; Reduce 2 24B root 3 comm 0; Alltoall 5 24B root 0 comm 0; Allgather 4 24B root "
            "0 comm 0; Allgatherv 4 12B root 0 comm 0; Reduce_scatter 6 48B root 0 comm 0");
}

// This rank is 1: its own block stays, what is empty is not sent.
TEST_F(Recorded, BlocksOfTheirOwnSize) {
  const int sent[] = {1, 9, 0, 2}, received[] = {0, 9, 3, 4};
  call(kAlltoallv, {0, address(sent), 0, kInt, 0, address(received), 0, kByte, kWorld});
  call(kGatherv, {0, 5, kInt, 0, 0, 0, 0, 2, kWorld});
  call(kGatherv, {0, 5, kInt, 0, address(sent), 0, kByte, 1, kWorld});
  call(kScatterv, {0, address(sent), 0, kInt, 0, 9, kInt, 1, kWorld});
  EXPECT_EQ(events(),
            "Alltoallv to 0:4 to 3:8 from 2:3 from 3:4; Gatherv to 2:20; Gatherv from 0:1 from 3:2; Scatterv to 0:4 to "
            "3:8");
}

TEST_F(Recorded, NonblockingCollectiveStandsWhereItIsComplete) {
  uintptr_t r = 0;
  call(kIallreduce, {0, 0, 2, kInt, 0, kWorld, address(&r)}, [&](const auto&) { r = 1000; });
  call(kSend, {0, 1, kByte, 2, 0, kWorld});
  call(kWait, {address(&r), 0}, [&](const auto&) { r = kNoRequest; });
  EXPECT_EQ(events(), "Iallreduce begins; Send 2 1B tag 0 comm 0; Iallreduce 3 8B root 0 comm 0");
}

TEST_F(Recorded, CommunicatorsOfTheSameRanksAreTold) {
  uintptr_t made = kPair;
  call(kComm_split, {kWorld, 0, 0, address(&made)});
  made = kSecondPair;
  call(kComm_dup, {kPair, address(&made)});
  call(kBarrier, {kSecondPair});
  EXPECT_EQ(events(), "Comm_split made from 0; Comm_dup made from 1; Barrier 0 0B root 0 comm 2");
  EXPECT_EQ(trace_.communicators[1].ordinal, 0U);
  EXPECT_EQ(trace_.communicators[2].ordinal, 1U);
}

TEST_F(Recorded, WhatIsNotReplayedIsSaid) {
  call(kPut, {0, 1, kByte, 2, 0, 1, kByte, 700});
  call(kSend, {0, 1, kByte, 0, 0, kInter});
  recorder_.note_other_thread(kBarrier);
  EXPECT_EQ(events(), "Put not replayed 0; Send not replayed 2; Barrier not replayed 5");
}

// Tags are those of the sender's directions, down -17 and up -18.
TEST_F(Recorded, NeighborhoodCollectivesAreMessagesToTheNeighbors) {
  call(kNeighbor_alltoall, {0, 3, kByte, 0, 4, kByte, kWorld});
  EXPECT_EQ(events(),
            "Neighbor_alltoall 0 4B tag -18 comm 0 request 0; Neighbor_alltoall 2 4B tag -17 comm 0 request 1; "
            "Neighbor_alltoall 0 3B tag -17 comm 0 request 2; Neighbor_alltoall 2 3B tag -18 comm 0 request 3; "
            "Neighbor_alltoall all");
}

// Both neighbours of a closed pair are its other rank: blocks of 1 and 2 bytes down and up.
TEST_F(Recorded, NonblockingNeighborhoodCollectivesEndWithTheirRequest) {
  const int counts[] = {1, 2}, offsets[] = {0, 1};
  uintptr_t request = 0;
  call(kIneighbor_alltoallv, {0, address(counts), address(offsets), kByte, 0, address(counts), address(offsets), kByte,
                              kPair, address(&request)},
       [&](const auto&) { request = 900; });
  call(kSend, {0, 1, kByte, 2, 0, kWorld});
  call(kWait, {address(&request), 0}, [&](const auto&) { request = kNoRequest; });
  EXPECT_EQ(events(),
            "Ineighbor_alltoallv 3 1B tag -18 comm 1 request 0; Ineighbor_alltoallv 3 2B tag -17 comm 1 request 1; "
            "Ineighbor_alltoallv 3 1B tag -17 comm 1 request 2; Ineighbor_alltoallv 3 2B tag -18 comm 1 request 3; "
            "Send 2 1B tag 0 comm 0; Wait all");
}

class RecordedWindow : public Recorded {
 protected:
  RecordedWindow() {
    uintptr_t made = 700;
    call(kWin_create, {0, 0, 1, 0, kWorld, address(&made)});
  }
  void put(int to, int bytes) {
    call(kPut, {0, word(bytes), kByte, word(to), 0, word(bytes), kByte, 700});
  }
};

TEST_F(RecordedWindow, AFenceIsABarrierAfterAllAccesses) {
  put(0, 5);
  put(kProcNull, 6);
  put(2, 7);
  call(kWin_fence, {0, 700});
  uintptr_t window = 700;
  call(kWin_free, {address(&window)}, [&](const auto&) { window = 0; });
  EXPECT_EQ(events(),
            "Win_create made from 0; Put 0 5B tag 0 comm 1 request 0; Put 2 7B tag 0 comm 1 request 0; Win_fence all; "
            "Win_fence 0 0B root 0 comm 1; Win_free 0 0B root 0 comm 1");
  EXPECT_EQ(trace_.communicators[1].ordinal, 1U);
}

// Groups here are those of communicators: the pair is the world ranks 3 and 1, of which this is 1.
TEST_F(RecordedWindow, PostAndCompleteAreMessages) {
  call(kWin_post, {kPair, 0, 700});
  call(kWin_start, {kPair, 0, 700});
  put(3, 5);
  call(kWin_complete, {700});
  int flag = 0;
  call(kWin_test, {700, address(&flag)});
  flag = 1;
  call(kWin_test, {700, address(&flag)});
  EXPECT_EQ(events(),
            "Win_create made from 0; Win_post 3 0B tag -2 comm 1; Win_start 3 0B tag -2 comm 1 request 0; "
            "Win_start all; Put 3 5B tag 1 comm 1 request 0; Win_complete all; Win_complete 3 0B tag -3 comm 1; "
            "Win_test 3 0B tag -3 comm 1 request 0; Win_test all");
}

TEST_F(RecordedWindow, AnUnlockWaitsForTheAccessesOfItsRank) {
  call(kWin_lock, {1, 2, 0, 700});
  call(kWin_lock, {2, 3, 0, 700});
  put(2, 5);
  call(kGet, {0, 6, kByte, 3, 0, 6, kByte, 700});
  call(kWin_flush, {2, 700});
  uintptr_t result = 0;
  call(kFetch_and_op, {0, address(&result), kInt, 2, 0, 0, 700});
  call(kWin_unlock, {2, 700});
  call(kWin_unlock, {3, 700});
  EXPECT_EQ(events(),
            "Win_create made from 0; Win_lock 2 0B tag 5 comm 1 request 0; Win_lock all; "
            "Win_lock 3 0B tag 6 comm 1 request 0; Win_lock all; Put 2 5B tag 2 comm 1 request 0; "
            "Get 3 6B tag 3 comm 1 request 1; Win_flush 0; Fetch_and_op 2 4B tag 4 comm 1 request 0; "
            "Win_unlock 2 0B tag 7 comm 1 request 2; Win_unlock 0 2; Win_unlock 3 0B tag 7 comm 1 request 0; "
            "Win_unlock all");
}

TEST(DefinitionNumbers, AreGivenInOrderAndFoundAgain) {
  DefinitionNumbers numbers;
  // Of 0 to 99 bytes: those of up to 27 are kept in the table, which grows more than once, the others beside it.
  const auto definition = [](uint32_t i) { return std::string(i % 100, 'x') + std::to_string(i); };
  for (uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(numbers.number(definition(i)), std::pair(i, true));
  for (uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(numbers.number(definition(i)), std::pair(i, false));
  EXPECT_EQ(numbers.size(), 1000U);
}

TEST(TraceRequests, AreFoundHoweverManyShareAPlace) {
  TraceRequests requests;
  for (uintptr_t handle = 1; handle <= 200; ++handle) EXPECT_EQ(requests.begin(handle, {}), handle - 1);
  for (uintptr_t handle = 1; handle <= 200; ++handle) EXPECT_EQ(requests.find(handle), handle - 1);
  // Two operations of one handle end in the order of beginning, wherever it is kept.
  for (const uintptr_t handle : {uintptr_t{1}, uintptr_t{200}}) {
    const uint32_t first = requests.find(handle);
    const uint32_t second = requests.begin(handle, {});
    EXPECT_EQ(requests.find(handle), first);
    requests.end(handle, first);
    EXPECT_EQ(requests.find(handle), second);
    requests.end(handle, second);
    EXPECT_EQ(requests.find(handle), TraceRequests::kNone);
  }
  // Places become free for others, and the lowest number is taken.
  for (uintptr_t handle = 2; handle < 200; ++handle) requests.end(handle, requests.find(handle));
  EXPECT_EQ(requests.open(), 0U);
  EXPECT_EQ(requests.begin(200, {}), 0U);
  EXPECT_EQ(requests.find(200), 0U);
}

}  // namespace
}  // namespace scalediag::pmpi
