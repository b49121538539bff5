#include "core/profile/profile_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/core/example_profile.h"

namespace scalediag::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The message about the example after a change to its first run; the second run is unchanged.
std::string said_after(const std::function<void(scalediag::core::Run&)>& change) {
  Profile profile = example_profile();
  change(profile.runs[0]);
  return find_impossible(profile).value_or("nothing");
}

using ExampleRun = scalediag::core::Run;

TEST(ProfileCheck, WhatWasMeasuredIsPossible) {
  EXPECT_EQ(find_impossible(example_profile()).value_or("nothing"), "nothing");
  EXPECT_EQ(find_impossible(Profile()).value_or("nothing"), "nothing");
}

TEST(ProfileCheck, NegativeAndEndlessNumbersAreNot) {
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.wall_s.min = -0.5; }), "runs[0].time.wall_s.min: -0.5 is negative");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.total_s.max = kInfinity; }),
            "runs[0].time.total_s.max: inf is more than anything measured can be");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.cpu_s.mean = std::nan(""); }),
            "runs[0].time.cpu_s.mean: nan is more than anything measured can be");
  // 1e12 s are 30,000 years.
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.cpu_s = over_two_ranks(1, 1e12); }),
            "runs[0].time.cpu_s.max: 1000000000000 is more than anything measured can be");
  EXPECT_EQ(said_after([](ExampleRun& r) {
              r.emulated = Emulated{"net", 0};
            }),
            "runs[0].emulated.cpu_factor: 0 is not above 0");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations[0].calls = over_two_ranks(-3, 100); }),
            "runs[0].mpi[0].calls.min: -3 is negative");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations[0].classes[0].bytes = over_two_ranks(-8, 800); }),
            "runs[0].mpi[0].classes[0].bytes.min: -8 is negative");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations[0].classes[0].longest_call_s = -1; }),
            "runs[0].mpi[0].classes[0].longest_call_s: -1 is negative");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.kernels[0].metrics["instructions"] = over_two_ranks(-1, 5); }),
            "runs[0].kernels[0].metrics.instructions.min: -1 is negative");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.kernels[0].resources["cpi"] = -1; }),
            "runs[0].kernels[0].resources.cpi: -1 is negative");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.peers[1].bytes = -80; }), "runs[0].peers.entries[1]: -80 is negative");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.parameters["dt"] = kInfinity; }),
            "runs[0].parameters.dt: is not a finite number");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.sampling_rate_hz = -1; }), "runs[0].sampling_rate_hz: -1 is negative");
}

TEST(ProfileCheck, WhatIsLeftOverMayBeNegative) {
  // The samples exceed the clocks: 6 + 3 + 0.75 - 0.25 = 9.5, 8 + 1 + 0.5 + 0.5 = 10.
  EXPECT_EQ(said_after([](ExampleRun& r) {
              r.times.unattributed_s = over_two_ranks(-0.25, 0.5);
              r.times.total_s = over_two_ranks(9.5, 10);
              r.rank_total_s = {9.5, 10};
            }),
            "nothing");
}

TEST(ProfileCheck, ValuesOverRanksFitTogether) {
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.cpu_s.mean = 9.6; }),
            "runs[0].time.cpu_s.mean: 9.6 is not sum / np = 19.25 / 2");
  EXPECT_EQ(said_after([](ExampleRun& r) { std::swap(r.times.cpu_s.min, r.times.cpu_s.max); }),
            "runs[0].time.cpu_s.min: 9.75 is above max, 9.5");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.cpu_s.min = 9.7; }),
            "runs[0].time.cpu_s.mean: 9.625 is not between min, 9.7, and max, 9.75");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.cpu_s.rank_of_max = 2; }),
            "runs[0].time.cpu_s.rank_of_max: there is no rank 2 of 2");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.cpu_s.quantiles = {9.5, 9.5, 9.5, 9.75, 9.75}; }), "nothing");
  EXPECT_EQ(said_after([](ExampleRun& r) {
              r.times.cpu_s.quantiles = {9.5, 9.75, 9.5, 9.75, 9.75};
            }),
            "runs[0].time.cpu_s.quantiles: 9.5 is below the value before it, or not between min and max");
  EXPECT_EQ(said_after([](ExampleRun& r) {
              r.times.cpu_s.quantiles = {9.5, 9.5, 9.5, 9.75, 9.8};
            }),
            "runs[0].time.cpu_s.quantiles: 9.8 is below the value before it, or not between min and max");
  // Counts of some ranks are extended to all: 1 and 2 on the counted ones, 10 in the mean.
  const auto extend = [](ExampleRun& r) { r.kernels[0].metrics["instructions"] = {20, 10, 1, 2, 0, 1}; };
  EXPECT_EQ(said_after(extend), "nothing");
  EXPECT_EQ(said_after([&](ExampleRun& r) {
              extend(r);
              r.counted_ranks.clear();
            }),
            "runs[0].kernels[0].metrics.instructions.mean: 10 is not between min, 1, and max, 2");
  // A few units in the last place are rounding.
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.cpu_s.mean *= 1 + 1e-15; }), "nothing");
}

TEST(ProfileCheck, PartsAddUp) {
  EXPECT_EQ(said_after([](ExampleRun& r) { r.times.others_s = over_two_ranks(1.75, 0.5); }),
            "runs[0].time.total_s: computation, OpenMP waiting, GPU calls, communication, others and unattributed time "
            "add up to "
            "21, and not to "
            "its sum, 20");
  // 6.9 + 7.9 + 0.1 + 0.1 instead of 6 + 8.
  EXPECT_EQ(said_after([](ExampleRun& r) { r.kernels[0].metrics["time_s"] = over_two_ranks(6.9, 7.9); }),
            "runs[0].kernels: their time_s add up to 15, and not to the sum of time.computation_s, 14");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations[0].time_s = over_two_ranks(2, 1); }),
            "runs[0].mpi: their time_s add up to 3, and not to the sum of time.communication_s, 4");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations[0].calls = over_two_ranks(100, 101); }),
            "runs[0].mpi[0].classes: their calls add up to 200, and not to those of MPI_Allreduce, 201");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations[0].bytes = over_two_ranks(900, 800); }),
            "runs[0].mpi[0].classes: their bytes add up to 1600, and not to those of MPI_Allreduce, 1700");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations[0].blocked_s = over_two_ranks(4, 1); }),
            "runs[0].mpi[0].blocked_s: more time was blocked than passed: 5 of 4");
  // 13000 + 3200 of 19000 are fine.
  EXPECT_EQ(said_after([](ExampleRun& r) { r.samples = 16200; }), "nothing");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.samples = 16199; }),
            "runs[0].samples: kernels and operations have more than these");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.kernels[0].samples = std::numeric_limits<uint64_t>::max(); }),
            "runs[0].samples: kernels and operations have more than these");
}

TEST(ProfileCheck, ListsFitTheNumberOfRanks) {
  EXPECT_EQ(said_after([](ExampleRun& r) { r.rank_computation_s = {6}; }),
            "runs[0].ranks.computation_s: 1 values for 2 ranks in blocks of 1, which are 2");
  EXPECT_EQ(said_after([](ExampleRun& r) {
              r.rank_computation_s = {6, 9};
            }),
            "runs[0].ranks.computation_s: their mean is 7.5, and not that of time.computation_s, 7");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.ranks_per_block = 2; }),
            "runs[0].peers.entries[0]: there is no block of ranks 1 of 1");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.peers[1].from = 2; }),
            "runs[0].peers.entries[1]: there is no block of ranks 2 of 2");
  EXPECT_EQ(said_after([](ExampleRun& r) {
              r.counted_ranks = {0, 2};
            }),
            "runs[0].counted_ranks[1]: there is no rank 2 of 2");
  EXPECT_EQ(said_after([](ExampleRun& r) {
              r.counted_ranks = {1, 0};
            }),
            "runs[0].counted_ranks[1]: ranks have to ascend");
  // The number of processes differs from the rest of the run: the mean is no longer sum / np.
  EXPECT_EQ(said_after([](ExampleRun& r) { r.np = 4; }), "runs[0].time.total_s.mean: 10 is not sum / np = 20 / 4");
}

TEST(ProfileCheck, RanksThatLeftNothingAreInNoList) {
  const auto emptied = [](ExampleRun& r) { r.rank_computation_s = r.rank_communication_s = r.rank_total_s = {}; };
  EXPECT_EQ(said_after([&](ExampleRun& r) {
              emptied(r);
              r.complete = false;
            }),
            "nothing");
  EXPECT_NE(said_after(emptied), "nothing");
}

TEST(ProfileCheck, NothingStandsThereTwice) {
  Profile profile = example_profile();
  profile.runs[1].id = profile.runs[0].id;
  EXPECT_EQ(find_impossible(profile), "runs[1].id: \"np0002.dt0.1.grid64.r0\" stands there twice");
  profile = example_profile();
  profile.runs[1].repeat = 0;
  EXPECT_EQ(find_impossible(profile), "runs[1].repeat: repeat 0 of this configuration stands there twice");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.kernels.push_back(r.kernels[0]); }),
            "runs[0].kernels[2].name: \"heat::relax(std::vector<double>&, int)\" stands there twice");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations.push_back(r.operations[0]); }),
            "runs[0].mpi[1].operation: \"MPI_Allreduce\" stands there twice");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.operations[0].classes.push_back(r.operations[0].classes[0]); }),
            "runs[0].mpi[0].classes[1]: this class stands there twice");
}

TEST(ProfileCheck, CallPathsAreATree) {
  EXPECT_EQ(said_after([](ExampleRun& r) { r.call_paths[1].parent = 1; }),
            "runs[0].call_paths[1]: its parent does not stand before it");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.call_paths[3].parent = 7; }),
            "runs[0].call_paths[3]: its parent does not stand before it");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.call_paths[1] = r.call_paths[2]; }),
            "runs[0].call_paths[2]: \"MPI_Allreduce\" stands there twice below one parent");
  // main: 0.5 s of its own, 14 + 3.5 + 0.5 s below it.
  EXPECT_EQ(said_after([](ExampleRun& r) { r.call_paths[0].inclusive_s = over_two_ranks(9, 9); }),
            "runs[0].call_paths[0]: exclusive time and that of what it called add up to 18.5, and not to its inclusive "
            "sum, 18");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.call_paths[2].exclusive_s = over_two_ranks(-3, 5); }),
            "runs[0].call_paths[2].exclusive_s.min: -3 is negative");
  EXPECT_EQ(said_after([](ExampleRun& r) { r.call_paths_from = 2; }), "runs[0].call_paths_from: is no share");
}

TEST(ProfileCheck, ParametersAreThoseThatAreDeclared) {
  Profile profile = example_profile();
  profile.parameter_names = {"grid"};
  EXPECT_EQ(find_impossible(profile), "runs[0].parameters.dt: is not in parameter_names");
  profile.parameter_names = {"grid", "dt", "tol"};
  EXPECT_EQ(find_impossible(profile), "runs[0].parameters.tol: is missing, although parameter_names has it");
}

TEST(ProfileCheck, TheMachineIsOne) {
  Profile profile = example_profile();
  profile.machine->latency_s["l1"] = -1e-9;
  EXPECT_EQ(find_impossible(profile), "machine.latency_s.l1: -1e-09 is negative");
}

}  // namespace
}  // namespace scalediag::core
