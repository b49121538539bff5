#include "report/render/export.h"

#include <gtest/gtest.h>

#include "fit/application/application.h"
#include "fit/application/call_path_data.h"
#include "fit/data/caliper/caliper_json.h"
#include "fit/data/extrap_jsonl.h"
#include "fit/data/extrap_text.h"
#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "report/render/cali_json.h"
#include "report/render/text/predict_text.h"
#include "tests/fit/application/synthetic_application.h"

namespace scalediag::report {
namespace {

fit::SyntheticApplication exported_application() {
  fit::SyntheticApplication app;
  app.kernels = {{"f<int, char>", [](int np, int) { return 1.0 / np; }},
                 {"p::operator->()", [](int np, int) { return 2.0 / np; }}};
  app.operations = {
      {"MPI_Send", [](int np) { return 10.0 * np; }, [](int np) { return 80.0 * np; }, [](int) { return 1e-6; }}};
  return app;
}

const fit::Series* find(const fit::MeasurementSet& set, const std::string& kernel, const std::string& metric) {
  for (const fit::Series& series : set.series) {
    if (series.kernel == kernel && series.metric == metric) return &series;
  }
  return nullptr;
}

TEST(Export, JsonLinesReadBackAsTheyWere) {
  const fit::MeasurementSet set = measurements_of(exported_application().profile({2, 4}));
  const auto back = fit::parse_extrap_jsonl(extrap_jsonl(set), "back");
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back.value().series.size(), set.series.size());
  for (size_t i = 0; i < set.series.size(); ++i) {
    EXPECT_EQ(back.value().series[i].kernel, set.series[i].kernel);
    EXPECT_EQ(back.value().series[i].metric, set.series[i].metric);
    ASSERT_EQ(back.value().series[i].observations.size(), set.series[i].observations.size());
    for (size_t o = 0; o < set.series[i].observations.size(); ++o) {
      EXPECT_EQ(back.value().series[i].observations[o].values, set.series[i].observations[o].values);
    }
  }
}

TEST(Export, HoldsKernelsAndOperations) {
  const fit::MeasurementSet set = measurements_of(exported_application().profile({2, 4}));
  ASSERT_NE(find(set, "f<int, char>", "time_s"), nullptr);
  EXPECT_EQ(find(set, "f<int, char>", "time_s")->observations[1].values, (std::vector<double>{0.25}));
  ASSERT_NE(find(set, "MPI_Send", "bytes"), nullptr);
  EXPECT_EQ(find(set, "MPI_Send", "bytes")->observations[0].values, (std::vector<double>{160}));
  // An arrow in an operator's name is no call path.
  EXPECT_EQ(find(set, "p::operator->()", "time_s"), nullptr);
}

// Extra-P refuses series that lack a configuration.
TEST(Export, WhatARunDidNotSeeIsZeroWhereItMeasuredOthers) {
  core::Profile profile = exported_application().profile({2, 4});
  for (core::Run& run : profile.runs) {
    for (core::Kernel& kernel : run.kernels) kernel.metrics["cpu_s"].mean = 0.5;
  }
  for (core::Kernel& kernel : profile.runs[1].kernels) kernel.resources["reads"] = 3;
  std::erase_if(profile.runs[0].kernels, [](const core::Kernel& kernel) { return kernel.name == "f<int, char>"; });
  const fit::MeasurementSet set = measurements_of(profile);
  for (const char* metric : {"time_s", "cpu_s"}) {
    const fit::Series* series = find(set, "f<int, char>", metric);
    ASSERT_NE(series, nullptr) << metric;
    ASSERT_EQ(series->observations.size(), 2u) << metric;
    EXPECT_EQ(series->observations[0].values, (std::vector<double>{0})) << metric;
  }
  // No function of the first run has a number of reads: they were not counted there.
  ASSERT_NE(find(set, "f<int, char>", "reads"), nullptr);
  EXPECT_EQ(find(set, "f<int, char>", "reads")->observations.size(), 1u);
  EXPECT_EQ(incomplete_series(set), 2u);  // the reads of both functions
}

TEST(Export, KernelsOfEqualNameStayApart) {
  core::Profile profile = exported_application().profile({2, 4});
  for (core::Run& run : profile.runs) {
    run.kernels[1].name = run.kernels[0].name;
    run.kernels[1].module = "libother.so";
  }
  const fit::MeasurementSet set = measurements_of(profile);
  ASSERT_NE(find(set, "f<int, char> [synthetic]", "time_s"), nullptr);
  EXPECT_EQ(find(set, "f<int, char> [synthetic]", "time_s")->observations[0].values, (std::vector<double>{0.5}));
  ASSERT_NE(find(set, "f<int, char> [libother.so]", "time_s"), nullptr);
  EXPECT_EQ(find(set, "f<int, char> [libother.so]", "time_s")->observations[0].values, (std::vector<double>{1}));
}

TEST(Export, CsvQuotesWhatNeedsIt) {
  const std::string text = csv(measurements_of(exported_application().profile({2})));
  EXPECT_EQ(text.substr(0, text.find('\n')), "np,kernel,metric,repeat,value");
  EXPECT_NE(text.find("2,\"f<int, char>\",time_s,0,0.5\n"), std::string::npos) << text;
}

TEST(Export, ExtrapTextIsReadWithTheSameValues) {
  fit::MeasurementSet set;
  set.parameter_names = {"p", "n"};
  set.series = {{{"p", "n"}, "time", "main->solve", {{{8, 10}, {2, 3}}, {{4, 10}, {1}}}},
                {{"p", "n"}, "calls", "main", {{{4, 10}, {7}}}}};
  const std::string text = extrap_text(set);
  const auto back = fit::parse_extrap_text(text, "back");
  ASSERT_TRUE(back.ok()) << back.error().message << text;
  EXPECT_EQ(find(back.value(), "main->solve", "time")->observations[0].values, (std::vector<double>{1}));
  EXPECT_EQ(find(back.value(), "main->solve", "time")->observations[1].values, (std::vector<double>{2, 3}));
  EXPECT_EQ(find(back.value(), "main", "calls")->observations.size(), 1u);
}

// A file a configuration and repeat, with frames that have no values of their own between those that have.
TEST(Export, CaliperJsonIsReadWithTheSameValues) {
  fit::MeasurementSet set;
  set.parameter_names = {"p"};
  set.series = {{{"p"}, "time_s", "main->a->b", {{{4}, {1, 3}}, {{8}, {2}}}}, {{"p"}, "calls", "main", {{{4}, {7}}}}};
  const std::vector<NamedText> files = cali_json(set);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "p4.r0.json");
  EXPECT_EQ(files[1].name, "p4.r1.json");
  EXPECT_EQ(files[2].name, "p8.r0.json");
  const auto run = fit::read_caliper_json(files[0].text, "back");
  ASSERT_TRUE(run.ok()) << run.error().message << files[0].text;
  EXPECT_EQ(run.value().processes, 4);
  ASSERT_EQ(run.value().values().size(), 2u);
  EXPECT_EQ(run.value().values()[0].call_path, "main->a->b");
  EXPECT_EQ(run.value().values()[0].value, 1);
  EXPECT_EQ(run.value().values()[1].metric, "calls");
}

// A text that a spreadsheet would compute, or a terminal execute, stays text; numbers stay numbers.
TEST(Export, CsvCellsAreNoFormulas) {
  fit::MeasurementSet set;
  set.parameter_names = {"+p"};
  set.series = {{{"+p"}, "@m", "=1+2", {{{-4}, {-0.5}}}},
                {{"+p"}, "time", "-a,b\n\033[2J\xC2\x9B\xE4", {{{8}, {1e-9}}}}};
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(csv(set), "'+p,kernel,metric,repeat,value\n-4,'=1+2,'@m,0,-0.5\n8,\"'-a,b" + replaced + replaced + "[2J" +
                          replaced + replaced + "\",time,0,1e-09\n");
}

// 61 / P s of work, 0.02 P s of other work, which no sample met at 2 ranks, and 1000 messages of 10 us.
TEST(Export, IsPredictedAsTheProfileIs) {
  fit::SyntheticApplication app;
  app.kernels = {{"work", [](int np, int) { return 60.0 / np; }},
                 {"grows", [](int np, int) { return 0.02 * np; }},
                 {"system", [](int np, int) { return 1.0 / np; }}};
  app.operations = {
      {"MPI_Send", [](int np) { return 1000.0 * np; }, [](int np) { return 8e6 * np; }, [](int) { return 10e-6; }}};
  core::Profile profile = app.profile({2, 4, 8, 16, 32});
  for (core::Run& run : profile.runs) {
    // What ranks on shared cores burn in MPI is no measure of what their messages take.
    run.operations.front().time_s = {30.0 * run.np, 30, 30, 30, 0, 0};
    for (core::Kernel& kernel : run.kernels) kernel.resources["t_mem_s"] = 100;
  }
  std::erase_if(profile.runs.front().kernels, [](const core::Kernel& k) { return k.name == "grows"; });
  const auto back = fit::parse_extrap_jsonl(extrap_jsonl(measurements_of(profile)), "back");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(find(back.value(), "grows", "time_s")->observations.front().values, (std::vector<double>{0}));
  const auto of_call_paths = fit::fit_application(fit::application_data(back.value()));
  const Findings exported = application_findings(of_call_paths.value(), {{64}});

  auto data = fit::application_data(profile);
  ASSERT_TRUE(data.ok());
  const auto model = fit::fit_application(std::move(data).value());
  ASSERT_TRUE(model.ok());
  const Findings direct = application_findings(model.value(), {{64}});

  EXPECT_EQ(exported.scaling, direct.scaling);
  const auto of = [&](const char* kernel, const char* metric) {
    for (const KernelFinding& k : exported.targets.front().kernels) {
      if (k.name == kernel && k.metric == metric) return k;
    }
    ADD_FAILURE() << kernel << " " << metric;
    return exported.targets.front().kernels.front();
  };
  for (const auto& [metric, total] : {std::pair("run_s", direct.targets.front().run_s),
                                      std::pair("communication_s", direct.targets.front().communication_s)}) {
    const KernelFinding k = of(fit::kWholeProgram, metric);
    EXPECT_NEAR(k.estimate.value, total->value, 0.1 * total->value) << metric;
    EXPECT_FALSE(k.scales) << metric;
  }
  EXPECT_EQ(of("work", "t_mem_s").scales, std::nullopt);
  EXPECT_NEAR(of("MPI_Send", "time_s").estimate.value, 0.01, 1e-3);
  const std::string text = findings_text(exported, {});
  EXPECT_NE(text.find("At np=64 the run takes "), std::string::npos) << text;
  EXPECT_NE(text.find("exported from a profile"), std::string::npos) << text;
}

}  // namespace
}  // namespace scalediag::report
