#include "collector/emulate/refused_ranks.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/scratch_folder.h"

namespace scalediag::emulate {
namespace {

class RefusedRanksTest : public testing::Test {
 protected:
  void print(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }

  const core::ScratchFolder folder_{"refused-ranks-test"};
  const std::string path_ = folder_.path() + "/stderr.log";
  RefusedRanks refused_{path_};
};

TEST_F(RefusedRanksTest, NothingIsRefusedBeforeARankSaysSo) {
  EXPECT_FALSE(refused_.look());  // there is no file yet
  print("scalediag: rank 1 is not recorded: no room\nrank 3 on host a is not emulated: by the program\n");
  EXPECT_FALSE(refused_.look());
}

// The launcher's mark stands before the line, which comes in two pieces.
TEST_F(RefusedRanksTest, LineInPiecesNamesRankHostReasonAndHint) {
  print("some output\n[1,3]<stderr>:scalediag: rank 3 on host node2 is not emu");
  EXPECT_FALSE(refused_.look());
  print("lated: it cannot reach it; hint: start it here\nscalediag: rank 4 on host b is not emulated: x\n");
  const auto error = refused_.look();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "rank 3 on host node2 cannot be emulated: it cannot reach it");
  EXPECT_EQ(error->hint, "start it here");
}

TEST_F(RefusedRanksTest, ReasonWithoutHint) {
  print("scalediag: rank 0 on host a is not emulated: memory ran out\n");
  const auto error = refused_.look();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "rank 0 on host a cannot be emulated: memory ran out");
  EXPECT_EQ(error->hint, "");
}

// Longer than what is kept of a line that does not end.
TEST_F(RefusedRanksTest, LongOutputWithoutLinesHidesNoRefusal) {
  print(std::string(100'000, 'x'));
  EXPECT_FALSE(refused_.look());
  print("\nscalediag: rank 0 on host a is not emulated: y\n");
  EXPECT_TRUE(refused_.look());
}

}  // namespace
}  // namespace scalediag::emulate
