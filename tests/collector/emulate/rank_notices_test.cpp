#include "collector/emulate/rank_notices.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/scratch_folder.h"

namespace scalediag::emulate {
namespace {

class RankNoticesTest : public testing::Test {
 protected:
  void print(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }

  const core::ScratchFolder folder_{"refused-ranks-test"};
  const std::string path_ = folder_.path() + "/stderr.log";
  RankNotices notices_{path_};
};

TEST_F(RankNoticesTest, NothingIsRefusedBeforeARankSaysSo) {
  EXPECT_FALSE(notices_.look());  // there is no file yet
  print("scalediag: rank 1 is not recorded: no room\nrank 3 on host a is not emulated: by the program\n");
  EXPECT_FALSE(notices_.look());
}

// The launcher's mark stands before the line, which comes in two pieces.
TEST_F(RankNoticesTest, LineInPiecesNamesRankHostReasonAndHint) {
  print("some output\n[1,3]<stderr>:scalediag: rank 3 on host node2 is not emu");
  EXPECT_FALSE(notices_.look());
  print("lated: it cannot reach it; hint: start it here\nscalediag: rank 4 on host b is not emulated: x\n");
  const auto error = notices_.look();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "rank 3 on host node2 cannot be emulated: it cannot reach it");
  EXPECT_EQ(error->hint, "start it here");
}

TEST_F(RankNoticesTest, RanksThatAskToJoinNameTheirHostsAddresses) {
  print("[1,3]<stderr>:scalediag: rank 3 on host b asks to join the emulation from 10.0.0.2,fe00::1\x1b[0m\n");
  print("scalediag: rank 4 on host c asks to join the emulation from \nrank 5 asks to join the emulation from 10.0.0.9\n");
  EXPECT_FALSE(notices_.look());
  const std::vector<std::vector<std::string>> expected = {{"10.0.0.2", "fe00::1"}, {}};
  EXPECT_EQ(notices_.take_asking(), expected);
  EXPECT_TRUE(notices_.take_asking().empty());
}

TEST_F(RankNoticesTest, ReasonWithoutHint) {
  print("scalediag: rank 0 on host a is not emulated: memory ran out\n");
  const auto error = notices_.look();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "rank 0 on host a cannot be emulated: memory ran out");
  EXPECT_EQ(error->hint, "");
}

// Longer than what is kept of a line that does not end.
TEST_F(RankNoticesTest, LongOutputWithoutLinesHidesNoRefusal) {
  print(std::string(100'000, 'x'));
  EXPECT_FALSE(notices_.look());
  print("\nscalediag: rank 0 on host a is not emulated: y\n");
  EXPECT_TRUE(notices_.look());
}

}  // namespace
}  // namespace scalediag::emulate
