// Vectors of replayed ranks: reading them, refusing them, which rank is given which, and what is simulated then.
#include "loggp/representatives/replayed_computations.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "loggp/representatives/representatives.h"
#include "loggp/simulator/simulator.h"
#include "tests/core/temporary_folder.h"
#include "tests/loggp/example_network.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

constexpr double kUs = 1e-6;

// As a replayed rank writes it, on a machine with the lowest byte first.
std::string vector_file(int rank, const std::vector<double>& seconds) {
  std::string file = "scalediag-vector 1 " + std::to_string(rank) + " " + std::to_string(seconds.size()) + "\n";
  for (const double value : seconds) {
    std::array<char, sizeof value> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    file.append(bytes.data(), bytes.size());
  }
  return file;
}

std::string refusal(const std::string& bytes, int rank = 3) {
  const auto vector = parse_vector(bytes, rank, "f");
  return vector ? "" : vector.error().message;
}

TEST(ComputationVector, IsRead) {
  const auto vector = parse_vector(vector_file(3, {1 * kUs, 0, 2.5}), 3, "f");
  ASSERT_TRUE(vector);
  EXPECT_EQ(vector.value().computations, (ComputationVector{1e-6f, 0, 2.5f}));
}

TEST(ComputationVector, CutOffAnywhereIsNoticed) {
  const std::string whole = vector_file(3, {1, 2});
  for (size_t n = 0; n < whole.size(); ++n) EXPECT_NE(refusal(whole.substr(0, n)), "") << n;
  EXPECT_EQ(refusal(whole), "");
}

TEST(ComputationVector, WrongOnesAreNamedWithTheirReason) {
  const std::string whole = vector_file(3, {1, 2});
  EXPECT_EQ(refusal(whole + "12345678"),
            "f: says that it holds 2 computations, and has 24 bytes of them: it was cut off or damaged");
  EXPECT_EQ(refusal(whole, 4), "f: is of rank 3");
  EXPECT_EQ(refusal("scalediag-vector 3 3 1\n12345678"), "f: has version 3, this scalediag reads 1 and 2");
  EXPECT_EQ(refusal("SCDTRC"), "f: is no vector of a replayed rank");
  EXPECT_EQ(refusal("scalediag-vector 1 3 -1\n"), "f: its first line is damaged");
  EXPECT_EQ(refusal("scalediag-vector 1 3 99999999999999999999\n"), "f: its first line is damaged");
  EXPECT_EQ(refusal(vector_file(3, {1, -1})), "f: computation 1 is no time: it was damaged");
  EXPECT_EQ(refusal(vector_file(3, {std::nan(""), 1})), "f: computation 0 is no time: it was damaged");
  EXPECT_NE(refusal(vector_file(3, {})), "");
}

TEST(ComputationVector, IsReadFromTheFolderOfAReplay) {
  const core::TemporaryFolder temporary;
  const std::string folder = temporary.path();
  EXPECT_FALSE(read_replayed_ranks(folder));
  std::filesystem::create_directories(folder + "/replay");
  std::ofstream(folder + "/replay/rank000003.vector", std::ios::binary) << vector_file(3, {1});
  std::ofstream(folder + "/replay/rank000012.vector", std::ios::binary) << vector_file(12, {2, 3});
  const auto replayed = read_replayed_ranks(folder);
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed.value().vectors,
            (std::map<int, ComputationVector>{{3, ComputationVector{1}}, {12, ComputationVector{2, 3}}}));
  std::ofstream(folder + "/replay/rank3.vector", std::ios::binary) << vector_file(3, {1});
  const auto misnamed = read_replayed_ranks(folder);
  ASSERT_FALSE(misnamed);
  EXPECT_NE(misnamed.error().message.find("rank3.vector is not named as the vector of a rank"), std::string::npos);
}

// Two rounds of a ring: a receive begins, a send, a wait; 6 events and so 7 computations.
RankTrace two_rounds(int ranks, int rank) {
  Script s(ranks, rank);
  s.message(EventKind::kIrecv, (rank + ranks - 1) % ranks, 8);
  s.message(EventKind::kSend, (rank + 1) % ranks, 8);
  s.wait();
  s.repeat(0, 2);
  s.trace.n_events = 6;
  return s.trace;
}

// A series is taken apart into the steps in the order of execution: the loop's first event has computations 0 and 3.
TEST(ComputationVector, StandsBeforeTheEventsOfATrace) {
  RankTrace trace = two_rounds(4, 0);
  EXPECT_TRUE(computations_of(trace).empty());
  const ComputationVector vector = {1e-6f, 2e-6f, 3e-6f, 4e-6f, 5e-6f, 6e-6f, 7e-6f};
  set_computations(trace, vector);
  const TraceStep& first = trace.steps.front().body.front();
  EXPECT_EQ(first.computations_s, (std::vector<float>{1e-6f, 4e-6f}));
  EXPECT_EQ(first.before.n, 2u);
  EXPECT_EQ(first.before.total, 5000u);
  EXPECT_EQ(first.before.least, 1000u);
  EXPECT_EQ(first.before.most, 4000u);
  EXPECT_EQ(trace.tail_ns, 7000u);
  EXPECT_EQ(computations_of(trace), vector);
}

ReplayedRanks as_replayed(std::map<int, ComputationVector> vectors) { return {"replay", std::move(vectors), {}}; }

// Rank 2 was replayed, and rank 9 of the first group; rank 4 is 2 s from rank 2, and 1 s from rank 9.
TEST(Replayed, RanksAreGivenWhatTheClosestOfTheirGroupDid) {
  const RankGroups groups = {{0, 2, 4, 9}, {1, 3, 5, 6, 7, 8}};
  const KnownComputations recorded = {{{4}, {1}, {5}, {1}, {7}, {1}, {1}, {1}, {1}, {8}}, {}, false, 1};
  const auto ranks_of = [](const core::Result<std::vector<StandIn>>& stand_ins) {
    std::vector<int> ranks;
    for (const StandIn& one : stand_ins.value()) ranks.push_back(one.rank);
    return ranks;
  };
  const ReplayedRanks three = as_replayed({{2, {1}}, {7, {1}}, {9, {1}}});
  EXPECT_EQ(ranks_of(replayed_for(groups, three, recorded)), (std::vector<int>{2, 7, 2, 7, 9, 7, 7, 7, 7, 9}));
  EXPECT_EQ(ranks_of(replayed_for(groups, three, {})), (std::vector<int>{2, 7, 2, 7, 2, 7, 7, 7, 7, 9}));
  // The mean of the first group is 6, of which rank 0 is 1 from rank 2.
  EXPECT_NEAR(replayed_for(groups, three, recorded).value()[0].apart->all, 1.0 / 6, 1e-12);
  EXPECT_FALSE(replayed_for(groups, three, {}).value()[0].apart);
  const auto lacking = replayed_for(groups, as_replayed({{2, {1}}}), {});
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().message, "replay: no rank was replayed of those that communicate as rank 1 does");
  const auto beyond = replayed_for(groups, as_replayed({{2, {1}}, {7, {1}}, {10, {1}}}), {});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().message, "replay: rank 10 was replayed, and there are 10 ranks");
}

double simulated_s(const Program& program) {
  const auto simulated = simulate(program, ideal(example_network()));
  return simulated ? simulated.value().total_s : -1;
}

const ComputationVector kOneToSeven = {1e-6f, 2e-6f, 3e-6f, 4e-6f, 5e-6f, 6e-6f, 7e-6f};

// On a network that costs nothing, ranks that all compute the same wait for nobody: 1 + 2 + ... + 7 = 28 us.
TEST(Replayed, OneRankStandsForTheWholeRing) {
  std::vector<RankTrace> traces = run(two_rounds, 8);
  ASSERT_TRUE(set_replayed_computations(traces, as_replayed({{3, kOneToSeven}}), {}));
  EXPECT_NEAR(simulated_s(TraceProgram::of(traces).value()), 28 * kUs, 1e-11);
}

// Rank 5 has computations of its own, twice as long, and its predecessor sends earlier than it waits: 56 us.
TEST(Replayed, RanksThatWereReplayedHaveTheirOwn) {
  std::vector<RankTrace> traces = run(two_rounds, 8);
  ComputationVector longer = kOneToSeven;
  for (float& seconds : longer) seconds *= 2;
  ASSERT_TRUE(set_replayed_computations(traces, as_replayed({{3, kOneToSeven}, {5, longer}}), {}));
  EXPECT_NEAR(simulated_s(TraceProgram::of(traces).value()), 56 * kUs, 1e-11);
}

// Ranks 3 and 5 differ in their first two computations, 2 us in sum, of 28. Repeats of each that are 10 us apart say
// that this is noise. Both then have the medians of the two, 1.51 us of 1 and 2.02, and 4.02 us at the same event in
// the second round, times what the event took in their own two rounds: rank 3 has 5 us of 5.53 there, and rank 5 6.06.
// Repeats that are alike say that it is no noise.
TEST(Replayed, RanksThatDifferByNoiseHaveItNot) {
  ComputationVector other = kOneToSeven;
  std::swap(other[0], other[1]);
  for (float& seconds : other) seconds *= 1.01f;
  for (const double apart_s : {10e-6, 0.0}) {
    std::vector<RankTrace> traces = run(two_rounds, 8);
    ReplayedRanks replayed = as_replayed({{3, kOneToSeven}, {5, other}});
    for (const int rank : {3, 5}) replayed.repeats[rank] = {apart_s, {28e-6, 28e-6}};
    ASSERT_TRUE(set_replayed_computations(traces, replayed, {}));
    EXPECT_NEAR(computations_of(traces[3])[0], apart_s > 0 ? 1.51e-6 * 5 / 5.53 : 1e-6, 0.005e-6);
    EXPECT_NEAR(computations_of(traces[5])[0], apart_s > 0 ? 1.51e-6 * 6.06 / 5.53 : 2.02e-6, 0.005e-6);
    EXPECT_NEAR(computations_of(traces[5])[6], 7.07e-6, 0.002e-6);
  }
}

// Three ranks take 1.1, 1.2 and 1.3 times as long, by two replays that say so of each, or by two that are as far apart
// as ranks are; a third of one rank tells nothing.
TEST(Replayed, RanksKeepWhatPersistsOfTheirDifferenceOverReplays) {
  const auto of = [](double first, double second) { return std::vector<double>{first * 28e-6, second * 28e-6}; };
  const std::map<int, std::vector<double>> steady = {{3, of(1.1, 1.1)}, {5, of(1.2, 1.2)}, {6, of(1.3, 1.3)}};
  std::map<int, std::vector<double>> noisy = {{3, of(1.2, 1.0)}, {5, of(1.2, 1.2)}, {6, of(1.2, 1.4)}};
  noisy[6].push_back(1);
  for (const auto& totals_s : {steady, noisy}) {
    std::vector<RankTrace> traces = run(two_rounds, 8);
    ReplayedRanks replayed = as_replayed({{3, kOneToSeven}, {5, kOneToSeven}, {6, kOneToSeven}});
    for (auto& [rank, vector] : replayed.vectors) {
      for (float& seconds : vector) seconds *= rank == 3 ? 1.1f : rank == 5 ? 1.2f : 1.3f;
      replayed.repeats[rank] = {100e-6, totals_s.at(rank)};
    }
    ASSERT_TRUE(set_replayed_computations(traces, replayed, {}));
    const bool persists = totals_s == steady;
    EXPECT_NEAR(computations_of(traces[3])[1], 2e-6 * (persists ? 1.1 : 1.2), 0.002e-6) << persists;
    EXPECT_NEAR(computations_of(traces[6])[1], 2e-6 * (persists ? 1.3 : 1.2), 0.002e-6) << persists;
    EXPECT_NEAR(computations_of(traces[6])[6], 7e-6 * (persists ? 1.3 : 1.2), 0.002e-6) << persists;
  }
}

// Rank 3 is slower at one event and quicker at the next, by as much: nothing of the whole differs, and both stay.
TEST(Replayed, RanksKeepDifferencesThatCancelInTheWhole) {
  std::vector<RankTrace> traces = run(two_rounds, 8);
  ReplayedRanks replayed = as_replayed({{3, kOneToSeven}, {5, kOneToSeven}, {6, kOneToSeven}});
  replayed.vectors[3][1] += 0.5e-6f;
  replayed.vectors[3][2] -= 0.5e-6f;
  for (const int rank : {3, 5, 6}) replayed.repeats[rank] = {100e-6, {28e-6, 28e-6}};
  ASSERT_TRUE(set_replayed_computations(traces, replayed, {}));
  const ComputationVector its = computations_of(traces[3]), other = computations_of(traces[5]);
  EXPECT_NEAR(its[1] / other[1], 7.5 / 7, 0.002);  // 2.5 and 5 us of two rounds, and 2 and 5
  EXPECT_NEAR(its[2] / other[2], 8.5 / 9, 0.002);
}

// Of ranks that were replayed once, the rounds tell the noise: here both take 4 us for two rounds of each event, and
// one is slow in the first round, the other in the second, so that each round has 2 us.
TEST(Replayed, RoundsTellTheNoiseOfOneReplay) {
  std::vector<RankTrace> traces = run(two_rounds, 8);
  const ComputationVector first = {3e-6f, 3e-6f, 3e-6f, 1e-6f, 1e-6f, 1e-6f, 1e-6f};
  const ComputationVector second = {1e-6f, 1e-6f, 1e-6f, 3e-6f, 3e-6f, 3e-6f, 1e-6f};
  ASSERT_TRUE(set_replayed_computations(traces, as_replayed({{3, first}, {5, second}}), {}));
  for (const int rank : {3, 5}) {
    const ComputationVector its = computations_of(traces[static_cast<size_t>(rank)]);
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(its[i], 2e-6, 0.002e-6) << rank << " " << i;
  }
}

TEST(Replayed, ScaledRanksAreGivenThemToo) {
  const ScaledTraces traces(made(two_rounds, {4, 8, 16}, 32), 32);
  const auto program = replayed_program(traces, as_replayed({{3, kOneToSeven}}));
  ASSERT_TRUE(program);
  EXPECT_NEAR(simulated_s(program.value()), 28 * kUs, 1e-11);
  ComputationVector longer = kOneToSeven;
  for (float& seconds : longer) seconds *= 2;
  EXPECT_NEAR(simulated_s(replayed_program(traces, as_replayed({{3, kOneToSeven}, {5, longer}})).value()), 56 * kUs,
              1e-11);
}

TEST(Replayed, OtherNumbersOfComputationsAreRefused) {
  std::vector<RankTrace> traces = run(two_rounds, 8);
  const auto set = set_replayed_computations(traces, as_replayed({{3, {1, 2, 3}}}), {});
  ASSERT_FALSE(set);
  EXPECT_EQ(
      set.error().message,
      "replay/rank000003.vector holds 3 computations, and rank 0 has 6 events in its trace: one is before each of "
      "them, and one after the last");
  EXPECT_EQ(set.error().hint, "replay the run whose trace is simulated");
}

// Whoever replayed the run has done what that hint says: the scaled trace has another number of events.
TEST(Replayed, AScaledTraceOfOtherEventsIsNotTheProgramsAndIsSaidSo) {
  const auto scaled =
      replayed_program(ScaledTraces(made(two_rounds, {4, 8, 16}, 32), 32), as_replayed({{3, {1, 2, 3}}}));
  ASSERT_FALSE(scaled);
  EXPECT_EQ(scaled.error().hint,
            "the scaled trace is not that of the program: record 32 ranks themselves with `scalediag profile --trace`, "
            "or leave out --computation");
}

KnownComputations known_of(std::vector<ComputationVector> vectors, double noise_s) {
  const size_t n = vectors.size();
  return {std::move(vectors), std::vector<std::optional<double>>(n, noise_s), false, 1};
}

// Two groups. In the first, of mean 3, the vectors 2 and 3 are 1 apart, and 4 is 2 from the first: cut at 50 % = 1.5
// they are two sets. Of the second not all is known.
TEST(Representatives, AreClustersOfEachGroup) {
  const RankGroups groups = {{0, 2, 4}, {1, 3, 5}};
  const KnownComputations known = known_of({{2}, {1}, {3}, {}, {4}, {1}}, 0);
  const Representatives cut = representatives_of(groups, known, {0.5, 0}).value();
  EXPECT_EQ(cut.groups, 2u);
  ASSERT_EQ(cut.sets.size(), 3u);
  EXPECT_EQ(cut.sets[0].ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(cut.sets[0].representative, 0);
  EXPECT_NEAR(cut.sets[0].apart->all, 1.0 / 3, 1e-12);
  EXPECT_EQ(cut.sets[1].ranks, (std::vector<int>{4}));
  EXPECT_EQ(cut.sets[2].representative, 3);
  EXPECT_FALSE(cut.sets[2].apart);
  EXPECT_EQ(cut.ranks(), (std::vector<int>{0, 3, 4}));
  ASSERT_EQ(cut.merges.size(), 1u);
  EXPECT_EQ(cut.merges[0].gone, 1u);
  EXPECT_NEAR(cut.merges[0].apart, 2.0 / 3, 1e-12);
}

// Of mean 100, ranks are 4 and 30 apart, with noise of 20: 1.5 times that leaves nothing of either, and one set. With
// noise of 10 that leaves 15 % of 30, above 5 %, and nothing of 4. Without any 4 % are below 5 %.
TEST(Representatives, AreApartWhereTheyDifferByMoreThanNoise) {
  const RankGroups groups = {{0, 1, 2, 3}};
  const std::vector<ComputationVector> vectors = {{85}, {89}, {111}, {115}};
  const auto sets = [&](double noise_s) {
    return representatives_of(groups, known_of(vectors, noise_s), {}).value().sets.size();
  };
  EXPECT_EQ(sets(20), 1u);
  EXPECT_EQ(sets(10), 2u);
  EXPECT_EQ(sets(0), 2u);
  const auto noisy = representatives_of(groups, known_of(vectors, 10), {}).value();
  EXPECT_EQ(noisy.sets[0].ranks, (std::vector<int>{0, 1}));
  EXPECT_NEAR(noisy.sets[0].apart->all, 0.04, 1e-12);
  EXPECT_NEAR(*noisy.sets[0].apart->noise, 0.1, 1e-12);
}

// One set asked for has ranks that are 30 % apart, 15 % beyond noise; 4 sets are all ranks; 5 cannot be.
TEST(Representatives, AreAsManyAsIsAskedFor) {
  const RankGroups groups = {{0, 1, 2, 3}};
  const KnownComputations known = known_of({{85}, {89}, {111}, {115}}, 10);
  const auto one = representatives_of(groups, known, {std::nullopt, 1}).value();
  ASSERT_EQ(one.sets.size(), 1u);
  EXPECT_NEAR(one.sets[0].apart->beyond_noise(), 0.15, 1e-12);
  EXPECT_EQ(representatives_of(groups, known, {std::nullopt, 4}).value().sets.size(), 4u);
  const auto five = representatives_of(groups, known, {std::nullopt, 5});
  ASSERT_FALSE(five);
  EXPECT_EQ(five.error().message, "ranks make 1 to 4 groups, not 5");
}

// The first run has 1, 2, 3 s, its repeat 3, 2, 3: the median of two is their mean, 2, 2, 3, and they are 2 s apart;
// the error of a median of n is sqrt(pi / 2 / n) of one draw's, which for two is 0.886.
TEST(KnownComputations, AreMediansWithTheNoiseBetweenRepeats) {
  const auto trace_with = [](float first_s) {
    Script s(1, 0);
    s.allreduce(8);
    s.allreduce(8);
    s.trace.n_events = 2;
    set_computations(s.trace, {first_s, 2, 3});
    return s.trace;
  };
  const auto known = known_computations({trace_with(1)}, {{trace_with(3)}});
  EXPECT_EQ(known.vectors[0], (ComputationVector{2, 2, 3}));
  EXPECT_NEAR(known.noise_s[0].value(), 2 * 0.88623, 1e-4);
  EXPECT_FALSE(known_computations({trace_with(1)}, {}).noise_s[0]);
}

// Relative to each run's mean, ranks deviate by 0.3 and 0.1 in two runs: 0.2 in the mean, so that means vary by 0.04.
// Between their runs two ranks vary by 0.02, the third by 0: a mean of two by (0.01 + 0.01 + 0) / (3 - 1) = 0.01. So 3
// in 4 parts of 0.2 persist. The second run is twice as slow, which is no rank's.
TEST(KnownComputations, TellWhichDifferencesPersist) {
  KnownComputations known;
  const std::vector<int> ranks = {0, 2, 3};
  known.totals_s = {{0.7, 1.8}, {9, 9}, {1, 2}, {1.3, 2.2}};
  const std::vector<double> shares = persistent_shares(known, ranks);
  EXPECT_NEAR(shares[0], 0.85, 1e-12);
  EXPECT_NEAR(shares[1], 1, 1e-12);
  EXPECT_NEAR(shares[2], 1.15, 1e-12);
  // Means of 0.9, 1 and 1.1 vary by 0.01, and so do their repeats' means.
  known.totals_s = {{0.8, 2}, {9, 9}, {1, 2}, {1.2, 2}};
  EXPECT_EQ(persistent_shares(known, ranks), (std::vector<double>{1, 1, 1}));
  known.totals_s = {{0.8, 1.6}, {9, 9}, {1, 2}, {1.2, 2.4}};
  EXPECT_NEAR(persistent_shares(known, ranks)[0], 0.8, 1e-12);
  EXPECT_EQ(persistent_shares(known, {0, 2}), (std::vector<double>{1, 1}));
  known.totals_s.clear();
  EXPECT_EQ(persistent_shares(known, ranks), (std::vector<double>{1, 1, 1}));
}

// Rank 0 computes 0.8 and rank 2 1.2 of the mean in both runs, so that rank 0 takes 2 / 3 of what was replayed of rank
// 2, and is then not apart from it.
TEST(Replayed, RanksKeepWhatPersistsOfTheirDifference) {
  KnownComputations known = known_of({{8}, {10}, {12}}, 0);
  known.totals_s = {{8, 8}, {10, 10}, {12, 12}};
  const auto stand_ins = replayed_for({{0, 1, 2}}, as_replayed({{2, {1}}}), known).value();
  EXPECT_EQ(stand_ins[0].rank, 2);
  EXPECT_NEAR(stand_ins[0].factor, 2.0 / 3, 1e-12);
  EXPECT_NEAR(stand_ins[0].apart->all, 0, 1e-6);  // vectors are floats
  EXPECT_EQ(stand_ins[2].factor, 1);
}

// Of one run: an event's 1, 4 s in a loop are 3 apart, one step for two occurrences: 6; 2, 5 and 3, 6 as well: 18 of
// 21 s, and the last 7 s are taken to be as noisy: 24.
TEST(KnownComputations, HaveTheNoiseBetweenOccurrencesOtherwise) {
  RankTrace trace = two_rounds(4, 0);
  set_computations(trace, {1, 2, 3, 4, 5, 6, 7});
  const auto known = known_computations({trace}, {});
  EXPECT_FALSE(known.are_means);
  EXPECT_NEAR(known.noise_s[0].value(), 24, 1e-5);
}

// Three replays: sums of 1, 2 and 3 s, of which two are 4/3 s apart in the mean; the standard error of their median is
// that of one, 1 s, times sqrt(pi / 6), relative to the mean of 2 s.
TEST(ComputationVector, OfRepeatedReplaysHasTheirSpread) {
  std::string bytes = "scalediag-vector 2 3 2 3\n";
  for (const double value : {1.5, 0.5, 1.0, 1.0 / 3, 1.0, 2.0, 3.0}) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const auto vector = parse_vector(bytes, 3, "f");
  ASSERT_TRUE(vector);
  EXPECT_EQ(vector.value().computations, (ComputationVector{1.5f, 0.5f}));
  EXPECT_NEAR(vector.value().repeats.apart_s, 4.0 / 3, 1e-12);
  EXPECT_NEAR(vector.value().repeats.error(), 0.5 * 0.7236, 1e-4);
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(parse_vector(std::string_view(bytes).substr(0, n), 3, "f"));
}

}  // namespace
}  // namespace scalediag::loggp
