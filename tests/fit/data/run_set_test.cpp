#include "fit/data/runs/run_set.h"

#include <gtest/gtest.h>

#include "fit/data/runs/name_parameters.h"

namespace scalediag::fit {
namespace {

MeasuredRun run_of(const std::string& file, std::optional<double> processes, double time,
                   std::map<std::string, double> metadata = {}) {
  MeasuredRun run;
  run.file = file;
  run.processes = processes;
  run.metadata = std::move(metadata);
  run.add("main", kRunTime, time);
  return run;
}

bool has_note(const MeasurementSet& set, const std::string& text) {
  for (const std::string& note : set.notes) {
    if (note.find(text) != note.npos) return true;
  }
  return false;
}

TEST(NameParameters, FollowTheLayoutOfExtraP) {
  EXPECT_EQ(parameters_in_name("bt.p64.n2000.r1"), (NamedNumbers{{"p", 64}, {"n", 2000}}));
  EXPECT_EQ(parameters_in_name("mm.x1.5y2,5z3"), (NamedNumbers{{"x", 1.5}, {"y", 2.5}, {"z", 3}}));
  EXPECT_EQ(parameters_in_name("mm.x20,5.y20,5.z1,5.r1"), (NamedNumbers{{"x", 20.5}, {"y", 20.5}, {"z", 1.5}}));
  EXPECT_EQ(parameters_in_name("x10y1"), (NamedNumbers{{"x", 10}, {"y", 1}}));
  EXPECT_EQ(parameters_of_path("a/talp/app.np8.json"), (NamedNumbers{{"np", 8}}));
  EXPECT_EQ(parameters_of_path("a/talp/complete_2.json"), NamedNumbers{});
}

TEST(NameParameters, RepeatsDatesAndOtherNamesAreNone) {
  for (const char* name : {"run1", "scorep-20240101_1234_567", "profile", "27_cores", "mm.x1y1wrong", "results"}) {
    EXPECT_EQ(parameters_in_name(name), NamedNumbers{}) << name;
  }
}

TEST(RunSet, ProcessesOfTheFilesComeFirstAndEqualRunsAreRepeats) {
  auto set = set_of_runs({run_of("a", 4, 1), run_of("b", 8, 2), run_of("c", 8, 3)});
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, std::vector<std::string>{"np"});
  ASSERT_EQ(set.value().series.size(), 1u);
  ASSERT_EQ(set.value().series[0].observations.size(), 2u);
  EXPECT_EQ(set.value().series[0].observations[1].values, (std::vector<double>{2, 3}));
  EXPECT_EQ(set.value().origin, "3 runs at 2 configurations: np from the files, which name their ranks");
}

TEST(RunSet, NamesThatHoldTheProcessesAreNoOtherParameter) {
  auto set = set_of_runs({run_of("on 4/x", 4, 1), run_of("on 8/x", 8, 2)});
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, std::vector<std::string>{"np"});
}

TEST(RunSet, TheOrderOfParametersInNamesDoesNotMatter) {
  auto set = set_of_runs({run_of("a.p4n2.r1/x", {}, 1), run_of("a.n1p8.r1/x", {}, 2)});
  ASSERT_TRUE(set.ok()) << set.error().message;
  // In the order of the files' names, which begins with n1p8.
  EXPECT_EQ(set.value().parameter_names, (std::vector<std::string>{"n", "p"}));
  EXPECT_EQ(set.value().series[0].observations[0].at, (std::vector<double>{1, 8}));
  EXPECT_EQ(set.value().series[0].observations[1].at, (std::vector<double>{2, 4}));
}

TEST(RunSet, NamesOfSomeFilesAreNoParameters) {
  auto set = set_of_runs({run_of("O3/x", 4, 1), run_of("fast/x", 8, 2)});
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, std::vector<std::string>{"np"});
  EXPECT_TRUE(has_note(set.value(), "only some names of folders or files have parameters (O)"));
}

TEST(RunSet, NamesCountWhereFilesSayOtherwise) {
  auto set = set_of_runs({run_of("a.p4.r1/x", 4, 1), run_of("a.p8.r1/x", 4, 2)});
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, std::vector<std::string>{"p"});
  EXPECT_TRUE(has_note(set.value(), "a.p8.r1/x was written by 4 ranks, and its name says p = 8: names count"));
}

TEST(RunSet, MetadataThatVaryByThemselvesAreParameters) {
  const auto at = [](const char* file, double np, double size, double date) {
    return run_of(file, np, 1, {{"problem_size", size}, {"nodes_used", np / 2}, {"launchdate", date}, {"label", date}});
  };
  auto set = set_of_runs({at("a", 4, 10, 1), at("b", 8, 10, 2), at("c", 4, 20, 3), at("d", 8, 20, 4)});
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, (std::vector<std::string>{"np", "problem_size"}));
  EXPECT_TRUE(has_note(set.value(), "not told apart from it: nodes_used"));
  EXPECT_TRUE(has_note(set.value(), "another value in every run are left out: label"));
}

TEST(RunSet, TimesOfPathsAddUpToATotal) {
  MeasuredRun run = run_of("a.p4/x", 4, 2);
  run.add("main->solve", kRunTime, 3);
  run.add("main->solve", "visits", 7);
  auto set = set_of_runs({run});
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set.value().series.back().kernel, kWholeRun);
  EXPECT_EQ(set.value().series.back().observations[0].values, std::vector<double>{5});  // 2 + 3
}

TEST(RunSet, RunsThatNothingTellsApartAreRefused) {
  EXPECT_EQ(set_of_runs({run_of("a/x", {}, 1)}).error().message,
            "a/x tells neither its number of processes nor another parameter");
  EXPECT_EQ(set_of_runs({run_of("a/x", {}, 1), run_of("b/x", {}, 1)}).error().message,
            "a/x and the files beside it have no parameter that varies");
  EXPECT_EQ(set_of_runs({run_of("a.p4/x", {}, 1), run_of("a.n4/x", {}, 1)}).error().message,
            "a.p4/x: its name has the parameters p, that of a.n4/x has n");
  EXPECT_EQ(set_of_runs({run_of("a", 4, 1), run_of("b", {}, 1)}).error().message,
            "b does not tell its number of processes, which other files do");
}

}  // namespace
}  // namespace scalediag::fit
