// The statements that a model makes: estimates, and the facts that justify them.
#pragma once

#include <string>
#include <vector>

#include "core/text/bounded.h"

namespace scalediag::fit {

// In the metric's unit; 0 <= low <= value <= high.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  double level = 0.9;
};

inline Estimate times(const Estimate& e, double factor) {
  return {e.value * factor, e.low * factor, e.high * factor, e.level};
}

using core::kNoValue;  // the factor between an interval's ends beyond which its value is none
inline bool is_no_value(const Estimate& e) { return e.high > kNoValue * e.low; }
// "2.5 times", "more than 100 times", "less than a hundredth of".
std::string factor_text(double factor);
// A relative error: "12.0%", or "a factor of more than 100".
std::string error_text(double relative);

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

// The relation of estimates to the formula. An estimate is the weighted median of many hypotheses, of each also as
// moved to the last measurement, so that no formula gives it; except where the measurements follow one hypothesis
// exactly.
struct ValueOfFormula {
  bool is_value = true;    // the formula gives the estimate's value, but for its printed digits
  std::string hypothesis;  // the hypothesis of the formula; empty: it is put together from several
  double weight = 1;       // that hypothesis's share in the value; 0: it has none
  int hypotheses = 1;      // members of the median; with several parameters measured curves
  // 1 where the formula gives the value, else `weight`.
  double trust() const { return is_value ? 1 : weight; }
  std::string text() const;  // for people; empty where the formula gives the value
};

// One hypothesis that was considered.
struct Alternative {
  std::string hypothesis;  // its name: "power", "logarithm", "Amdahl", ...
  std::string formula;     // with the fitted coefficients: "3.2 + 11.5 / p"; of several curves one after the other
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

// The place where the metric stops following its former trend: a kernel that falls into cache, another algorithm.
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

}  // namespace scalediag::fit
