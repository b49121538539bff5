#include "collector/launch/store/program_comparison.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

using Texts = std::vector<std::string>;

ProgramRun run_of(const std::string& name, const Texts& command, int np = 4) {
  ProgramRun run{name, {}, {np, {}}};
  run.experiment.command = command;
  run.experiment.executable = "/bin/" + command[0];
  run.experiment.executable_fingerprint = "100-00000001";
  run.experiment.working_directory = "/home/" + name;
  return run;
}

TEST(ProgramComparison, SameCommandsAreTheSame) {
  const auto found = compare_programs(run_of("a", {"app", "1"}), run_of("b", {"app", "1"}));
  EXPECT_EQ(found.other_program, "");
  EXPECT_EQ(found.other_arguments, "");
  EXPECT_EQ(found.doubts, Texts{});
}

TEST(ProgramComparison, OtherCommandsAreToldWithBoth) {
  EXPECT_EQ(compare_programs(run_of("a", {"app", "1"}), run_of("b", {"app", "2"})).other_arguments,
            "a is of `app 1`, and b of `app 2`");
  EXPECT_EQ(compare_programs(run_of("a", {"app", "1"}), run_of("b", {"app"})).other_arguments,
            "a is of `app 1`, and b of `app`");
  const auto found = compare_programs(run_of("a", {"app", "1"}), run_of("b", {"other", "1"}));
  EXPECT_EQ(found.other_program, "a is of `app 1`, and b of `other 1`");
  EXPECT_EQ(found.other_arguments, "");
}

TEST(ProgramComparison, PlaceholdersAreExpandedWhereTheirValuesAreKnown) {
  ProgramRun a = run_of("a", {"app", "{np}", "{grid}"});
  EXPECT_EQ(compare_programs(a, run_of("b", {"app", "4", "17"})).other_arguments, "");
  EXPECT_EQ(compare_programs(a, run_of("b", {"app", "5", "17"})).other_arguments,
            "a is of `app 4 {grid}`, and b of `app 5 17`");
  a.configuration.parameters["grid"] = 16;
  EXPECT_EQ(compare_programs(a, run_of("b", {"app", "4", "16"})).other_arguments, "");
  EXPECT_EQ(compare_programs(a, run_of("b", {"app", "4", "17"})).other_arguments,
            "a is of `app 4 16`, and b of `app 4 17`");
}

TEST(ProgramComparison, WordsAreExpandedWhereTheTableHasThem) {
  ProgramRun a = run_of("a", {"app", "{cells}", "x"});
  a.experiment.words["cells"] = "4:2 2";
  EXPECT_EQ(compare_programs(a, run_of("b", {"app", "2", "2", "x"})).other_arguments, "");
  EXPECT_EQ(compare_programs(a, run_of("b", {"app", "2", "1", "x"})).other_arguments,
            "a is of `app 2 2 x`, and b of `app 2 1 x`");
  a.configuration.np = 8;
  EXPECT_EQ(compare_programs(a, run_of("b", {"app", "2", "1", "x"})).other_arguments, "");
}

TEST(ProgramComparison, AWrapperAndItsProgramAreOne) {
  ProgramRun wrapped = run_of("a", {"run.sh", "4"}), direct = run_of("b", {"app", "-i", "2"});
  EXPECT_EQ(compare_programs(wrapped, direct).other_program, "a is of `run.sh 4`, and b of `app -i 2`");
  wrapped.experiment.program = "/opt/app";
  wrapped.experiment.program_fingerprint = direct.experiment.executable_fingerprint;
  const auto found = compare_programs(wrapped, direct);
  EXPECT_EQ(found.other_program, "");
  EXPECT_EQ(found.other_arguments, "");
  EXPECT_EQ(found.doubts, (Texts{"a is of app (started by `run.sh 4`), and b of `app -i 2`: whether it had the same "
                                 "arguments is not known"}));
  // What the wrapper will start is not known before it has run.
  const ProgramRun not_run = run_of("c", {"run.sh", "4"});
  EXPECT_EQ(compare_programs(wrapped, not_run).other_program, "");
  EXPECT_EQ(compare_programs(wrapped, not_run).doubts, Texts{});
  // Another program of the same starter is another one.
  ProgramRun other = not_run;
  other.experiment.program = "/opt/other";
  EXPECT_EQ(compare_programs(wrapped, other).other_program,
            "a is of app (started by `run.sh 4`), and c of other (started by `run.sh 4`)");
  direct.experiment.executable_fingerprint = "100-00000002";
  EXPECT_EQ(compare_programs(wrapped, direct).doubts.back(), "a and b are of different builds of app");
}

TEST(ProgramComparison, AnotherPathToTheSameFileIsNoOtherArgument) {
  EXPECT_EQ(compare_programs(run_of("a", {"app", "in"}), run_of("b", {"app", "../a/./in"})).other_arguments, "");
}

TEST(ProgramComparison, BuildsFilesAndStandardInputsAreDoubts) {
  ProgramRun a = run_of("a", {"app", "in"}), b = a;
  b.name = "b";
  b.experiment.executable_fingerprint = "100-00000002";
  a.experiment.input_files = {{"/home/a/in", "1"}, {"/home/a/out", core::kWrittenByApplication}, {"/home/a/a", "1"}};
  b.experiment.working_directory = "/home/b";
  b.experiment.input_files = {{"/home/b/in", "2"}, {"/home/b/out", "3"}, {"/home/b/b", "1"}};
  b.experiment.stdin_file = "/home/b/x";
  EXPECT_EQ(compare_programs(a, b).doubts,
            (Texts{"a and b are of different builds of app", "b was given a standard input, and a none",
                   "in had another content for a than for b"}));
}

}  // namespace
}  // namespace scalediag::launch
