// Messages that few processes executed: their file, and what a prediction takes from it.
#include "predict/evidence/executed_messages.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/scratch_folder.h"
#include "predict/sources/executed_communication.h"

namespace scalediag::predict {
namespace {

// 4 s of messages where 2 s are simulated.
ExecutedMessages twice_as_long() { return {64, 8, 5, 3, 1, 0.25, "0123abcd", "net10", ""}; }

TEST(ExecutedMessages, AreReadAsTheyWereWritten) {
  const core::ScratchFolder scratch("executed");
  ASSERT_FALSE(read_executed(scratch.path(), 64).value());
  ASSERT_TRUE(write_executed(scratch.path(), twice_as_long()));
  const auto read = read_executed(scratch.path(), 64);
  ASSERT_TRUE(read && read.value());
  EXPECT_EQ(read.value()->processes, 8);
  EXPECT_DOUBLE_EQ(read.value()->factor(), 2);
  EXPECT_EQ(read.value()->network, "0123abcd");
  EXPECT_FALSE(read_executed(scratch.path(), 65).value());
}

TEST(ExecutedMessages, ADamagedFileIsAnErrorThatNamesTheCommand) {
  const core::ScratchFolder scratch("executed");
  ASSERT_TRUE(write_executed(scratch.path(), twice_as_long()));
  const std::string file = core::ExperimentFolder(scratch.path()).synth_of(64);
  const std::string whole = core::read_file(file).value();
  // All but the line end.
  for (size_t bytes = 0; bytes + 1 < whole.size(); ++bytes) {
    std::ofstream(file) << whole.substr(0, bytes);
    ASSERT_FALSE(read_executed(scratch.path(), 64)) << bytes;
  }
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(file) << text;
    return read_executed(scratch.path(), 64);
  };
  EXPECT_NE(with("\"total_s\": 5", "\"total_s\": -5").error().message.find("total_s: expected"), std::string::npos);
  const auto renamed = with("\"ranks\": 64", "\"ranks\": 32");
  ASSERT_FALSE(renamed);
  EXPECT_NE(renamed.error().message.find("ranks: expected 64"), std::string::npos);
  EXPECT_NE(renamed.error().hint.find("--np 64"), std::string::npos);
}

// 1 s of communication and 3 s of waiting are simulated, and become 2 and 6 s. An error of 6.3 % of the executed 5 s is
// one of 7.875 % of the 4 s of messages in them.
TEST(ExecutedMessages, MultiplyWhatIsSimulated) {
  Prediction p;
  p.simulated.emplace();
  p.simulated->computation_s = 1;
  p.simulated->communication_s = 1;
  p.simulated->waiting_s = p.simulated->causes.late_sender_s = 3;
  p.simulated->operations["MPI_Recv"].time_s = 0.5;
  p.communication = {{1, 1, 1, 0.9}, Source::kSimulation, ""};
  p.waiting = {{3, 3, 3, 0.9}, Source::kSimulation, ""};
  p.waiting_causes = {{"late sender", p.waiting.estimate}};
  p.sources = {{Component::kCommunication, Source::kSimulation, p.communication.estimate, {}, true, ""},
               {Component::kWaiting, Source::kSimulation, p.waiting.estimate, {}, true, ""}};
  take_executed(twice_as_long(), p);
  EXPECT_EQ(p.communication.source, Source::kSynth);
  EXPECT_DOUBLE_EQ(p.communication.estimate.value, 2);
  EXPECT_DOUBLE_EQ(p.waiting.estimate.value, 6);
  EXPECT_NEAR(p.waiting.estimate.high, 6 * 1.07875, 1e-9);
  EXPECT_DOUBLE_EQ(p.waiting_causes[0].estimate.value, 6);
  EXPECT_DOUBLE_EQ(p.simulated->operations["MPI_Recv"].time_s, 1);
  EXPECT_DOUBLE_EQ(p.simulated->total_s, 9);
  ASSERT_EQ(p.sources.size(), 4u);
  EXPECT_EQ(p.sources[0].source, Source::kSynth);
  EXPECT_TRUE(p.sources[0].taken);
  EXPECT_FALSE(p.sources[1].taken);
  ASSERT_TRUE(p.disagreement);
  EXPECT_EQ(p.disagreement->other, Source::kSimulation);
}

TEST(ExecutedMessages, SayNothingWhereNothingIsSimulated) {
  Prediction p;
  p.communication = {{1, 1, 1, 0.9}, Source::kCosts, ""};
  take_executed(twice_as_long(), p);
  EXPECT_EQ(p.communication.source, Source::kCosts);
}

}  // namespace
}  // namespace scalediag::predict
