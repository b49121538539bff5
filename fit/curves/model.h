// A model of one metric of one kernel, with the facts that justify it.
//
// A model is the weighted median of members: simple laws of scaling (fit/laws.h) that were each fitted to the
// observations (curve_fit.h). The weights come from how well each law predicts larger scales from smaller ones,
// on this series and, where several series of one program are fitted together, on its siblings; a law's fit to
// the points it was fitted to never counts. An estimate's interval holds the noise of the repeats, the members'
// disagreement, and the errors that the same procedure made at the scales it could be checked on.
//
// Estimates are finite and not negative for every finite configuration with positive parameters.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/observations.h"

namespace scalediag::fit {

// Index of the first of np, p, P, processes, ranks, nodes, cores, gpus among the names; none: none of them is.
std::optional<size_t> named_processes(const std::vector<std::string>& names);

struct FitOptions {
  // The parameter that is the number of processes; empty: named_processes(), else the first parameter.
  std::string processes;
  // The parameter that is the problem size D. Where it was measured at one value only, other sizes are estimated by
  // their work per process, D/P; where it was measured at several, models are over D/P and D. Empty: none.
  std::string size;
  // The share of true values that intervals are to hold; above 0, below 1.
  double level = 0.9;
  unsigned threads = 0;  // at most so many; 0: as many as there are cores. Models do not depend on it.
};

// In the metric's unit; 0 <= low <= value <= high.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  double level = 0.9;
};

enum class Trend { kDecreasing, kConstant, kGrowing };
const char* name_of(Trend trend);  // "decreasing", "constant", "growing"

// The trend of the metric in a parameter beyond the measurements, the others held.
struct Behaviour {
  Trend trend = Trend::kConstant;  // constant: |exponent| below 0.05
  double exponent = 0;  // d log(metric) / d log(parameter), between the largest measured scale and 4 times it
};

struct Coefficient {
  std::string term;  // "1", "p^-1", "log2(p)", "p^b" with the b that was found
  double value = 0;
};

// The relation of estimates to the formula. An estimate is the weighted median of many laws, of each also as moved to
// the last measurement, so that no formula gives it; except where the measurements follow one law exactly.
struct ValueOfFormula {
  bool is_value = true;  // the formula gives the estimate's value, but for its printed digits
  std::string law;       // the law of the formula; empty: it is put together from several
  double weight = 1;     // that law's share in the value; 0: it has none
  int laws = 1;          // members of the median; with several parameters measured curves
  // 1 where the formula gives the value, else `weight`.
  double trust() const { return is_value ? 1 : weight; }
  std::string text() const;  // for people; empty where the formula gives the value
};

// One law that was considered.
struct Alternative {
  std::string law;      // its name: "power", "logarithm", "Amdahl", ...
  std::string formula;  // with the fitted coefficients: "3.2 + 11.5 / p"; of several curves one after the other
  std::vector<Coefficient> coefficients;
  // Mean |log(predicted / measured)| when it predicted larger scales from smaller ones; of a product of powers in
  // several parameters, which is not checked, the root mean square of what it misses the points by.
  double backtest_error = 0;
  double weight = 0;   // its share in the model, 0 to 1; 0: rejected
  std::string reason;  // the reason for its rejection; empty for members
};

// The backtest of the procedure: its predictions of the largest scales when fitted without them.
struct Backtest {
  int predictions = 0;      // 0: too few scales to check anything; the rest is then 0
  double median_error = 0;  // |predicted - measured| / measured
  double mean_error = 0;
  // The largest measured scale from all smaller ones.
  double predicted_largest = 0;
  double measured_largest = 0;
};

// The place where the metric stops following its former law: a kernel that falls into cache, another algorithm.
struct RegimeChange {
  std::string parameter;
  double after = 0;        // the last scale of the old regime
  double before = 0;       // the first of the new one
  double factor = 1;       // measured / expected from the old regime, there
  bool confirmed = false;  // scales beyond it stay in the new regime; else it may be one bad run
};

// The measurement that would narrow the interval most for its cost.
struct NextRun {
  std::vector<double> at;  // in the order of parameter_names
  std::string reason;      // one sentence
};

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
  std::vector<Coefficient> coefficients() const;  // of formula()
  ValueOfFormula value_of_formula() const;        // of formula()
  std::vector<Alternative> alternatives() const;  // all laws considered, by falling weight, then rising error
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

// The number of distinct values of a parameter that is needed: below kScalesForTrend there is no model, below
// kScalesForCheck there is one whose trend could not be checked, which it says in notes().
constexpr int kScalesForTrend = 2;
constexpr int kScalesForCheck = 3;

// Fits one series. Errors: (kInput) no parameter; no observation with a usable value; only one configuration. (kUsage)
// a parameter that the options name and the series does not have.
core::Result<Model> fit(const Series& series, const FitOptions& options = {});

// Fits the series of one program together: those of equal metric and parameters learn from each other which laws
// predict well and how large errors are. Returns the models in the order of `series`. Deterministic.
std::vector<core::Result<Model>> fit_all(std::span<const Series> series, const FitOptions& options = {});
std::vector<core::Result<Model>> fit_all(std::span<const Series* const> series, const FitOptions& options = {});

}  // namespace scalediag::fit
