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

// The problem size, where it was declared. Measured at one value, x = D/P stands for both, as in Ding et al., and a
// target (P', D') is where the curve over P has the same work per process, at P' `measured` / D'. Measured at several,
// that place and D are what values are modelled over: along equal work per process little changes, where along equal
// processes much does.
struct ProblemSize {
  size_t dimension = 0;
  double measured = 0;  // the smallest value
};

struct FittedSeries {
  std::vector<std::string> parameter_names;
  std::string metric;
  std::string kernel;
  double level = 0.9;
  Prepared data;

  // One of three forms: a metric that is 0 everywhere (neither member below is set), a curve along `dimension`, or
  // several parameters.
  size_t dimension = 0;  // the parameter that varies; with several, the processes where they vary, else the first one
  std::optional<CurveFit> curve;
  std::optional<SeveralParameters> several;

  std::optional<ProblemSize> size;
  bool superlinear = false;  // the curve falls faster than work can be divided among processes
};

// Where along `dimension` the estimate for `at` lies.
inline double position(const FittedSeries& f, std::span<const double> at) {
  return f.size ? at[f.dimension] * f.size->measured / at[f.size->dimension] : at[f.dimension];
}

}  // namespace scalediag::fit::internal
