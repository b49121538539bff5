#include "cli/inputs/prediction.h"

#include <gtest/gtest.h>

namespace scalediag::cli {
namespace {

// MPI_Send carries 8 bytes a rank, a barrier nothing.
fit::ApplicationData messages() {
  fit::ApplicationData data;
  for (const auto& [name, bytes] : {std::pair("MPI_Send", 8.0), std::pair("MPI_Barrier", 0.0)}) {
    fit::KernelData& kernel = data.kernels.emplace_back();
    kernel.name = name;
    kernel.kind = fit::KernelKind::kMpi;
    kernel.series["bytes"] = {{"np", "x"}, "bytes", name, {{{2, 1}, {2 * bytes}}, {{4, 1}, {4 * bytes}}}};
  }
  return data;
}

std::vector<predict::Target> targets_of(const std::vector<std::vector<double>>& values) {
  std::vector<predict::Target> targets;
  for (const std::vector<double>& of : values) targets.emplace_back(std::vector<std::string>{"np", "x"}, of, 0);
  return targets;
}

const MeasuredParameters kOneSize = {{"np", "x"}, {{2, 4}, {1}}, 0, true};

PredictionRequest stating(const std::vector<std::string>& ratios) {
  PredictionRequest request;
  request.size = "x";
  request.volume_ratios = ratios;
  return request;
}

std::string refused(const PredictionRequest& request, const MeasuredParameters& measured = kOneSize) {
  fit::ApplicationOptions fitting;
  const core::Status status = set_volume_ratios(request, messages(), measured, fitting);
  return status ? "" : status.error().message + "; " + status.error().hint;
}

TEST(VolumeRatio, IsOfAnOperationThatCarriesBytes) {
  fit::ApplicationOptions fitting;
  ASSERT_TRUE(set_volume_ratios(stating({"MPI_Send=0.73"}), messages(), kOneSize, fitting));
  EXPECT_EQ(fitting.volume_ratios, (std::map<std::string, double>{{"MPI_Send", 0.73}}));
  EXPECT_EQ(refused(stating({"MPI_Barrier=2"})),
            "--volume-ratio MPI_Barrier=2: no such MPI operation carries bytes; the data have: MPI_Send");
  for (const char* wrong : {"MPI_Send", "MPI_Send=", "MPI_Send=0", "MPI_Send=-1", "MPI_Send=1,2", "MPI_Send=many"}) {
    EXPECT_NE(refused(stating({wrong})).find("expected OPERATION=RATIO"), std::string::npos) << wrong;
  }
}

TEST(VolumeRatio, IsOfOneProblemSizeThatWasNotMeasured) {
  PredictionRequest nameless = stating({"MPI_Send=2"});
  nameless.size.clear();
  EXPECT_NE(refused(nameless).find("--volume-ratio needs --size"), std::string::npos);
  EXPECT_NE(
      refused(stating({"MPI_Send=2"}), {{"np", "x"}, {{2, 4}, {1, 2}}, 0, true}).find("x was measured at several"),
      std::string::npos);
  const PredictionRequest request = stating({"MPI_Send=2"});
  EXPECT_TRUE(check_other_sizes(request, kOneSize, targets_of({{8, 1}, {8, 4}, {16, 4}})));
  EXPECT_FALSE(check_other_sizes(request, kOneSize, targets_of({{8, 2}, {8, 4}})));
  EXPECT_TRUE(check_other_sizes(stating({}), kOneSize, targets_of({{8, 2}, {8, 4}})));
}

TEST(ProblemSize, WhatWasMeasuredAtOneValueCannotBeAskedForAtAnother) {
  PredictionRequest nameless;
  const core::Status status = check_other_sizes(nameless, kOneSize, targets_of({{8, 4}}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "x=4: x was measured at 1 only, which does not tell what it changes");
  EXPECT_TRUE(check_other_sizes(nameless, kOneSize, targets_of({{8, 1}})));
  // Of two measured values a third one can be.
  EXPECT_TRUE(check_other_sizes(nameless, {{"np", "x"}, {{2, 4}, {1, 2}}, 0, true}, targets_of({{8, 4}})));
}

}  // namespace
}  // namespace scalediag::cli
