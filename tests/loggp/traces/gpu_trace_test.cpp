// Waiting for GPUs and communication between them, as traces have it and as it is simulated.
#include <gtest/gtest.h>

#include "loggp/collectives/gpu_algorithms.h"
#include "loggp/simulator/simulator.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {
namespace {

// Two ranks wait 5 ms for their GPUs and sum 8000 B by NCCL: 2 (P - 1) steps of 4000 B in a ring. A message takes
// 100 s and 0.1 s for each byte after the first. A factor of the CPUs changes the computation of 1 ms alone.
TEST(TraceProgram, WaitingForAGpuAndItsCommunication) {
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

// Of parts below 2 KiB a double tree sums.
TEST(TraceProgram, GpuAlgorithmsAreChosenBySize) {
  EXPECT_EQ(gpu_algorithm(Collective::kAllreduce, 8, 8 * 2048), Algorithm::kRing);
  EXPECT_EQ(gpu_algorithm(Collective::kAllreduce, 8, 8 * 2048 - 1), Algorithm::kDoubleTree);
  EXPECT_EQ(gpu_algorithm(Collective::kAllgather, 8, 1), Algorithm::kRing);
  EXPECT_FALSE(gpu_algorithm(Collective::kAlltoall, 8, 1));
}

}  // namespace
}  // namespace scalediag::loggp
