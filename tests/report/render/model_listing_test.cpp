#include "report/render/model_listing.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "fit/curves/fit.h"
#include "fit/data/measurement_set.h"

namespace scalediag::report {
namespace {

ModelListing listing() {
  fit::SeriesBuilder builder({"p"});
  for (const double p : {4.0, 8.0, 16.0, 32.0, 64.0}) {
    builder.add("main->solve_all", "time", std::vector{p}, std::vector{100 / p}, "");
  }
  const fit::MeasurementSet set = std::move(builder).finish();
  return {"data", {{set.series[0].kernel, set.series[0].metric, fit::fit(set.series[0]).value()}}, {}};
}

TEST(ModelListing, LatexWritesPowersAndLogarithms) {
  EXPECT_EQ(latex_formula({{"1", 3.5}, {"p^-0.5", 1.2e-5}, {"log2(p)", 2}}),
            "3.5 + 1.2 \\cdot 10^{-5}\\, p^{-0.5} + 2\\, \\log_2(p)");
  EXPECT_EQ(latex_formula({{"p^(-2/3)", 7}}), "7\\, p^{-2/3}");
  EXPECT_EQ(latex_formula({}), "0");
}

TEST(ModelListing, TotalsStandBelowTheModels) {
  ModelListing all = listing();
  EXPECT_EQ(models_text(all).find("whole program"), std::string::npos);
  all.totals = {{{{"np", 64}}, {0.012, 0.01, 0.015}, {0.022, 0.02, 0.025}}};
  EXPECT_NE(
      models_text(all).find("\nwhole program at np=64: 12.000 ms (10.000 - 15.000) from MPI_Init to MPI_Finalize"),
      std::string::npos)
      << models_text(all);
  const auto json = nlohmann::json::parse(models_json(all).value());
  EXPECT_EQ(json["targets"][0]["at"]["np"], 64);
  EXPECT_EQ(json["targets"][0]["run_s"]["high"], 0.015);
  EXPECT_EQ(json["targets"][0]["total_s"]["value"], 0.022);
}

TEST(ModelListing, LatexEscapesNames) {
  const std::string text = models_latex(listing());
  EXPECT_NE(text.find("main-\\textgreater{}solve\\_all & time &"), std::string::npos) << text;
}

TEST(ModelListing, JsonTellsFormulaAlternativesAndBacktest) {
  const auto text = models_json(listing());
  ASSERT_TRUE(text.ok());
  const auto json = nlohmann::json::parse(text.value());
  EXPECT_EQ(json["schema"], "scalediag-models/1");
  const auto& model = json["models"][0];
  EXPECT_EQ(model["kernel"], "main->solve_all");
  EXPECT_EQ(model["points"], 5);
  EXPECT_FALSE(model["formula"].get<std::string>().empty());
  EXPECT_FALSE(model["alternatives"].empty());
  EXPECT_EQ(model["backtest"]["measured_largest"], 100 / 64.0);
}

TEST(ModelListing, TextNamesKernelMetricAndPoints) {
  const std::string text = models_text(listing());
  EXPECT_NE(text.find("main->solve_all, time\n"), std::string::npos);
  EXPECT_NE(text.find("5 points"), std::string::npos);
}

TEST(ModelListing, SaysWhatTheValueIs) {
  // 100/p without noise is its formula.
  const auto exact = nlohmann::json::parse(models_json(listing()).value())["models"][0]["value"];
  EXPECT_EQ(exact["is_formula"], true);
  EXPECT_TRUE(exact["note"].is_null());
  EXPECT_EQ(models_text(listing()).find("weighted median"), std::string::npos);
  // Up to 7 % beside that, in no order.
  fit::SeriesBuilder builder({"p"});
  for (const auto& [p, factor] : std::map<double, double>{{4, 1.07}, {8, 1.04}, {16, 0.94}, {32, 0.98}, {64, 1.05}}) {
    builder.add("f", "time", std::vector{p}, std::vector{100 / p * factor}, "");
  }
  const fit::MeasurementSet set = std::move(builder).finish();
  const ModelListing noisy = {"data", {{"f", "time", fit::fit(set.series[0]).value()}}, {}};
  const auto value = nlohmann::json::parse(models_json(noisy).value())["models"][0]["value"];
  EXPECT_EQ(value["is_formula"], false);
  EXPECT_GT(value["hypotheses"], 1);
  EXPECT_NE(models_text(noisy).find(value["note"].get<std::string>()), std::string::npos);
}

TEST(ModelListing, CountsAreToldByTheHypothesisThatPredictionsFollow) {
  // 20 messages of each process to the next; a single process has none.
  fit::SeriesBuilder builder({"np"});
  std::vector<fit::ScaledCount> counts;
  for (const double np : {1.0, 2.0, 4.0, 8.0}) {
    counts.push_back({np, np > 1 ? 20 * np : 0});
    builder.add("MPI_Sendrecv", "calls", std::vector{np}, std::vector{counts.back().count}, "");
  }
  const fit::MeasurementSet set = std::move(builder).finish();
  const auto model = fit::fit(set.series[0]);
  ASSERT_TRUE(model) << model.error().message;
  ModelListing counted = {
      "data", {{"MPI_Sendrecv", "calls", model.value(), {fit::hypotheses_that_meet(counts), 4, false}}}, {}};
  EXPECT_NE(models_text(counted).find("  20 [messages, ring]\n  an exact formula that meets 4 points exactly"),
            std::string::npos)
      << models_text(counted);
  EXPECT_EQ(models_text(counted).find("too few points"), std::string::npos);
  counted.models[0].counts.variation = 0.0037;
  EXPECT_NE(models_text(counted).find("  a formula that meets 4 points within 0.37 %: what varies has an interval;"),
            std::string::npos)
      << models_text(counted);
  counted.models[0].counts.variation = 0;
  counted.models[0].counts.few_scales = true;
  EXPECT_NE(models_text(counted).find("too few points to be sure of it"), std::string::npos);
  const auto json = nlohmann::json::parse(models_json(counted).value())["models"][0];
  EXPECT_EQ(json["formula"], "20 [messages, ring]");
  EXPECT_EQ(json["count_hypotheses"][0]["coefficients"][0]["value"], 20);
  // Facts about the model, which no prediction uses, would be taken for facts about the hypothesis.
  EXPECT_TRUE(json["backtest"].is_null());
  EXPECT_TRUE(json["alternatives"].empty());
  EXPECT_NE(models_latex(counted).find("$20\\, [\\mbox{messages, ring}]$"), std::string::npos) << models_latex(counted);
}

TEST(ModelListing, NamesTheCoefficientsOfCommunication) {
  ModelListing all;
  all.communication["MPI_Bcast"] = {true, {1e-6, 2e-9, 3e-6}, 0.12, 5};
  all.communication["MPI_Send"] = {false, {2e-9, 3e-6}, 0, 2};  // two times do not check two coefficients
  EXPECT_EQ(models_text(all),
            "forms of Ding et al. for m calls of s bytes a rank, fitted to their times: T_p2p = m (a s + b), "
            "T_collective = m (a log2(P) + b s + c)\n"
            "  MPI_Bcast: a = 1e-06 s, b = 2e-09 s/byte, c = 3e-06 s; right within 12.0% (5 times)\n"
            "  MPI_Send: a = 2e-09 s/byte, b = 3e-06 s; not checked (2 times)\n");
  const auto text = models_json(all);
  ASSERT_TRUE(text);
  const auto json = nlohmann::json::parse(text.value());
  EXPECT_EQ(json["communication"][0]["form"], "m (a log2(P) + b s + c)");
  EXPECT_EQ(json["communication"][0]["c"], 3e-6);
  EXPECT_FALSE(json["communication"][1].contains("c"));
}

TEST(ModelListing, CurvesOfSeveralParametersHaveFormulas) {
  // A point that is 1 % off, at which no product of powers holds.
  fit::SeriesBuilder builder({"p", "n"});
  for (const double n : {10.0, 20.0, 40.0}) {
    for (const double p : {2.0, 4.0, 8.0, 16.0}) {
      builder.add("f", "time", std::vector{p, n}, std::vector{p == 2 && n == 10 ? 5.05 : n / p}, "");
    }
  }
  const fit::MeasurementSet set = std::move(builder).finish();
  const std::string text = models_text({"data", {{"f", "time", fit::fit(set.series[0]).value()}}, {}});
  EXPECT_EQ(text.find(": ,"), std::string::npos) << text;
  EXPECT_NE(text.find("curves along each parameter: 40 p^-1 at n = 40"), std::string::npos) << text;
  EXPECT_NE(text.find("the value follows measured curves"), std::string::npos) << text;
}

}  // namespace
}  // namespace scalediag::report
