#include "report/findings/places/path_callers.h"

#include <gtest/gtest.h>

namespace scalediag::report {
namespace {

KernelFinding path(const std::string& name, double value, double low, double high) {
  KernelFinding k;
  k.name = name;
  k.estimate = {value, low, high, 0.9};
  return k;
}

TEST(PathCallers, TakeAtLeastWhatTheyCall) {
  std::vector<KernelFinding> kernels = {path("main", 1, 0.5, 2), path("main->a", 3, 1, 4),
                                        path("main->a->b", 2, 1.5, 9), path("main->operator->", 0.5, 0.1, 1),
                                        path("main->operator->->c", 0.7, 0, 1)};
  lift_callers(kernels);
  // a has 3 s of its own curve, more than b's 2; operator-> has c's 0.7; main the sum of 3 and 0.7.
  EXPECT_DOUBLE_EQ(kernels[1].estimate.value, 3);
  EXPECT_EQ(kernels[1].formula_note, "");
  EXPECT_DOUBLE_EQ(kernels[1].estimate.low, 1.5);
  EXPECT_DOUBLE_EQ(kernels[1].estimate.high, 9);
  EXPECT_DOUBLE_EQ(kernels[3].estimate.value, 0.7);
  EXPECT_DOUBLE_EQ(kernels[0].estimate.value, 3.7);
  EXPECT_DOUBLE_EQ(kernels[0].estimate.low, 1.5);
  EXPECT_EQ(kernels[0].formula_weight, 0);
  EXPECT_NE(kernels[0].formula_note, "");
}

}  // namespace
}  // namespace scalediag::report
