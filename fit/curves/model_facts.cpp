#include "fit/curves/model_facts.h"

#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::fit {

std::string factor_text(double factor) {
  if (factor > kNoValue) return "more than " + core::to_text(kNoValue) + " times";
  if (factor * kNoValue < 1) return "less than a hundredth of";
  return core::four_digits(factor) + " times";
}

std::string error_text(double relative) {
  return relative + 1 > kNoValue ? "a factor of more than " + core::to_text(kNoValue) : core::percent(relative);
}

const char* name_of(Trend trend) {
  switch (trend) {
    case Trend::kDecreasing: return "decreasing";
    case Trend::kConstant: return "constant";
    case Trend::kGrowing: return "growing";
  }
  return "";
}

std::string ValueOfFormula::text() const {
  if (is_value) return "";
  if (hypothesis.empty() && weight > 0)
    return "the value is put together from weighted medians of several hypotheses; the formulas are those of the "
           "likeliest, " +
           ("with weights of " + core::spaced_percent(weight)) + " and more";
  if (hypothesis.empty()) return "the value follows measured curves of each factor; the formulas only sum them up";
  if (weight == 0) return "the value follows measured curves; the formula, a " + hypothesis + ", only sums them up";
  return "the value is the weighted median of " + std::to_string(hypotheses) +
         " hypotheses; the formula is that of the likeliest, " + hypothesis + ", with a weight of " +
         core::spaced_percent(weight);
}

}  // namespace scalediag::fit
