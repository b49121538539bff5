#include "fit/profile/program_instructions.h"

#include <gtest/gtest.h>

namespace scalediag::fit {
namespace {

core::Kernel kernel(const std::string& name, double time_s, double instructions) {
  core::Kernel k;
  k.name = name;
  k.metrics["time_s"].mean = time_s;
  if (instructions >= 0) k.metrics["instructions"].mean = instructions;
  return k;
}

core::Run simulated(std::vector<core::Kernel> kernels) {
  core::Run run;
  run.np = 8;
  run.counters = "simulated";
  run.kernels = std::move(kernels);
  return run;
}

TEST(ProgramInstructions, AreTheSumOfTheKernels) {
  core::Run run = simulated({kernel("a", 9, 2e9), kernel("b", 1, 1e9), kernel("unsampled", 0, 5e6)});
  EXPECT_EQ(program_instructions(run).per_rank, 3.005e9);
  EXPECT_EQ(program_instructions(run).why_not, "");
  run.kernels.push_back(kernel("too small to be met", 0.4, -1));  // 4 % of the time
  EXPECT_TRUE(program_instructions(run).per_rank);
}

TEST(ProgramInstructions, OfTimeOnlyAreNotThereAndNeedNoReason) {
  const ProgramInstructions program = program_instructions(simulated({kernel("a", 9, -1)}));
  EXPECT_FALSE(program.per_rank);
  EXPECT_EQ(program.why_not, "");
}

TEST(ProgramInstructions, AreNotKnownWhereMuchRanOnOtherRanks) {
  core::Run run = simulated({kernel("a", 6, 2e9), kernel("on other ranks", 2, 1e9)});
  run.kernels[1].metrics["counted_time_s"].mean = 4;
  const ProgramInstructions program = program_instructions(run);
  EXPECT_FALSE(program.per_rank);
  EXPECT_NE(program.why_not.find("25 % of the time"), std::string::npos) << program.why_not;  // 2 s of 8 s
  EXPECT_NE(program.why_not.find("--simulate-ranks all"), std::string::npos) << program.why_not;
}

TEST(ProgramInstructions, AreNotKnownWhereMuchHasNoCounts) {
  const ProgramInstructions program = program_instructions(simulated({kernel("a", 9, 2e9), kernel("b", 1, -1)}));
  EXPECT_FALSE(program.per_rank);
  EXPECT_EQ(program.why_not, "functions with 10 % of the time have no counts");
}

TEST(ProgramInstructions, AreNotKnownWhereSomeRanksCouldNotCount) {
  core::Run run = simulated({kernel("a", 9, 2e9)});
  run.counters = "papi";
  EXPECT_TRUE(program_instructions(run).per_rank);
  run.counted_ranks = {0, 1, 2};
  EXPECT_EQ(program_instructions(run).why_not, "only 3 of 8 ranks were counted");
}

}  // namespace
}  // namespace scalediag::fit
