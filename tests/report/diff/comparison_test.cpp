#include "report/diff/comparison.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report/diff/profile_comparison.h"
#include "report/render/json/comparison_json.h"
#include "report/render/text/comparison_text.h"
#include "tests/report/diff/compared_programs.h"

namespace scalediag::report {
namespace {

// "solve slower, halo faster", over all configurations.
std::string accused(const Comparison& comparison) {
  std::string all;
  for (const ComparedConfiguration& c : comparison.configurations) {
    for (const ComparedKernel& k : c.kernels) {
      if (k.time.change != Change::kSlower && k.time.change != Change::kFaster) continue;
      all += (all.empty() ? "" : ", ") + k.name + " " + name_of(k.time.change);
    }
  }
  return all;
}

TEST(Comparison, FindsThePlantedSlowdownAndAccusesNoOther) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Comparison c =
        compared(Program{}.measure({2, 4}, 5, seed), slower("halo", 0.1).measure({2, 4}, 5, 100 + seed));
    EXPECT_EQ(accused(c), "halo slower, halo slower") << seed;
    const ComparedValue& halo = kernel(c.configurations[0], "halo").time;
    EXPECT_NEAR(*halo.relative, 0.1, 0.02);
    EXPECT_LE(*halo.low, *halo.relative);
    EXPECT_GE(*halo.high, *halo.relative);
  }
}

TEST(Comparison, ChanceIsNotAccused) {
  // A wrong claim is allowed in 5 of 100 comparisons, and far fewer happen because of the tolerance.
  int accusations = 0;
  Program noisy;
  noisy.noise = 0.03;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    if (!accused(compared(noisy.measure({2, 4}, 3, seed), noisy.measure({2, 4}, 3, 1000 + seed))).empty())
      ++accusations;
  }
  EXPECT_LE(accusations, 5);
}

// Ten functions; all of a run are slower or faster together by `common`, as other programs or the frequency make them.
core::Profile measured_on_a_busy_machine(double common, double by, unsigned seed, double all = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  core::Profile profile = fit::SyntheticApplication{}.profile({});
  for (int r = 0; r < 6; ++r) {
    const double run = all * (1 + common * normal(random));
    fit::SyntheticApplication app;
    for (int k = 0; k < 10; ++k) {
      const double seconds = run * (1 + 0.005 * normal(random)) * (10 + k) * (k == 3 ? 1 + by : 1);
      app.kernels.push_back({"f" + std::to_string(k), [seconds](int np, int) { return seconds / np; }});
    }
    for (core::Run& each : app.profile({4}).runs) {
      each.repeat = r;
      profile.runs.push_back(std::move(each));
    }
  }
  return profile;
}

TEST(Comparison, FunctionsAreComparedWithTheOthersOfTheirRuns) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Comparison c =
        compared(measured_on_a_busy_machine(0.08, 0, seed), measured_on_a_busy_machine(0.08, 0.1, 50 + seed));
    const ComparedValue& changed = kernel(c.configurations[0], "f3").time;
    EXPECT_NEAR(*changed.against_others, 0.1, 0.02);
    // Its seconds have to agree, which chance of 8 % may reverse.
    const std::string found = accused(c);
    EXPECT_TRUE(found == "f3 slower" || (found.empty() && *changed.relative < 0.02)) << found << ", seed " << seed;
  }
}

TEST(Comparison, WhatMostFunctionsHaveInCommonIsANoteAndNoAccusation) {
  const Comparison c = compared(measured_on_a_busy_machine(0.01, 0, 1), measured_on_a_busy_machine(0.01, 0, 2, 1.2));
  EXPECT_EQ(accused(c), "");
  EXPECT_EQ(c.configurations[0].computation.change, Change::kSlower);
  bool told = false;
  for (const std::string& note : c.notes) told = told || note.find("most functions took about") != std::string::npos;
  EXPECT_TRUE(told);
}

TEST(Comparison, WhatGotFasterIsFaster) {
  EXPECT_EQ(accused(compared(Program{}.measure({4}, 5, 1), slower("solve", -0.2).measure({4}, 5, 2))), "solve faster");
}

TEST(Comparison, UnchangedIsOnlySaidWithTheWholeInterval) {
  const Comparison quiet = compared(Program{}.measure({4}, 5, 1), Program{}.measure({4}, 5, 2));
  EXPECT_EQ(kernel(quiet.configurations[0], "solve").time.change, Change::kUnchanged);
  Program noisy;
  noisy.noise = 0.2;
  const Comparison loud = compared(noisy.measure({4}, 3, 1), noisy.measure({4}, 3, 2));
  EXPECT_EQ(kernel(loud.configurations[0], "solve").time.change, Change::kUnknown);
}

TEST(Comparison, OneRunIsNeverSignificant) {
  const Comparison c = compared(Program{}.measure({4}, 1, 1), slower("halo", 1).measure({4}, 5, 2));
  EXPECT_EQ(accused(c), "");
  EXPECT_EQ(kernel(c.configurations[0], "halo").time.change, Change::kUnknown);
  EXPECT_FALSE(kernel(c.configurations[0], "halo").time.low);
  ASSERT_FALSE(c.notes.empty());
  EXPECT_NE(c.notes.front().find("one run on a side at np=4"), std::string::npos) << c.notes.front();
  EXPECT_NE(comparison_text(c, {}).find("nothing can be told: a side has only one run at every configuration"),
            std::string::npos);
}

TEST(Comparison, KernelsAppearAndVanish) {
  const core::Profile a = Program{}.measure({4}, 4, 1);
  core::Profile b = Program{}.measure({4}, 4, 2);
  for (core::Run& run : b.runs) {
    for (core::Kernel& k : run.kernels) {
      if (k.name == "halo") k.name = "halo_packed";
    }
  }
  const Comparison c = compared(a, b);
  EXPECT_FALSE(kernel(c.configurations[0], "halo").in_b);
  EXPECT_FALSE(kernel(c.configurations[0], "halo_packed").in_a);
  EXPECT_EQ(kernel(c.configurations[0], "halo").time.change, Change::kFaster);
  EXPECT_EQ(kernel(c.configurations[0], "halo_packed").time.change, Change::kSlower);
  const std::string text = comparison_text(c, {});
  EXPECT_NE(text.find("new  halo_packed  "), std::string::npos) << text;
  EXPECT_NE(text.find("gone  halo  "), std::string::npos) << text;
}

// The sampler missed halo at one scale of each side, so that it is neither new nor gone.
TEST(Comparison, WhatIsSeenAtAnotherScaleIsNotNew) {
  core::Profile a = Program{}.measure({2, 4}, 4, 1), b = Program{}.measure({2, 4}, 4, 2);
  const auto without_halo = [](core::Profile& profile, int np) {
    for (core::Run& run : profile.runs) {
      if (run.np == np) std::erase_if(run.kernels, [](const core::Kernel& k) { return k.name == "halo"; });
    }
  };
  without_halo(a, 2);
  without_halo(b, 4);
  b.application = "other";
  for (core::Run& run : b.runs) {
    for (core::Kernel& k : run.kernels) k.module = "other";
  }
  const Comparison c = compared(a, b);
  for (const ComparedConfiguration& configuration : c.configurations) {
    const ComparedKernel& halo = kernel(configuration, "halo");
    EXPECT_TRUE(halo.in_a && halo.in_b);
    EXPECT_EQ(halo.module, "other");
  }
  EXPECT_EQ(kernel(c.configurations[0], "halo").time.change, Change::kSlower);
  EXPECT_EQ(kernel(c.configurations[1], "halo").time.change, Change::kFaster);
  const std::string text = comparison_text(c, {});
  EXPECT_NE(text.find("slower  halo  "), std::string::npos) << text;
  EXPECT_EQ(text.find("new  halo"), std::string::npos) << text;
  EXPECT_EQ(text.find("gone  halo"), std::string::npos) << text;
}

// A kernel that is too small to be judged is called so, whatever side it is on.
TEST(Comparison, TextAndJsonSayTheSameOfASmallFunctionOfOneSide) {
  const core::Profile a = Program{}.measure({4}, 4, 1);
  core::Profile b = Program{}.measure({4}, 4, 2);
  for (core::Run& run : b.runs) {
    core::Kernel small = run.kernels.front();
    small.name = "small";
    small.samples = 1;
    small.metrics["time_s"] = {4e-3, 1e-3, 1e-3, 1e-3, 0, 0};
    run.kernels.push_back(small);
  }
  const Comparison c = compared(a, b);
  EXPECT_FALSE(kernel(c.configurations[0], "small").in_a);
  EXPECT_EQ(kernel(c.configurations[0], "small").time.change, Change::kNotJudged);
  const std::string text = comparison_text(c, {});
  EXPECT_NE(text.find("not judged  small"), std::string::npos) << text;
  EXPECT_EQ(text.find("?"), std::string::npos) << text;
}

TEST(Comparison, RenamedProgramAndMovedLinesAreTheSameKernel) {
  const core::Profile a = Program{}.measure({4}, 3, 1);
  core::Profile b = Program{}.measure({4}, 3, 2);
  b.application = "synthetic-2";
  for (core::Run& run : b.runs) {
    for (core::Kernel& k : run.kernels) {
      k.module = "synthetic-2";
      k.file = "/new/place/program.c";
      k.line = 99;
    }
  }
  const Comparison c = compared(a, b);
  EXPECT_TRUE(kernel(c.configurations[0], "halo").in_a && kernel(c.configurations[0], "halo").in_b);
  EXPECT_EQ(accused(c), "");
}

TEST(Comparison, ThatProgramsDifferComesFirst) {
  const core::Profile a = Program{}.measure({4}, 3, 1);
  core::Profile b = a;
  EXPECT_EQ(comparison_text(compared(a, b), {}).find("programs differ"), std::string::npos);
  b.application = "other";
  b.command = {"./other"};
  const Comparison c = compared(a, b);
  const std::string headline = "programs differ: synthetic; other. Functions are matched by their names only";
  EXPECT_EQ(c.notes.front().substr(0, headline.size()), headline);
  const std::string text = comparison_text(c, {});
  EXPECT_EQ(text.substr(0, headline.size()), headline);
  EXPECT_EQ(text.find(headline, 1), std::string::npos) << "told twice";
}

TEST(Comparison, StaticFunctionsOfSeveralFilesStayApart) {
  const auto two_files = [](double first, double second) {
    core::Profile p = Program{}.measure({4}, 3, 1);
    for (core::Run& run : p.runs) {
      for (core::Kernel& k : run.kernels) {
        if (k.name != "solve" && k.name != "halo") continue;
        k.file = k.name == "solve" ? "/x/a.c" : "/x/b.c";
        for (auto& [name, value] : k.metrics) value.mean *= k.name == "solve" ? first : second;
        k.name = "init";
      }
    }
    return p;
  };
  const Comparison c = compared(two_files(1, 1), two_files(1, 1.5));
  EXPECT_EQ(accused(c), "init slower");
}

TEST(Comparison, MpiTimeOfTheCpuClockIsNotJudgedButItsCallsAre) {
  const core::Profile a = Program{}.measure({4}, 3, 1);
  core::Profile b = Program{}.measure({4}, 3, 2);
  for (core::Run& run : b.runs) {
    run.operations[0].time_s.mean += 5;
    run.operations[0].calls.sum *= 1.5;
  }
  const Comparison c = compared(a, b);
  EXPECT_EQ(kernel(c.configurations[0], "MPI_Allreduce").time.change, Change::kNotJudged);
  EXPECT_NEAR(*kernel(c.configurations[0], "MPI_Allreduce").calls, 0.5, 1e-12);
  EXPECT_EQ(*kernel(c.configurations[0], "MPI_Allreduce").bytes, 0);
}

// With two runs a side, 1 and 3 s and then 0.1 and 0.3 s, the interval of the difference exceeds the whole time.
TEST(Comparison, NoTimeFallsByMoreThanItself) {
  core::Profile a = Program{}.measure({4}, 2, 1), b = a;
  const auto set = [](core::Run& run, double total_s) {
    run.times.total_s = {4 * total_s, total_s, total_s, total_s, 0, 0};
  };
  set(a.runs[0], 1);
  set(a.runs[1], 3);
  set(b.runs[0], 0.1);
  set(b.runs[1], 0.3);
  const ComparedValue total = compared(a, b).configurations.front().total;
  EXPECT_NEAR(*total.relative, -0.9, 1e-9);
  // Half of it: a standard error of 1 s and some 12.6 (Student, one degree) of them.
  EXPECT_EQ(*total.low, -1);
  EXPECT_GT(*total.high, 0);
}

TEST(Comparison, FunctionsOfOneNameAreToldApart) {
  core::Profile a = Program{}.measure({4}, 2, 1);
  for (core::Run& run : a.runs) {
    run.kernels.push_back(run.kernels.front());
    run.kernels.front().file = "/src/one.c";
    run.kernels.back().file = "/src/two.c";
  }
  const std::string text = comparison_text(compared(a, a), {});
  EXPECT_NE(text.find(a.runs[0].kernels.front().name + " [one.c]"), std::string::npos) << text;
  EXPECT_NE(text.find(a.runs[0].kernels.front().name + " [two.c]"), std::string::npos) << text;
}

TEST(Comparison, WhenAllFunctionsGotSlowerTheMachineIsSuspected) {
  Program all;
  all.factor = [](const std::string&, int) { return 1.1; };
  const Comparison c = compared(Program{}.measure({4}, 5, 1), all.measure({4}, 5, 2));
  bool told = false;
  for (const std::string& note : c.notes) told = told || note.find("rather the machine") != std::string::npos;
  EXPECT_TRUE(told);
}

// `seconds` of a function that only these runs have, with `samples` a run.
core::Profile with_function(core::Profile profile, const std::string& name, double seconds, int samples) {
  for (core::Run& run : profile.runs) {
    core::Kernel extra = run.kernels.front();
    extra.name = name;
    extra.samples = static_cast<uint64_t>(samples);
    extra.metrics["time_s"] = {run.np * seconds, seconds, seconds, seconds, 0, 0};
    run.kernels.push_back(extra);
    run.times.total_s.sum += run.np * seconds;
    for (double* value : {&run.times.total_s.mean, &run.times.total_s.min, &run.times.total_s.max}) *value += seconds;
  }
  return profile;
}

// 10 s that were not there before, where the repeats vary so much that no time can be judged.
// Few rounds have other instructions than few others, which is nothing of the program.
TEST(Comparison, InstructionsOfFewRoundsAreNotCompared) {
  fit::SyntheticApplication app;
  app.kernels = {{"sweep", [](int np, int) { return 10.0 / np; }, [](int np) { return 1e10 / np; }}};
  const core::Profile whole = app.profile({2});
  core::Profile in_part = whole;
  in_part.runs.front().kernels.front().count_errors = {{"instructions", 1e8}};
  EXPECT_EQ(kernel(compared(whole, whole).configurations[0], "sweep").instructions, 0);
  EXPECT_EQ(kernel(compared(whole, in_part).configurations[0], "sweep").instructions, std::nullopt);
}

TEST(Comparison, ANewFunctionIsNamedFirstAndNothingIsClaimedOfTheRest) {
  Program noisy;
  noisy.noise = 0.3;
  const core::Profile a = noisy.measure({4}, 2, 1), b = noisy.measure({4}, 2, 2);
  const std::string text = comparison_text(compared(a, with_function(b, "extra", 10, 2500)), {});
  const size_t named = text.find("\nnew  extra  10.000 s at np=4\n");
  ASSERT_NE(named, std::string::npos) << text;
  // The total follows, although the repeats do not suffice to judge it.
  EXPECT_GT(text.find("  [total CPU time per rank]  +"), named) << text;
  EXPECT_NE(text.find("  [total CPU time per rank]  +"), std::string::npos) << text;
  EXPECT_EQ(text.find("no function changed"), std::string::npos) << text;
  EXPECT_NE(
      text.find("the repeats cannot tell of 4 other functions whether they changed by more than 2.0%; the largest "
                "differences: "),
      std::string::npos)
      << text;
  const std::string turned = comparison_text(compared(with_function(a, "extra", 10, 2500), b), {});
  EXPECT_NE(turned.find("\ngone  extra  10.000 s at np=4\n"), std::string::npos) << turned;
}

// Samples tell existence from chance, also where a single run tells nothing of times. Of 2 samples expected none come
// with a chance of e^-2 = 14 %.
TEST(Comparison, OneRunTellsWhatIsNewByItsSamples) {
  const core::Profile a = Program{}.measure({4}, 1, 1), b = Program{}.measure({4}, 1, 2);
  const std::string many = comparison_text(compared(a, with_function(b, "extra", 10, 2500)), {});
  EXPECT_NE(many.find("\nnew  extra  "), std::string::npos) << many;
  EXPECT_NE(many.find("nothing can be told of the others: a side has only one run"), std::string::npos) << many;
  const std::string few = comparison_text(compared(a, with_function(b, "extra", 10, 2)), {});
  EXPECT_NE(few.find("\nonly in B  extra  "), std::string::npos) << few;
}

TEST(Comparison, ThatNothingChangedIsOnlySaidWhereItCanBeTold) {
  Program quiet, noisy;
  quiet.noise = 0.0005;
  noisy.noise = 0.2;
  const std::string none = "no function changed by more than 2.0%\n";
  const std::string same = comparison_text(compared(quiet.measure({4}, 20, 1), quiet.measure({4}, 20, 2)), {});
  EXPECT_NE(same.find(none), std::string::npos) << same;
  const std::string loud = comparison_text(compared(noisy.measure({4}, 3, 1), noisy.measure({4}, 3, 2)), {});
  EXPECT_EQ(loud.find("no function changed"), std::string::npos) << loud;
  EXPECT_NE(loud.find("the repeats cannot tell of 4 of 4 functions whether they changed by more than 2.0%"),
            std::string::npos)
      << loud;
}

// The same for growth: an exponent's error of these runs is far below or far above 0.1.
TEST(Comparison, ThatNothingScalesOtherwiseIsOnlySaidWhereItCanBeTold) {
  Program noisy;
  noisy.noise = 0.5;
  const std::vector<int> scales = {2, 4, 8, 16};
  const std::string same =
      comparison_text(compared(Program{}.measure(scales, 5, 1), Program{}.measure(scales, 5, 2)), {});
  EXPECT_NE(same.find("no function scales otherwise than before\n"), std::string::npos) << same;
  const std::string loud = comparison_text(compared(noisy.measure(scales, 2, 1), noisy.measure(scales, 2, 2)), {});
  EXPECT_EQ(loud.find("no function scales otherwise"), std::string::npos) << loud;
  EXPECT_NE(loud.find("the runs cannot tell of "), std::string::npos) << loud;
}

TEST(Comparison, GrowthThatChangedIsNamed) {
  // halo no longer shrinks: P^-1 becomes P^0.
  Program flat;
  flat.factor = [](const std::string& name, int np) { return name == "halo" ? np / 2.0 : 1.0; };
  const Comparison c = compared(Program{}.measure({2, 4, 8, 16}, 3, 1), flat.measure({2, 4, 8, 16}, 3, 2));
  EXPECT_TRUE(c.growth_judged);
  ASSERT_FALSE(c.growth.empty());
  EXPECT_EQ(c.growth.front().name, "halo");
  EXPECT_NEAR(c.growth.front().a, -1, 0.02);
  EXPECT_NEAR(c.growth.front().b, 0, 0.02);
  EXPECT_FALSE(c.growth.front().formula_a.empty());
  for (const GrowthChange& g : c.growth) EXPECT_EQ(g.changed, g.name == "halo") << g.name;
  EXPECT_FALSE(compared(Program{}.measure({2, 4}, 3, 1), flat.measure({2, 4}, 3, 2)).growth_judged);
}

TEST(Comparison, JsonSaysWhatADifferenceMeans) {
  const core::Profile a = Program{}.measure({4}, 2, 1);
  core::Profile b = a;
  b.command = {"./synthetic", "--more"};
  for (core::Run& run : b.runs) run.mpi_library = "MPICH Version: 4.0.2";
  const auto json = nlohmann::json::parse(comparison_json(compared(a, b)).value());
  ASSERT_EQ(json["differences"].size(), 2u);
  EXPECT_EQ(json["differences"][0]["consequence"], "They may not have been asked to do the same work");
  EXPECT_TRUE(json["differences"][1]["consequence"].is_null());
}

// An interval is that of its own line; the verdict is adjusted for the other lines.
TEST(Comparison, TheLegendTellsIntervalsFromVerdicts) {
  const Comparison c = compared(Program{}.measure({4}, 3, 1), Program{}.measure({4}, 3, 2));
  const std::string text = comparison_text(c, {});
  EXPECT_NE(text.find("95% interval: of its line alone"), std::string::npos) << text;
  EXPECT_NE(text.find("is 5% for the totals and 5% for the kernels"), std::string::npos) << text;
  EXPECT_EQ(text.find("for what scales otherwise"), std::string::npos) << text;  // one scale
}

TEST(Comparison, JsonHasTheStableNames) {
  const auto text =
      comparison_json(compared(Program{}.measure({2, 4}, 3, 1), slower("halo", 0.2).measure({2, 4}, 3, 2)));
  ASSERT_TRUE(text.ok()) << text.error().message;
  const auto json = nlohmann::json::parse(text.value());
  EXPECT_EQ(json["schema"], "scalediag-diff/1");
  EXPECT_EQ(json["growth_judged"], false);  // two scales
  ASSERT_EQ(json["configurations"].size(), 2u);
  EXPECT_EQ(json["configurations"][0]["at"]["np"].dump(), "2");
  EXPECT_EQ(json["configurations"][0]["kernels"][0]["name"], "halo");
  EXPECT_EQ(json["configurations"][0]["kernels"][0]["change"], "slower");
  for (const char* name : {"a", "b", "difference", "relative", "low", "high", "p", "change"}) {
    EXPECT_TRUE(json["configurations"][0]["total_s"].contains(name)) << name;
  }
}

}  // namespace
}  // namespace scalediag::report
