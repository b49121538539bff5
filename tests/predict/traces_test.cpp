// Hints of scaled traces: what they name would be enough.
#include "predict/evidence/traces.h"

#include <gtest/gtest.h>

#include "tests/loggp/phases/program_traces.h"

namespace scalediag::predict {
namespace {

// Ten messages to the rank below, which ranks receive where they are fewer than 8, and sums of all, whose bytes obey no
// equation.
loggp::ScaledTraces lost_messages(uint64_t sums) {
  const loggp::RankOf program = [sums](int ranks, int rank) {
    loggp::Script s(ranks, rank);
    s.message(trace::EventKind::kSend, rank > 0 ? rank - 1 : loggp::kNobody, 8, 5);
    s.message(trace::EventKind::kRecv, ranks < 8 && rank + 1 < ranks ? rank + 1 : loggp::kNobody, 8, 5);
    s.repeat(0, 10);
    const size_t from = s.trace.steps.size();
    if (sums > 0) s.allreduce(ranks == 4 ? 8 : static_cast<uint64_t>(1000 - 7 * ranks + 96 * (rank % 3)));
    s.repeat(from, sums);
    return s.trace;
  };
  return {loggp::made(program, {2, 4, 8}, 16), 16};
}

TEST(Traces, MoreRanksAreNamedWhereEquationsHold) {
  const auto error = unmatched_error(lost_messages(0), "data");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->hint, "record 16 ranks themselves with `scalediag profile -n 2,4,8,16 --trace -o data -- APP`");
}

// On 8 ranks 7 * 10 messages and 8 * 50 sums: 400 / 470 = 85 %.
TEST(Traces, MoreRanksAreNotNamedWhereMostEventsObeyNoEquation) {
  const auto error = unmatched_error(lost_messages(50), "data");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->hint,
            "85 % of the events obey no equation, which more numbers of ranks do not change: `scalediag emulate -n 16 "
            "--network NET -- APP` needs none");
}

}  // namespace
}  // namespace scalediag::predict
