// Waiting for GPUs and communication between them, as traces have it and as it is simulated.
#include <gtest/gtest.h>

#include "loggp/collectives/gpu_algorithms.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/phases/scaled/scaled_program.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/simulator/simulator.h"
#include "loggp/traces/median_traces.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {
namespace {

// Two ranks compute 1 ms, wait 5 ms for their GPUs and sum 8000 B by NCCL.
std::vector<RankTrace> two_ranks() {
  std::vector<RankTrace> run(2);
  for (uint32_t r = 0; r < 2; ++r) {
    run[r].rank = r;
    run[r].size = 2;
    run[r].communicators = {{}};
    run[r].routines = {"cudaStreamSynchronize", "ncclAllReduce"};
    TraceEvent begins, wait, sum;
    begins.kind = trace::EventKind::kDeviceBegins;
    wait.kind = trace::EventKind::kDeviceWait;
    sum.kind = trace::EventKind::kCollective;
    sum.routine = 1;
    sum.collective = Collective::kAllreduce;
    sum.bytes = 8000;
    run[r].events = {begins, wait, sum};
    for (uint32_t event = 0; event < 3; ++event) {
      const uint64_t ns = event == 0 ? 1'000'000 : event == 1 ? 5'000'000 : 0;
      TraceStep& step = run[r].steps.emplace_back();
      step.event = event;
      step.before = {1, ns, ns, ns, 0};
    }
  }
  return run;
}

// The sum is 2 (P - 1) steps of 4000 B in a ring. A message takes 100 s and 0.1 s for each byte after the first. A
// factor of the CPUs changes the computation of 1 ms alone.
TEST(TraceProgram, WaitingForAGpuAndItsCommunication) {
  const std::vector<RankTrace> run = two_ranks();
  const auto program = TraceProgram::of(run);
  ASSERT_TRUE(program.ok());
  uint64_t position = 0;
  EXPECT_FALSE(is_device_wait(program.value().next(0, position)));
  const Op wait = program.value().next(0, position);
  EXPECT_TRUE(is_device_wait(wait));
  EXPECT_EQ(program.value().labels()[wait.label], "cudaStreamSynchronize");
  EXPECT_EQ(own_algorithm(program.value().next(0, position), 2), Algorithm::kRing);
  Segment parameters;
  parameters.gap_s_per_byte = 0.1;
  const Network network = uniform_network(parameters, 100);
  SimulationOptions twice;
  twice.compute_factor = 2;
  const auto simulated = simulate(program.value(), network, twice);
  ASSERT_TRUE(simulated.ok());
  EXPECT_NEAR(simulated.value().total_s, 2 * 0.001 + 0.005 + 2 * (100 + 3999 * 0.1), 1e-6);
}

// Of the 6 ms 1 is computation, and no factor of the CPUs stretches the others.
TEST(TraceProgram, WaitingForAGpuIsNoComputation) {
  std::vector<RankTrace> run = two_ranks();
  EXPECT_DOUBLE_EQ(computation_s(run[0]), 0.001);
  stretch_computations(run, 3);
  EXPECT_DOUBLE_EQ(computation_s(run[0]), 0.003);
  EXPECT_EQ(run[0].steps[1].before.total, 5'000'000u);
}

// The phases of the run, extended to four ranks: each computes 1 ms and waits 5 ms still when computation is doubled.
TEST(TraceProgram, ScaledWaitingForAGpuStays) {
  std::vector<std::vector<RankTrace>> runs;
  for (uint32_t ranks : {2u, 3u}) {
    runs.emplace_back();
    for (uint32_t r = 0; r < ranks; ++r) {
      RankTrace& trace = runs.back().emplace_back(two_ranks()[0]);
      trace.rank = r;
      trace.size = ranks;
    }
  }
  auto model = model_of(runs, 4);
  ASSERT_TRUE(model.ok());
  ScaledTraces traces(std::move(model.value()), 4);
  EXPECT_NEAR(mean_computation_s(traces), 0.001, 1e-8);
  for (const PhaseComputation& phase : measured_phases(traces.model())) {
    if (phase.phase == 1) {
      EXPECT_NEAR(phase.mean_s.at(3), 0.001, 1e-8);
    }
  }
  scale_to_total(traces);
  EXPECT_NEAR(mean_computation_s(traces), 0.001, 1e-8);
  traces.scale_computation(std::vector<double>(traces.classes().size(), 2.0));
  traces.set_rank_factors({2, 2, 2, 2});
  auto program = ScaledProgram::of(std::move(traces));
  ASSERT_TRUE(program.ok());
  double computes = 0, waits = 0;
  uint64_t position = 0;
  for (Op op = program.value().next(0, position); op.kind != OpKind::kEnd; op = program.value().next(0, position)) {
    if (op.kind == OpKind::kCompute) (is_device_wait(op) ? waits : computes) += op.seconds;
  }
  EXPECT_NEAR(computes, 0.004, 1e-8);
  EXPECT_NEAR(waits, 0.005, 1e-8);
}

// 1 ms of computation and 5 ms of waiting: factors of CPUs and of devices change one each, and both are told apart.
TEST(TraceProgram, SimulationsTellWaitingForAGpuFromComputation) {
  const auto program = TraceProgram::of(two_ranks());
  ASSERT_TRUE(program.ok());
  SimulationOptions options;
  options.compute_factor = 2;
  options.device_factor = 3;
  const auto simulated = simulate(program.value(), uniform_network(Segment(), 1e-6), options);
  ASSERT_TRUE(simulated.ok());
  EXPECT_NEAR(simulated.value().ranks[0].computation_s, 0.002, 1e-9);
  EXPECT_NEAR(simulated.value().ranks[0].device_wait_s, 0.015, 1e-9);
}

// Of parts below 2 KiB a double tree sums.
TEST(TraceProgram, GpuAlgorithmsAreChosenBySize) {
  EXPECT_EQ(gpu_algorithm(Collective::kAllreduce, 8, 8 * 2048), Algorithm::kRing);
  EXPECT_EQ(gpu_algorithm(Collective::kAllreduce, 8, 8 * 2048 - 1), Algorithm::kDoubleTree);
  EXPECT_EQ(gpu_algorithm(Collective::kAllgather, 8, 1), Algorithm::kRing);
  EXPECT_FALSE(gpu_algorithm(Collective::kAlltoall, 8, 1));
}

}  // namespace
}  // namespace scalediag::loggp
