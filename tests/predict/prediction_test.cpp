// Predictions made of several sources.
#include "predict/prediction.h"

#include <gtest/gtest.h>

#include "fit/application/application.h"
#include "fit/profile/profile_data.h"
#include "predict/predictor.h"
#include "predict/sources/measured_part.h"
#include "tests/fit/application/synthetic_application.h"
#include "tests/predict/fake_traces.h"

namespace scalediag::predict {
namespace {

loggp::Network free_network() { return loggp::uniform_network(loggp::Segment{}, 0); }

// 40 s of work are divided among the ranks: 0.625 s of a rank on 64. Nothing else costs anything.
fit::ApplicationModel forty_seconds() {
  fit::SyntheticApplication app;
  app.clock = core::Clock::kCpu;
  app.kernels = {{"work", [](int np, int) { return 40.0 / np; }}};
  auto model = fit::fit_application(fit::application_data(app.profile({2, 4, 8, 16})).value());
  EXPECT_TRUE(model.ok());
  return std::move(model).value();
}

Target at(double np) { return Target({"np"}, {np}, 0); }

Prediction predicted(Evidence evidence, double np) {
  auto predictor = Predictor::of(forty_seconds(), std::move(evidence), {at(np)});
  EXPECT_TRUE(predictor.ok());
  return predictor.value().at({np});
}

const SourceLine* line_of(const Prediction& p, Component component, Source source) {
  for (const SourceLine& line : p.sources) {
    if (line.component == component && line.source == source) return &line;
  }
  return nullptr;
}

// The traces compute 44 / P s of a rank, of which the smaller scales say exactly that.
Evidence traced(const FakeTraces::Make& recorded, const FakeTraces::Make& scaled) {
  Evidence evidence;
  evidence.simulate = Simulate::kWherePossible;
  evidence.network = free_network();
  evidence.traces = std::make_shared<FakeTraces>(std::vector{2, 4, 8, 16}, recorded, scaled);
  return evidence;
}

TEST(Prediction, WithoutOtherEvidenceIsThatOfTheModel) {
  const Prediction p = predicted({}, 64);
  EXPECT_NEAR(p.computation.estimate.value, 0.625, 1e-3);
  EXPECT_EQ(p.computation.source, Source::kCurves);
  EXPECT_EQ(p.communication.source, Source::kCosts);
  EXPECT_EQ(p.function_factor, 1);
  EXPECT_FALSE(p.disagreement);
}

class Unscaled : public FakeTraces {
 public:
  using FakeTraces::FakeTraces;
  core::Result<TracedProgram> scaled(int /*ranks*/, int /*up_to*/) const override {
    return core::Error{core::ErrorCode::kInput, "too long", "", ""};
  }
};

Evidence not_scaled(const FakeTraces::Make& program) {
  Evidence evidence = traced(program, program);
  evidence.traces = std::make_shared<Unscaled>(std::vector{2, 4, 8, 16}, program, program);
  return evidence;
}

// Replayed ranks compute 0.3125 s in the mean, half of what curves say, and 0.5 s at most.
TEST(Prediction, TakesReplayedRanksAndSaysThatCurvesDisagree) {
  Evidence evidence;
  ReplayedComputation replayed;
  replayed.ranks = replayed.replayed = 64;
  replayed.mean_s = 0.3125;
  replayed.most_s = 0.5;
  evidence.replayed = {{at(64), replayed}};
  const Prediction p = predicted(evidence, 64);
  EXPECT_EQ(p.computation.source, Source::kReplay);
  EXPECT_DOUBLE_EQ(p.computation.estimate.value, 0.3125);
  EXPECT_NEAR(p.function_factor, 0.5, 1e-3);
  EXPECT_DOUBLE_EQ(p.slowest_computation.estimate.high, 0.5);
  EXPECT_NEAR(p.run.estimate.value, 0.3125, 1e-3);
  EXPECT_NEAR(p.replayed->predicted_s, 0.625, 1e-3);
  EXPECT_EQ(p.unattributed.source, Source::kReplay);
  EXPECT_EQ(p.unattributed.estimate.high, 0);
  ASSERT_TRUE(p.disagreement);
  EXPECT_EQ(p.disagreement->other, Source::kCurves);
  const SourceLine* curves = line_of(p, Component::kComputation, Source::kCurves);
  ASSERT_NE(curves, nullptr);
  EXPECT_FALSE(curves->taken);
}

// The target's own trace, a wavefront over 64 ranks of which each computes 0.3125 s: 63 of them are waited for.
TEST(Prediction, ReplayedRanksWaitAsTheirOwnTraceSays) {
  Evidence evidence = traced([](int ranks) { return wavefront(ranks, 40.0 / ranks); },
                             [](int ranks) { return wavefront(ranks, 80.0 / ranks); });
  auto program = std::make_shared<TracedProgram>();
  program->program = std::make_shared<loggp::ListProgram>(wavefront(64, 0.3125));
  ReplayedComputation replayed;
  replayed.ranks = replayed.replayed = 64;
  replayed.mean_s = replayed.most_s = program->computation_s = 0.3125;
  replayed.traced = program;
  evidence.replayed = {{at(64), replayed}};
  const Prediction p = predicted(evidence, 64);
  EXPECT_NEAR(p.waiting.estimate.value, 63 * 0.3125, 1e-9);
  EXPECT_EQ(p.simulated->waiting_factor, 1);
  EXPECT_NEAR(p.run.estimate.value, 64 * 0.3125, 1e-3);
}

// Two wavefronts side by side over half of the ranks each: with 16 ranks of c seconds 7 c is waited for, where the
// recorded trace, one wavefront, has 15 c. With 64 ranks of 0.625 s it is 31 x 0.625 s, times 15 / 7.
TEST(Prediction, WaitingIsMultipliedByWhatTheScaledTraceHadTooLittle) {
  const auto two_wavefronts = [](int ranks) {
    loggp::ListProgram program = wavefront(ranks, 40.0 / ranks);
    program.of(ranks / 2 - 1).pop_back();
    program.of(ranks / 2).erase(program.of(ranks / 2).begin());
    return program;
  };
  const Prediction p = predicted(traced([](int ranks) { return wavefront(ranks, 40.0 / ranks); }, two_wavefronts), 64);
  const SourceLine* line = line_of(p, Component::kWaiting, Source::kSimulation);
  ASSERT_NE(line, nullptr);
  EXPECT_NEAR(*line->backtest, 7.0 / 15 - 1, 1e-9);
  EXPECT_NEAR(p.simulated->waiting_factor, 15.0 / 7, 1e-9);
  EXPECT_NEAR(p.waiting.estimate.value, 31 * 0.625 * 15 / 7, 2e-2);
  // A rank waits in its receive for those before it, for half of a wavefront in the mean, and for the rest at the end.
  double operations_s = 0;
  for (const auto& [name, operation] : p.simulated->operations) operations_s += operation.time_s;
  EXPECT_NEAR(operations_s, p.waiting.estimate.value / 2, 1e-2);
}

// Phases with 3/4 of the instructions, which are known to 4 %; the rest is known as curves are. Alone against among
// many: 10 % down, 28 % up.
TEST(Prediction, PointsAreAsUncertainAsReplaysAndWhatTheyLeaveOut) {
  PointComputation points;
  points.share = 0.75;
  points.relative_error = 0.04;
  points.mean_s = 1;
  const Estimate computation = point_estimate(points, {2, 1.6, 2.8, 0.9});
  EXPECT_DOUBLE_EQ(computation.value, 1);
  EXPECT_NEAR(computation.low, 1 - (0.75 * (0.10 + 0.04) + 0.25 * 0.2), 1e-12);
  EXPECT_NEAR(computation.high, 1 + 0.75 * (0.28 + 0.04) + 0.25 * 0.4, 1e-12);
  Evidence evidence;
  evidence.points = {{at(64), points}};
  const Prediction p = predicted(evidence, 64);
  EXPECT_EQ(p.computation.source, Source::kPoints);
  EXPECT_DOUBLE_EQ(p.computation.estimate.value, 1);
}

// The scaled trace has 44 / 64 s where curves have 40 / 64 s, and both met the largest scale exactly: the value lies
// between them, at their geometric mean, and functions add up to it.
TEST(Prediction, WeighsSourcesByWhatTheyMissed) {
  const auto program = [](int ranks) { return wavefront(ranks, 44.0 / ranks); };
  const Prediction p = predicted(traced(program, program), 64);
  EXPECT_NEAR(p.computation.estimate.value, std::sqrt(40.0 * 44.0) / 64, 1e-3);
  EXPECT_NEAR(p.function_factor, std::sqrt(1.1), 1e-3);
  ASSERT_NE(line_of(p, Component::kComputation, Source::kScaledTrace), nullptr);
  EXPECT_NEAR(*line_of(p, Component::kComputation, Source::kScaledTrace)->backtest, 0, 1e-9);
  EXPECT_TRUE(line_of(p, Component::kComputation, Source::kCurves)->taken);
}

// A scaled trace that has twice what was recorded at the largest scale is left out, and the rest is named: 2 x 44 / 64
// s against 40 / 64 s.
TEST(Prediction, LeavesOutASourceThatMissedTheLargestScale) {
  const Prediction p = predicted(traced([](int ranks) { return wavefront(ranks, 44.0 / ranks); },
                                        [](int ranks) { return wavefront(ranks, 88.0 / ranks); }),
                                 64);
  EXPECT_EQ(p.computation.source, Source::kCurves);
  EXPECT_NEAR(p.computation.estimate.value, 0.625, 1e-3);
  const SourceLine* scaled = line_of(p, Component::kComputation, Source::kScaledTrace);
  ASSERT_NE(scaled, nullptr);
  EXPECT_FALSE(scaled->taken);
  EXPECT_NEAR(*scaled->backtest, 1, 1e-9);
  ASSERT_TRUE(p.disagreement);
  EXPECT_EQ(p.disagreement->other, Source::kScaledTrace);
}

// 64 ranks in a row, one after another: the run takes 64 computations, of which a rank has one. Rank r waits for r of
// them, while the rank before it waits, too, and passes its waiting on: all of it is a pipeline's.
TEST(Prediction, NamesThePipelineFirst) {
  const auto program = [](int ranks) { return wavefront(ranks, 40.0 / ranks); };
  const Prediction p = predicted(traced(program, program), 64);
  const double one = p.computation.estimate.value;
  ASSERT_TRUE(p.simulated);
  EXPECT_NEAR(p.run.estimate.value, 64 * one, 0.01 * one);
  EXPECT_EQ(p.waiting.source, Source::kSimulation);
  ASSERT_EQ(p.waiting_causes.size(), 1u);
  EXPECT_EQ(p.waiting_causes[0].cause, "pipeline");
  EXPECT_NEAR(p.waiting_causes[0].estimate.value, 63 * one, 1e-3);
}

// At the target nobody waits in the trace, where the simulated scales lead to 63 times the computation: that is said,
// and waiting stays that of the trace, as the times of its operations.
TEST(Prediction, WaitingIsThatOfTheSimulatedOperations) {
  const auto idle = [](int ranks) {
    loggp::ListProgram program(ranks);
    for (int rank = 0; rank < ranks; ++rank) program.of(rank) = {loggp::compute(40.0 / ranks)};
    return program;
  };
  const Prediction p = predicted(traced([](int ranks) { return wavefront(ranks, 40.0 / ranks); }, idle), 64);
  EXPECT_EQ(p.waiting.source, Source::kSimulation);
  EXPECT_NEAR(p.waiting.estimate.value, 0, 1e-6);
  ASSERT_TRUE(p.disagreement);
  EXPECT_EQ(p.disagreement->component, Component::kWaiting);
  EXPECT_EQ(p.disagreement->other, Source::kSimulatedScales);
}

// Of what the trace has, the slowest rank computes twice as long as the mean.
TEST(Prediction, TheSlowestRankIsThatOfTheSimulation) {
  const auto uneven = [](int ranks) {
    loggp::ListProgram program(ranks);
    for (int rank = 0; rank < ranks; ++rank) program.of(rank) = {loggp::compute((rank % 2 == 0 ? 80.0 : 0.0) / ranks)};
    return program;
  };
  const Prediction p = predicted(traced(uneven, uneven), 64);
  EXPECT_NEAR(p.slowest_computation.estimate.value, 2 * p.computation.estimate.value, 1e-3);
}

// The same where the trace cannot be scaled: at each measured scale the slowest rank computes twice as long as the
// mean, which all others wait for at the end.
TEST(Prediction, TheSlowestRankIsThatOfTheSimulatedScales) {
  const auto uneven = [](int ranks) {
    loggp::ListProgram program(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      program.of(rank) = {loggp::compute((rank % 2 == 0 ? 80.0 : 0.0) / ranks),
                          loggp::collective(loggp::Collective::kBarrier, 0)};
    }
    return program;
  };
  const Prediction p = predicted(not_scaled(uneven), 64);
  EXPECT_EQ(p.waiting.source, Source::kSimulatedScales);
  EXPECT_NEAR(p.slowest_computation.estimate.value, 2 * p.computation.estimate.value, 1e-2);
}

// Two ranks alone are no pipeline: the second waits for the first one's computation.
TEST(Predictor, TwoRanksAreNoPipeline) {
  const auto program = [](int ranks) { return wavefront(ranks, 40.0 / ranks); };
  const auto predictor = Predictor::of(forty_seconds(), traced(program, program), {at(64)});
  ASSERT_TRUE(predictor.ok());
  ASSERT_NE(predictor.value().measured({2}), nullptr);
  const std::vector<CauseOfWaiting> causes = causes_of(*predictor.value().measured({2}));
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].cause, "late sender");
}

// Where the trace cannot be scaled, waiting follows the simulated scales: P ranks in a row take P times the computation
// of one, 2, 4, 8 and 16 of them, so that 64 ranks wait for 63.
TEST(Prediction, WaitingFollowsTheSimulatedScales) {
  const auto program = [](int ranks) { return wavefront(ranks, 40.0 / ranks); };
  const Prediction p = predicted(not_scaled(program), 64);
  EXPECT_FALSE(p.simulated);
  EXPECT_EQ(p.waiting.source, Source::kSimulatedScales);
  EXPECT_NEAR(p.waiting.estimate.value / p.computation.estimate.value, 63, 0.1);
  ASSERT_FALSE(p.waiting_causes.empty());
  EXPECT_EQ(p.waiting_causes[0].cause, "pipeline");
  EXPECT_EQ(line_of(p, Component::kWaiting, Source::kSimulation)->why, "too long");
  EXPECT_NEAR(p.run.estimate.value, p.computation.estimate.value + p.waiting.estimate.value, 1e-6);
}

// The same for communication: in pairs of ranks the first takes 0.5 s to send and the second, which then has the
// message at once, 0.5 s to receive, at every scale. The model has no calls.
TEST(Prediction, CommunicationFollowsTheSimulatedScales) {
  Evidence evidence = not_scaled([](int ranks) {
    loggp::ListProgram pairs(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      pairs.of(rank) = {loggp::compute(40.0 / ranks), rank % 2 == 0
                                                          ? loggp::message(loggp::OpKind::kSend, rank + 1, 8)
                                                          : loggp::message(loggp::OpKind::kRecv, rank - 1, 8)};
    }
    return pairs;
  });
  loggp::Segment overheads;
  overheads.send_overhead_s = overheads.receive_overhead_s = 0.5;
  evidence.network = loggp::uniform_network(overheads, 0);
  const Prediction p = predicted(std::move(evidence), 64);
  EXPECT_EQ(p.communication.source, Source::kSimulatedScales);
  EXPECT_NEAR(p.communication.estimate.value, 0.75, 1e-6);
  EXPECT_NEAR(line_of(p, Component::kCommunication, Source::kSimulatedScales)->backtest.value_or(1), 0, 1e-6);
}

// Of 4 ranks that wait for one which computes four times as long at a barrier, all waiting is imbalance.
TEST(Prediction, WaitingForTheSlowestRankIsImbalance) {
  const auto program = [](int ranks) {
    loggp::ListProgram uneven(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      uneven.of(rank) = {loggp::compute((rank == 0 ? 4 : 1) * 10.0 / ranks),
                         loggp::collective(loggp::Collective::kBarrier, 0)};
    }
    return uneven;
  };
  const Prediction p = predicted(traced(program, program), 64);
  ASSERT_FALSE(p.waiting_causes.empty());
  EXPECT_EQ(p.waiting_causes[0].cause, "imbalance");
  EXPECT_NEAR(p.waiting_causes[0].estimate.value, p.waiting.estimate.value, 1e-6);
}

// 4 ranks in a row at a measured scale: efficiency is a quarter.
TEST(Predictor, SimulatesMeasuredScales) {
  const auto program = [](int ranks) { return wavefront(ranks, 40.0 / ranks); };
  const auto predictor = Predictor::of(forty_seconds(), traced(program, program), {at(64)});
  ASSERT_TRUE(predictor.ok());
  const SimulatedCommunication* four = predictor.value().measured({4});
  ASSERT_NE(four, nullptr);
  EXPECT_NEAR(four->computation_s / four->total_s, 0.25, 1e-9);
  EXPECT_EQ(predictor.value().measured({3}), nullptr);
}

// Between the measured 16 ranks and the 64 that were asked for, the run is between what both are in proportion to the
// model: 16 and 64 times the computation, 32 in the geometric middle.
TEST(Predictor, CurvesPassThroughTheTargets) {
  const auto program = [](int ranks) { return wavefront(ranks, 40.0 / ranks); };
  const auto predictor = Predictor::of(forty_seconds(), traced(program, program), {at(64)});
  ASSERT_TRUE(predictor.ok());
  EXPECT_NEAR(predictor.value().at({32}).run.estimate.value, 32 * 40.0 / 32, 0.5);
}

// The same without a network, where a scaled trace still has its say of the computation: sqrt(1.1) times the model's at
// 64 ranks, nothing at the measured 16, and half of that, as a power, at 32.
TEST(Predictor, CurvesPassThroughTargetsThatNothingSimulates) {
  const auto program = [](int ranks) { return wavefront(ranks, 44.0 / ranks); };
  Evidence evidence = traced(program, program);
  evidence.network.reset();
  const auto predictor = Predictor::of(forty_seconds(), std::move(evidence), {at(64)});
  ASSERT_TRUE(predictor.ok());
  EXPECT_TRUE(predictor.value().is_more_than_model());
  EXPECT_NEAR(predictor.value().at({64}).computation.estimate.value, std::sqrt(40.0 * 44.0) / 64, 1e-3);
  EXPECT_NEAR(predictor.value().at({32}).computation.estimate.value, std::pow(1.1, 0.25) * 40 / 32, 2e-3);
}

TEST(Predictor, CurvesAreTheModelsWhereNothingElseIsKnown) {
  const auto predictor = Predictor::of(forty_seconds(), {}, {at(16), at(64)});
  ASSERT_TRUE(predictor.ok());
  EXPECT_FALSE(predictor.value().is_more_than_model());
}

// Without evidence besides the runs, these answer for a scale that was measured: 3 s, where the curve of 40 s / P has
// 2.5 s.
TEST(Prediction, AMeasuredTargetIsAnsweredByItsRuns) {
  fit::SyntheticApplication app;
  app.clock = core::Clock::kCpu;
  app.kernels = {{"work", [](int np, int) { return np == 16 ? 3.0 : 40.0 / np; }}};
  auto predictor = Predictor::of(fit::application_data(app.profile({2, 4, 8, 16, 32})).value(), {}, {}, {at(16)});
  ASSERT_TRUE(predictor.ok());
  const Prediction p = predictor.value().at({16});
  EXPECT_EQ(p.computation.source, Source::kMeasured);
  EXPECT_DOUBLE_EQ(p.computation.estimate.value, 3);
  EXPECT_EQ(p.run.source, Source::kMeasured);
  EXPECT_DOUBLE_EQ(p.run.estimate.value, 3);
  const SourceLine* measured = line_of(p, Component::kComputation, Source::kMeasured);
  ASSERT_NE(measured, nullptr);
  EXPECT_TRUE(measured->taken);
  EXPECT_FALSE(line_of(p, Component::kComputation, Source::kCurves)->taken);
}

// Where a measured scale is simulated, its prediction and the curve through the targets say the same of it: 16 ranks in
// a row take 16 times the 2.5 s that a rank computes, whether or not the scale was asked for.
TEST(Predictor, MeasuredScalesAreTheSameOnCurvesAndAsTargets) {
  const auto program = [](int ranks) { return wavefront(ranks, 44.0 / ranks); };
  const auto curve = Predictor::of(forty_seconds(), traced(program, program), {at(64)});
  ASSERT_TRUE(curve.ok());
  const Prediction asked = predicted(traced(program, program), 16);
  EXPECT_NEAR(asked.run.estimate.value, 16 * 2.5, 1e-6);
  EXPECT_EQ(asked.computation.source, Source::kMeasured);
  EXPECT_EQ(asked.waiting.source, Source::kSimulation);
  EXPECT_DOUBLE_EQ(curve.value().at({16}).run.estimate.value, asked.run.estimate.value);
  EXPECT_DOUBLE_EQ(curve.value().at({16}).total.estimate.value, asked.total.estimate.value);
}

// Two runs took 1 and 3 s: the mean is 2 s, its standard error 1 s, of which Student's interval of 90 % with one degree
// of freedom has 6.314: up to 8.314 s, a factor of 4.157. A single run of 2 s has the interval of the model, 4 s
// (3 - 6 s), in proportion, and at most a factor of 2.
TEST(Prediction, MeasuredPartsHaveTheNoiseOfTheRuns) {
  fit::ApplicationData data;
  data.totals["run_s"] = {{"np"}, "run_s", "", {{{16}, {1, 3}}, {{8}, {2}}}};
  const auto two = measured_part(data, "run_s", {16}, {4, 3, 6, 0.9});
  ASSERT_TRUE(two);
  EXPECT_DOUBLE_EQ(two->value, 2);
  EXPECT_NEAR(two->low, 2 / 4.157, 1e-3);
  EXPECT_NEAR(two->high, 8.314, 1e-3);
  const auto one = measured_part(data, "run_s", {8}, {4, 3, 6, 0.9});
  ASSERT_TRUE(one);
  EXPECT_DOUBLE_EQ(one->low, 1.5);
  EXPECT_DOUBLE_EQ(one->high, 3);
  EXPECT_DOUBLE_EQ(measured_part(data, "run_s", {8}, {1e-9, 0, 1, 0.9})->high, 4);
  EXPECT_FALSE(measured_part(data, "run_s", {4}, {4, 3, 6, 0.9}));
}

// Of five scales the largest two are predicted: the scaled trace has twice what was recorded at either.
TEST(Prediction, FiveScalesAreTwoBacktests) {
  const auto lines_of = [](const std::vector<int>& scales) {
    fit::SyntheticApplication app;
    app.clock = core::Clock::kCpu;
    app.kernels = {{"work", [](int np, int) { return 40.0 / np; }}};
    Evidence evidence;
    evidence.simulate = Simulate::kWherePossible;
    evidence.network = free_network();
    evidence.traces = std::make_shared<FakeTraces>(
        scales, [](int ranks) { return wavefront(ranks, 40.0 / ranks); },
        [](int ranks) { return wavefront(ranks, 80.0 / ranks); });
    return Predictor::of(fit::application_data(app.profile(scales)).value(), {}, evidence, {at(64)}).value().at({64});
  };
  const Prediction five = lines_of({2, 4, 8, 16, 32});
  const SourceLine* scaled = line_of(five, Component::kComputation, Source::kScaledTrace);
  ASSERT_NE(scaled, nullptr);
  EXPECT_NEAR(*scaled->backtest, 1, 1e-9);
  EXPECT_NEAR(scaled->backtest_before.value_or(0), 1, 1e-9);
  EXPECT_NEAR(*scaled->known_s, 40.0 / 32, 1e-9);
  EXPECT_TRUE(line_of(five, Component::kComputation, Source::kCurves)->backtest_before);
  const Prediction four = lines_of({2, 4, 8, 16});
  EXPECT_FALSE(line_of(four, Component::kComputation, Source::kScaledTrace)->backtest_before);
}

// What cannot be had is an error only where it was asked for.
TEST(Predictor, SaysWhyNothingIsSimulated) {
  Evidence evidence;
  evidence.simulate = Simulate::kWherePossible;
  evidence.why_no_simulation = "there is no network";
  const Prediction p = predicted(evidence, 64);
  const SourceLine* simulation = line_of(p, Component::kCommunication, Source::kSimulation);
  ASSERT_NE(simulation, nullptr);
  EXPECT_FALSE(simulation->estimate);
  EXPECT_EQ(simulation->why, "there is no network");
}

}  // namespace
}  // namespace scalediag::predict
