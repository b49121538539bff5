#include "report/export.h"

#include <gtest/gtest.h>

#include "fit/readers/extrap_jsonl.h"
#include "synthetic_application.h"

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

}  // namespace
}  // namespace scalediag::report
