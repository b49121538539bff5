// The state of a Model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/curves/curve_fit.h"
#include "fit/curves/preparation.h"
#include "fit/curves/regime.h"
#include "fit/curves/several_parameters.h"

namespace scalediag::fit::internal {

// The problem size D, where it was declared.
//
// Measured at one value, the work per process, D/P, stands for both parameters, as in Ding et al.: the estimate for a
// target (P', D') is that of the curve over P at the place of equal work per process, P' `measured` / D'. Measured at
// several values, models are over that place and D, since along equal work per process little changes where along equal
// processes much does.
struct ProblemSize {
  size_t dimension = 0;
  double measured = 0;  // the smallest value
};

// A metric that is 0 everywhere has neither `curve` nor `several`; any other series has one of them.
struct FittedSeries {
  std::vector<std::string> parameter_names;
  std::string metric;
  std::string kernel;
  double level = 0.9;
  Prepared data;

  size_t dimension = 0;  // the parameter that varies; with several, the processes where they vary, else the first one
  std::optional<CurveFit> curve;  // along `dimension`
  std::optional<SeveralParameters> several;

  std::optional<ProblemSize> size;
  bool superlinear = false;  // the curve falls faster than work can be divided among processes
};

// The value of the parameter `dimension` at which the estimate for `at` is taken.
inline double position(const FittedSeries& f, std::span<const double> at) {
  return f.size ? at[f.dimension] * f.size->measured / at[f.size->dimension] : at[f.dimension];
}

}  // namespace scalediag::fit::internal
