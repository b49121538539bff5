// The three models of Ding et al. 2018 as the paper has them, fitted exactly: power a x^b + c, logarithm a log2(x) + c
// and exponential a e^(b x) + c, with coefficients of either sign. Theirs are of the work per process x = D / P: along
// the processes the exponential is a e^(b / P) + c, where power and logarithm only change the sign of b and a.
//
// The paper's selection takes the one that predicts a held-out scale best. With as many coefficients as a usual series
// has points they follow its noise, and nothing keeps them positive. So the ensemble (curve_fit.h) takes one only where
// it meets all that is held out (free_hypothesis.h), and shows them for a comparison. FitOptions::models makes the
// paper's selection the estimate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/curves/hypotheses.h"
#include "fit/curves/model_facts.h"

namespace scalediag::fit {

enum class DingForm : uint8_t { kPower, kLogarithm, kExponential };

// a f(u) + c, where f(u) is u for a logarithm and e^(b u) else.
struct DingModel {
  DingForm form = DingForm::kPower;
  bool of_work = false;  // an exponential of 1 / x
  double unit = 1;       // scales are taken relative to this one, which keeps exponents of both kinds near 1
  double a = 0;
  double b = 0;
  double c = 0;
  // The value at the last scale when fitted to those before it. None: too few scales are before it.
  std::optional<double> held_out;

  const char* name() const;
  double value(double x) const;  // also negative or infinite
  std::vector<Coefficient> coefficients(const std::string& x) const;
  // |log(held_out / measured)|; at most that of a factor of 1000, as where it is negative. 0: not checked.
  double held_out_error(double measured) const;
};

// The models of the first `known` scales, by rising error at the last of them; those that could not be checked there
// come after them. Errors are relative, weighted as the values are. Models that could not be fitted are left out; empty
// for fewer than kScalesForCheck scales.
std::vector<DingModel> ding_models(const ScaleTable& scales, std::span<const double> values,
                                   std::span<const double> weights, size_t known);

// The value of the first model that has a positive, finite one at `x`. None: no model has.
std::optional<double> ding_value(std::span<const DingModel> models, double x);

// One of the models of all scales as a hypothesis that takes no part: `weight` is 0, and `reason` gives the value at
// the largest scale when fitted to the others.
Alternative ding_alternative(const DingModel& model, const ScaleTable& scales, double largest_value,
                             const std::string& x);

}  // namespace scalediag::fit
