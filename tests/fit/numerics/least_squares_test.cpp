// Outside truth: the certified values of NIST's Statistical Reference Datasets, https://www.itl.nist.gov/div898/strd,
// for the problems whose form models of scaling have: lines with and without intercept, polynomials, a power, and an
// exponential that approaches a constant. Six digits are required, of coefficients, their errors and the residual.
#include "fit/numerics/least_squares.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace scalediag::fit {
namespace {

constexpr double kDigits = 1e-6;

void expect_digits(double value, double certified, const char* what) {
  EXPECT_LE(std::abs(value - certified), kDigits * std::abs(certified)) << what << ": " << value << ", " << certified;
}

void expect_certified(const core::Result<LeastSquares>& fit, const std::vector<double>& coefficients,
                      const std::vector<double>& errors, double residual_sum) {
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  ASSERT_EQ(fit.value().coefficients.size(), coefficients.size());
  for (size_t i = 0; i < coefficients.size(); i++) {
    expect_digits(fit.value().coefficients[i], coefficients[i], "coefficient");
    expect_digits(fit.value().standard_errors[i], errors[i], "its error");
  }
  expect_digits(fit.value().residual_sum, residual_sum, "residual");
}

// Columns x^from ... x^to.
std::vector<std::vector<double>> powers(const std::vector<double>& x, int from, int to) {
  std::vector<std::vector<double>> columns;
  for (int e = from; e <= to; e++) {
    auto& column = columns.emplace_back();
    for (const double v : x) column.push_back(std::pow(v, e));
  }
  return columns;
}

TEST(NistLinear, Norris) {
  const std::vector<double> x = {0.2, 337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4,
                                 0.6, 775.5, 666.9, 338.0, 447.5, 11.6,  556.0, 228.1, 995.8, 887.6, 120.2, 0.3,
                                 0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};
  const std::vector<double> y = {0.1, 338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3,
                                 0.1, 778.1, 668.8, 339.3, 448.9, 10.8,  557.7, 228.3, 998.0, 888.8, 119.6, 0.3,
                                 0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
  expect_certified(linear_least_squares(powers(x, 0, 1), y), {-0.262323073774029, 1.00211681802045},
                   {0.232818234301152, 0.429796848199937e-03}, 26.6173985294224);
}

TEST(NistLinear, PontiusQuadraticWithSmallCurvature) {
  std::vector<double> x;
  for (int repeat = 0; repeat < 2; repeat++)
    for (int i = 1; i <= 20; i++) x.push_back(150000.0 * i);
  const std::vector<double> y = {.11019,  .21956,  .32949,  .43899,  .54803,  .65694,  .76562,  .87487,
                                 .98292,  1.09146, 1.20001, 1.30822, 1.41599, 1.52399, 1.63194, 1.73947,
                                 1.84646, 1.95392, 2.06128, 2.16844, .11052,  .22018,  .32939,  .43886,
                                 .54798,  .65739,  .76596,  .87474,  .98300,  1.09150, 1.20004, 1.30818,
                                 1.41613, 1.52408, 1.63159, 1.73965, 1.84696, 1.95445, 2.06177, 2.16829};
  expect_certified(linear_least_squares(powers(x, 0, 2), y),
                   {0.673565789473684e-03, 0.732059160401003e-06, -0.316081871345029e-14},
                   {0.107938612033077e-03, 0.157817399981659e-09, 0.486652849992036e-16}, 0.155761768796992e-05);
}

TEST(NistLinear, NoInt1ProportionalityWithoutIntercept) {
  std::vector<double> x, y;
  for (int i = 0; i <= 10; i++) {
    x.push_back(60 + i);
    y.push_back(130 + i);
  }
  expect_certified(linear_least_squares(powers(x, 1, 1), y), {2.07438016528926}, {0.165289256198347e-01},
                   127.272727272727);
}

// y = 1 + x + ... + x^5 exactly, so the residual is zero and only the coefficients can be compared.
TEST(NistLinear, Wampler1PolynomialOfFifthDegree) {
  std::vector<double> x, y;
  for (int i = 0; i <= 20; i++) {
    x.push_back(i);
    double sum = 0;
    for (int e = 0; e <= 5; e++) sum += std::pow(static_cast<double>(i), e);
    y.push_back(sum);
  }
  const auto fit = linear_least_squares(powers(x, 0, 5), y);
  ASSERT_TRUE(fit.ok());
  for (const double c : fit.value().coefficients) expect_digits(c, 1, "coefficient");
}

// From both of NIST's starting points.
void expect_nonlinear(const CurveFunction& f, const std::vector<double>& x, const std::vector<double>& y,
                      const std::array<std::array<double, 2>, 2>& starts, const std::vector<double>& coefficients,
                      const std::vector<double>& errors, double residual_sum) {
  for (const auto& start : starts)
    expect_certified(nonlinear_least_squares(f, x, y, start), coefficients, errors, residual_sum);
}

TEST(NistNonlinear, DanWoodPower) {
  const CurveFunction power = [](double x, std::span<const double> c, std::span<double> d) {
    d[0] = std::pow(x, c[1]);
    d[1] = c[0] * d[0] * std::log(x);
    return c[0] * d[0];
  };
  expect_nonlinear(power, {1.309, 1.471, 1.490, 1.565, 1.611, 1.680}, {2.138, 3.421, 3.597, 4.340, 4.882, 5.660},
                   {{{1, 5}, {0.7, 4}}}, {7.6886226176e-01, 3.8604055871}, {1.8281973860e-02, 5.1726610913e-02},
                   4.3173084083e-03);
}

// b1 (1 - exp(-b2 x)): an exponential and a constant.
double saturation(double x, std::span<const double> c, std::span<double> d) {
  const double decay = std::exp(-c[1] * x);
  d[0] = 1 - decay;
  d[1] = c[0] * x * decay;
  return c[0] * d[0];
}

const std::vector<double> kMisraX = {77.6,  114.9, 141.1, 190.8, 239.9, 289.0, 332.8,
                                     378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};
const std::vector<double> kMisraY = {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02,
                                     44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78};

TEST(NistNonlinear, Misra1aExponential) {
  expect_nonlinear(saturation, kMisraX, kMisraY, {{{500, 0.0001}, {250, 0.0005}}}, {2.3894212918e+02, 5.5015643181e-04},
                   {2.7070075241, 7.2668688436e-06}, 1.2455138894e-01);
}

TEST(NistNonlinear, BoxBodExponentialOfHighDifficulty) {
  expect_nonlinear(saturation, {1, 2, 3, 5, 7, 10}, {109, 149, 149, 191, 213, 224}, {{{1, 1}, {100, 0.75}}},
                   {2.1380940889e+02, 5.4723748542e-01}, {1.2354515176e+01, 1.0455993237e-01}, 1.1680088766e+03);
}

// b1 b2 x / (1 + b2 x): a speed-up that saturates, as Amdahl's does.
TEST(NistNonlinear, Misra1dSaturation) {
  const CurveFunction f = [](double x, std::span<const double> c, std::span<double> d) {
    const double below = 1 + c[1] * x;
    d[0] = c[1] * x / below;
    d[1] = c[0] * x / (below * below);
    return c[0] * d[0];
  };
  expect_nonlinear(f, kMisraX, kMisraY, {{{500, 0.0001}, {450, 0.0003}}}, {4.3736970754e+02, 3.0227324449e-04},
                   {3.6489174345, 2.9334354479e-06}, 5.6419295283e-02);
}

TEST(LeastSquares, RefusesWhatDoesNotDetermineTheCoefficients) {
  const std::vector<double> y = {1, 2, 3};
  const std::vector<std::vector<double>> same = {{1, 2, 3}, {2, 4, 6}};
  EXPECT_FALSE(linear_least_squares(same, y).ok());
  const std::vector<std::vector<double>> zero = {{1, 2, 3}, {0, 0, 0}};
  EXPECT_FALSE(linear_least_squares(zero, y).ok());
  const std::vector<std::vector<double>> wide = {{1}, {2}};
  EXPECT_FALSE(linear_least_squares(wide, std::vector<double>{1}).ok());
  const std::vector<std::vector<double>> ragged = {{1, 2}};
  EXPECT_FALSE(linear_least_squares(ragged, y).ok());
  const std::vector<std::vector<double>> nan = {{1, 2, std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_FALSE(linear_least_squares(nan, y).ok());
}

TEST(LeastSquares, NonlinearRefusesABadStartAndGivesUp) {
  const std::vector<double> x = {1, 2, 3};
  const std::vector<double> y = {1, 2, 3};
  const CurveFunction infinite = [](double, std::span<const double>, std::span<double> d) {
    d[0] = 1;
    return std::numeric_limits<double>::infinity();
  };
  EXPECT_FALSE(nonlinear_least_squares(infinite, x, y, std::vector<double>{1}).ok());
  EXPECT_FALSE(nonlinear_least_squares(saturation, x, y, std::vector<double>{}).ok());
  // A straight line is the limit of ever slower saturation: there is no best one.
  EXPECT_FALSE(nonlinear_least_squares(saturation, x, y, std::vector<double>{10, 0.1}, 50).ok());
}

}  // namespace
}  // namespace scalediag::fit
