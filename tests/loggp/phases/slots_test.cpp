// Slots of ranks that are joined to one structure.
#include "loggp/phases/slots.h"

#include <gtest/gtest.h>

#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

// 9000 messages one after another, none of which repeats the one before.
std::vector<Slot> long_sequence(int rank, int& next_id) {
  Script s(2, rank);
  for (int i = 0; i < 9000; ++i) s.message(trace::EventKind::kSend, 1 - rank, 8, i);
  return slots_of(s.trace, next_id);
}

// With one place more for nothing, 9001 x 9001 = 81018001 pairs. They are 4.05 times too many, and pairs grow with the
// square of the iterations: half of them are not few enough, a third is.
TEST(Slots, TracesThatAreTooLongAreToldHowManyIterationsAreFewEnough) {
  int next_id = 0;
  std::vector<Slot> a = long_sequence(0, next_id), b = long_sequence(1, next_id);
  const auto joined = join(std::move(a), std::move(b), false);
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().message,
            "the traces are too long to be held against each other: iterations differ, so that 81018001 pairs of "
            "events would be compared, of at most 20000000");
  EXPECT_EQ(joined.error().hint, "record a run of at most one in 3 of the iterations");
}

}  // namespace
}  // namespace scalediag::loggp
