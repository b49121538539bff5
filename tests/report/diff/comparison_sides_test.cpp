#include "report/diff/comparison_sides.h"

#include <gtest/gtest.h>

#include "report/diff/comparison.h"
#include "report/diff/profile_comparison.h"
#include "report/render/json/comparison_json.h"
#include "report/render/text/comparison_text.h"
#include "tests/report/diff/compared_programs.h"

namespace scalediag::report {
namespace {

TEST(Comparison, OtherClocksAreRefused) {
  Program wall;
  wall.clock = core::Clock::kWall;
  const auto c =
      compare_profiles(Program{}.measure({4}, 2, 1), wall.measure({4}, 2, 1), {.path_a = "x", .path_b = "y"});
  ASSERT_FALSE(c.ok());
  EXPECT_EQ(c.error().message,
            "x was measured with the CPU clock and y with the wall clock: their seconds cannot be compared");
  EXPECT_EQ(c.error().hint.substr(0, 31), "`scalediag merge --clock cpu y`");
}

TEST(Comparison, WithoutACommonConfigurationIsRefused) {
  const auto c = compare_profiles(Program{}.measure({4}, 2, 1), Program{}.measure({8}, 2, 1));
  ASSERT_FALSE(c.ok());
  EXPECT_EQ(c.error().message, "no configuration was measured in both: A has np=4, B has np=8");
}

TEST(Comparison, OtherMachinesAreTold) {
  core::Profile a = Program{}.measure({4}, 2, 1), b = a;
  for (core::Run& run : a.runs) run.hosts = {"old"};
  for (core::Run& run : b.runs) run.hosts = {"new"};
  const Comparison c = compared(a, b);
  ASSERT_FALSE(c.notes.empty());
  EXPECT_EQ(c.notes.front().substr(0, 30), "machines differ: old; new. Dif");
}

TEST(Comparison, AMachineThatWasNotExaminedIsNotAnotherOne) {
  core::Profile a = Program{}.measure({4}, 2, 1), b = a;
  a.machine.emplace();
  a.machine->cpu = "AMD EPYC";
  EXPECT_TRUE(compared(a, b).differences.empty());
  b.machine.emplace();
  b.machine->cpu = "Intel Xeon";
  EXPECT_EQ(compared(a, b).differences.front().what, "machines");
}

// There are more hosts than are shown: all are compared, and those that the other side does not have are named.
TEST(Comparison, MachinesOfManyHostsAreComparedByAllOfThem) {
  core::Profile a = Program{}.measure({4}, 2, 1), b = a;
  for (core::Run& run : a.runs) run.hosts = {"n1", "n2", "n3", "n4", "n5", "n6"};
  for (core::Run& run : b.runs) run.hosts = {"n1", "n2", "n3", "n4", "n7", "n8"};
  const std::string expected = "machines differ: n5, n6 and 4 that both have; n7, n8 and 4 that both have.";
  const Comparison c = compared(a, b);
  ASSERT_FALSE(c.notes.empty());
  EXPECT_EQ(c.notes.front().substr(0, expected.size()), expected);
  EXPECT_EQ(c.a.machine, "n1, n2, n3, n4 and 2 more");
  EXPECT_TRUE(compared(a, a).differences.empty());
}

bool tells(const Comparison& c, const std::string& part) {
  for (const std::string& note : c.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(Comparison, EveryDifferenceBesidesTheTimesIsTold) {
  core::Profile a = Program{}.measure({4}, 2, 1), b = a;
  EXPECT_TRUE(compared(a, b).differences.empty());
  b.command = {"./synthetic", "--more"};
  for (core::Run& run : a.runs) {
    run.counters = "simulated";
    run.mpi_library = "Open MPI v4.1.4, package: somebody's";
    run.threads_max = 2;
  }
  for (core::Run& run : b.runs) run.mpi_library = "MPICH Version: 4.0.2";
  core::Experiment experiment_a, experiment_b;
  experiment_a.launcher = "mpirun -n {np} {command}";
  experiment_b.launcher = "srun -n {np} {command}";
  experiment_a.host.cores = experiment_b.host.cores = 2;
  experiment_a.stdin_file = "/in.lj";
  experiment_a.environment = {{"OMP_NUM_THREADS", "1"}, {"OMP_PLACES", "cores"}};
  experiment_b.environment = {{"OMP_NUM_THREADS", "2"}, {"OMP_PLACES", "cores"}};
  experiment_a.input_files = {{"/same", "1"}, {"/input", "100 bytes, 0000aaaa"}};
  experiment_b.input_files = {{"/same", "1"}, {"/input", "100 bytes, 0000bbbb"}, {"/more", "1"}};
  ComparisonOptions options;
  options.experiment_a = &experiment_a;
  options.experiment_b = &experiment_b;
  const Comparison c = compared(a, b, options);
  for (const char* note :
       {"command lines differ: ./synthetic; ./synthetic --more.",
        "MPI libraries differ: Open MPI v4.1.4; MPICH Version: 4.0.2", "counters differ: simulated; clock, time only",
        "threads at once in a rank differ: 2; 1", "launchers differ: mpirun -n {np} {command}; srun -n {np} {command}",
        "standard inputs differ: /in.lj; none", "values of OMP_NUM_THREADS differ: '1'; '2'",
        "contents of /input differ: 100 bytes, 0000aaaa; 100 bytes, 0000bbbb",
        "input files differ: none only in A; only in B /more"}) {
    EXPECT_TRUE(tells(c, note)) << note;
  }
  // The program is the same; so are its places and one of its files.
  EXPECT_EQ(c.differences.size(), 9u);
}

}  // namespace
}  // namespace scalediag::report
