#include "fit/numerics/free_form.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace scalediag::fit {
namespace {

// (g' (J'J)^-1 g)^(1/2) with the relative derivatives J by a, b and c at 2 ... 32 and g at 256, worked out apart from
// this program: what the value there is known to where each point has a relative error of 1.
TEST(FreeForm, KnowsHowFarItsOwnErrorReaches) {
  const std::array scales = {2.0, 4.0, 8.0, 16.0, 32.0};
  const auto error = [&](FreeForm form, const std::function<double(double)>& of) {
    std::vector<double> values;
    for (const double x : scales) values.push_back(of(x));
    return fit_free_form(form, scales, values)->error_at(256);
  };
  EXPECT_NEAR(error(FreeForm::kPower, [](double p) { return std::pow(p, -1.2) + 0.5; }), 1.2652, 1e-3);
  EXPECT_NEAR(error(FreeForm::kPower, [](double p) { return 3 * std::pow(p, -0.7) + 0.2; }), 5.2043, 1e-3);
  EXPECT_NEAR(error(FreeForm::kExponentialOfInverse, [](double p) { return 0.5 * std::exp(6 / p); }), 1.2127, 1e-3);
}

}  // namespace
}  // namespace scalediag::fit
