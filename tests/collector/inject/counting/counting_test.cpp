// What overflows charge to whom, with a PAPI whose events the test makes.
#include "collector/inject/counting/counting.h"

#include <gtest/gtest.h>

#include <map>

#include "collector/inject/counting/papi_instructions.h"
#include "core/raw/raw_format.h"
#include "fake_papi.h"

namespace scalediag::inject {
namespace {

// Two functions that take turns, both much shorter than a period:
//   busy     100 cycles of 3 instructions each     = 300 instructions
//   waiting  200 cycles of 1 instruction each      = 200 instructions
// so that 60 % of the instructions are busy's and 33 % of the cycles.
constexpr int kTurns = 20000;
constexpr double kInstructions = 500.0 * kTurns, kCycles = 300.0 * kTurns;
const char busy = 0, waiting = 0;

struct Charged {
  std::map<const void*, double> cycles, instructions;
  double all_cycles = 0, all_instructions = 0;
  uint64_t counted_cycles = 0, counted_instructions = 0;
};

Charged take_turns(const std::string& events, uint64_t period) {
  Settings settings;
  settings.events = events;
  settings.overflow_period = period;
  Counting counting;
  counting.prepare(settings);
  counting.start();
  EXPECT_EQ(counting.problem(), "");
  std::atomic<uint32_t> outside_mpi{raw::kOutsideMpi};
  const auto thread = counting.begin_thread(&outside_mpi);
  EXPECT_NE(thread, nullptr) << counting.problem();
  Charged all;
  if (thread == nullptr) return all;
  const auto drain = [&] {
    thread->drain([&](uint64_t address, uint32_t, const uint64_t* counts) {
      const void* place = reinterpret_cast<const void*>(address);
      all.cycles[place] += static_cast<double>(counts[0]);
      all.instructions[place] += static_cast<double>(counts[1]);
      all.all_cycles += static_cast<double>(counts[0]);
      all.all_instructions += static_cast<double>(counts[1]);
    });
  };
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int i = 0; i < 10; ++i) run_for_a_moment(&busy, {{"PAPI_TOT_CYC", 10}, {"PAPI_TOT_INS", 30}});
    for (int i = 0; i < 20; ++i) run_for_a_moment(&waiting, {{"PAPI_TOT_CYC", 10}, {"PAPI_TOT_INS", 10}});
    if (turn % 1000 == 0) drain();
  }
  thread->stop();
  drain();
  EXPECT_EQ(thread->late(), 0u);
  all.counted_cycles = thread->counted(0);
  all.counted_instructions = thread->counted(1);
  return all;
}

// Each of 1000 overflows of instructions falls into busy with a probability of 0.6: 600 of them, with a standard
// deviation of at most sqrt(1000 x 0.6 x 0.4) = 15.5.
TEST(EachEventOverflows, EveryFunctionGetsItsOwnEventsHoweverShortItIs) {
  const Charged charged = take_turns("PAPI_TOT_CYC@10007,PAPI_TOT_INS@9973", 10007);
  EXPECT_NEAR(charged.instructions.at(&busy) / charged.all_instructions, 0.6, 3 * 0.0155);
  // 599 overflows of cycles, a third of them in busy: sqrt(599 x 1/3 x 2/3) / 599 = 0.0193.
  EXPECT_NEAR(charged.cycles.at(&busy) / charged.all_cycles, 1.0 / 3, 3 * 0.0193);
  // Whole periods: floor(10,000,000 / 9973) = 1002 and floor(6,000,000 / 10007) = 599.
  EXPECT_EQ(charged.all_instructions, 1002 * 9973.0);
  EXPECT_EQ(charged.all_cycles, 599 * 10007.0);
  EXPECT_EQ(charged.counted_instructions, static_cast<uint64_t>(kInstructions));
  EXPECT_EQ(charged.counted_cycles, static_cast<uint64_t>(kCycles));
}

// Charged when cycles overflow, both functions get the mean of both: a third of the instructions is busy's, which has
// 60 % of them.
TEST(EachEventOverflows, OverflowsOfCyclesAloneGiveAShortFunctionTheMeanOfItsNeighbours) {
  const Charged charged = take_turns("PAPI_TOT_CYC,PAPI_TOT_INS", 10007);
  EXPECT_NEAR(charged.instructions.at(&busy) / charged.all_instructions, 1.0 / 3, 3 * 0.0193);
}

// 300 instructions before the first call of MPI, 70 in it, 40 before the second.
TEST(PapiInstructions, AreThoseOutsideMpi) {
  Settings settings;
  settings.events = "PAPI_TOT_CYC,PAPI_TOT_INS";
  settings.overflow_period = 10007;
  Counting counting;
  counting.prepare(settings);
  counting.start();
  std::atomic<uint32_t> outside_mpi{raw::kOutsideMpi};
  const auto thread = counting.begin_thread(&outside_mpi);
  ASSERT_NE(thread, nullptr) << counting.problem();
  const auto instructions = PapiInstructions::of_this_thread();
  ASSERT_NE(instructions, nullptr);
  const auto run = [](long long n) { run_for_a_moment(&busy, {{"PAPI_TOT_INS", n}}); };
  instructions->leave_mpi();
  run(300);
  EXPECT_EQ(instructions->enter_mpi(false), 300U);
  run(70);
  instructions->leave_mpi();
  run(40);
  EXPECT_EQ(instructions->enter_mpi(false), 40U);
  thread->stop();
  instructions->leave_mpi();
  EXPECT_EQ(instructions->enter_mpi(false), std::nullopt);
}

TEST(PapiInstructions, AreNoneWhereTheyAreNotAmongTheEvents) {
  EXPECT_EQ(PapiInstructions::of_this_thread(), nullptr);
  Settings settings;
  settings.events = "PAPI_TOT_CYC";
  settings.overflow_period = 10007;
  Counting counting;
  counting.prepare(settings);
  counting.start();
  std::atomic<uint32_t> outside_mpi{raw::kOutsideMpi};
  const auto thread = counting.begin_thread(&outside_mpi);
  ASSERT_NE(thread, nullptr) << counting.problem();
  EXPECT_EQ(PapiInstructions::of_this_thread(), nullptr);
}

TEST(EachEventOverflows, AnEventThatCannotIsTold) {
  Settings settings;
  settings.events = "PAPI_TOT_CYC@10007,PAPI_L2_DCM@1009";
  Counting counting;
  counting.prepare(settings);
  counting.start();
  refuse_overflow_of("PAPI_L2_DCM");
  std::atomic<uint32_t> outside_mpi{raw::kOutsideMpi};
  EXPECT_EQ(counting.begin_thread(&outside_mpi), nullptr);
  refuse_overflow_of("");
  EXPECT_EQ(counting.uncounted_threads(), 1u);
  EXPECT_NE(counting.problem().find("PAPI_overflow PAPI_L2_DCM"), std::string::npos) << counting.problem();
}

}  // namespace
}  // namespace scalediag::inject
