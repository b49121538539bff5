#include "core/raw/rounds_request.h"

#include <gtest/gtest.h>

namespace scalediag::raw {
namespace {

TEST(RoundsRequest, ComesBackFromItsText) {
  RoundsRequest r;
  r.measured = 10;
  r.rounds = 5000;
  r.is_visited = false;
  r.depth = 1'073'741'900;
  r.address = 0xFFFF'FFFF'0000;
  r.operation = "MPI_Allreduce";
  r.module = "/home/some body/app with 2 blanks";
  RoundsRequest back;
  ASSERT_TRUE(parse_rounds_request(text_of(r), back));
  EXPECT_EQ(back.measured, r.measured);
  EXPECT_EQ(back.rounds, r.rounds);
  EXPECT_EQ(back.is_visited, r.is_visited);
  EXPECT_EQ(back.depth, r.depth);
  EXPECT_EQ(back.address, r.address);
  EXPECT_EQ(back.operation, r.operation);
  EXPECT_EQ(back.module, r.module);
  EXPECT_EQ(r.last(), 12u);  // one round before those that are measured, and the one that is not begun any more
}

TEST(RoundsRequest, DamagedTextsAreRefused) {
  RoundsRequest r;
  for (const char* text : {"", "10", "10 40 1 0 99", "0 40 1 0 99 MPI_Send /app", "40 40 1 0 99 MPI_Send /app", "x"}) {
    EXPECT_FALSE(parse_rounds_request(text, r)) << text;
  }
}

}  // namespace
}  // namespace scalediag::raw
