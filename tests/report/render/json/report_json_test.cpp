#include "report/render/json/report_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/report/example_report.h"

namespace scalediag::report {
namespace {

TEST(ReportJson, HoldsTheFindingsNumbers) {
  const auto text = report_json(example_findings(), JsonLayout::kCompact);
  ASSERT_TRUE(text.ok());
  const auto json = nlohmann::json::parse(text.value());
  const TargetFindings& target = example_findings().targets[1];
  EXPECT_NEAR(json["targets"][1]["total_s"]["value"].get<double>(), target.total_s->value,
              1e-8 * target.total_s->value);
  ASSERT_EQ(json["kernels"].size(), target.kernels.size());
  for (size_t i = 0; i < target.kernels.size(); ++i) {
    const auto& kernel = json["kernels"][i];
    EXPECT_EQ(kernel["name"], target.kernels[i].name);
    EXPECT_EQ(kernel["targets"]["rank"][1], target.kernels[i].rank);
    EXPECT_EQ(kernel["formula_note"].is_null(), target.kernels[i].formula_note.empty()) << target.kernels[i].name;
    EXPECT_NEAR(kernel["targets"]["value"][1].get<double>(), target.kernels[i].estimate.value,
                1e-8 * target.kernels[i].estimate.value);
  }
  // Each column has the first target as well.
  for (const KernelFinding& k : example_findings().targets[0].kernels) {
    const auto same = std::find_if(json["kernels"].begin(), json["kernels"].end(),
                                   [&](const auto& kernel) { return kernel["name"] == k.name; });
    ASSERT_NE(same, json["kernels"].end()) << k.name;
    EXPECT_EQ((*same)["targets"]["rank"][0], k.rank) << k.name;
  }
}

TEST(ReportJson, NumbersOfProcessesAreWhole) {
  const auto text = report_json(example_findings(), JsonLayout::kCompact);
  ASSERT_TRUE(text.ok());
  const auto json = nlohmann::json::parse(text.value());
  EXPECT_EQ(json["curve"]["sweet_spot"]["examined"].dump(), "1024");
  EXPECT_EQ(json["total_is"], "modelled");
  EXPECT_EQ(json["clock_reason"], "ranks share cores");
}

}  // namespace
}  // namespace scalediag::report
