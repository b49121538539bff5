// A model of one metric of one kernel, with the facts that justify it.
//
// A model is the weighted median of members: simple hypotheses of scaling (fit/curves/hypotheses.h) that were each
// fitted to the observations (curve_fit.h). The weights come from how well each hypothesis predicts larger scales from
// smaller ones, on this series and, where several series of one program are fitted together, on its siblings; a
// hypothesis's fit to the points it was fitted to never counts. An estimate's interval holds the noise of the repeats,
// the members' disagreement, and the errors that the same procedure made at the scales it could be checked on.
//
// Estimates are finite and not negative for every finite configuration with positive parameters.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/curves/model_facts.h"

namespace scalediag::fit {

namespace internal {
struct FittedSeries;
}

// An immutable value; copies share the fit.
class Model {
 public:
  explicit Model(std::shared_ptr<const internal::FittedSeries> fitted);

  const std::vector<std::string>& parameter_names() const;
  const std::string& metric() const;
  const std::string& kernel() const;

  // Precondition: at.size() == parameter_names().size(), all positive and finite.
  Estimate evaluate(std::span<const double> at) const;
  // The estimate without its interval; cheaper.
  double value(std::span<const double> at) const;

  // The formula of the member with the largest weight. In several parameters the product of powers, which sums up the
  // trends; estimates follow measured curves where there are any (several_parameters.h).
  std::string formula() const;
  double formula_value(std::span<const double> at) const;  // what formula() comes to, which need not be the estimate
  std::vector<Coefficient> coefficients() const;           // of formula()
  ValueOfFormula value_of_formula() const;                 // of formula()
  std::vector<Alternative> alternatives() const;  // all hypotheses considered, by falling weight, then rising error
  int points() const;                             // distinct configurations used
  int values() const;                             // repeats used, over all of them
  double noise() const;                           // relative standard deviation of one repeat; 0 where there are none
  Behaviour behaviour(int parameter) const;       // index into parameter_names
  // Along the processes; with several parameters of the curve with the largest value that has one.
  std::optional<RegimeChange> regime_change() const;
  Backtest backtest() const;
  std::optional<NextRun> next_run() const;
  // Remarks that a reader has to know: values dropped, parameters that do not vary, trends that could not be checked.
  const std::vector<std::string>& notes() const;

 private:
  std::shared_ptr<const internal::FittedSeries> fitted_;
};

}  // namespace scalediag::fit
