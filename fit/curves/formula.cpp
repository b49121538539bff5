#include "fit/curves/formula.h"

#include <cmath>

#include "core/text/numbers.h"

namespace scalediag::fit {
namespace {

std::string log_of(const FittedHypothesis& f, const std::string& x) {
  return f.log_unit == 1 ? "log2(" + x + ")" : "log2(" + core::four_digits(f.log_unit) + " " + x + ")";
}

std::string power_of(const std::string& x, double exponent) { return x + "^" + core::four_digits(exponent); }

bool is_power(Hypothesis hypothesis) {
  return hypothesis == Hypothesis::kProportional || hypothesis == Hypothesis::kPower ||
         hypothesis == Hypothesis::kShrunkPower || hypothesis == Hypothesis::kDampedPower ||
         hypothesis == Hypothesis::kDrift;
}

}  // namespace

std::vector<Coefficient> coefficients_of(const FittedHypothesis& f, const std::string& x) {
  if (f.hypothesis == Hypothesis::kLevel) return {{"1", std::exp(f.c[0])}};
  if (is_power(f.hypothesis)) return {{power_of(x, f.exponent), std::exp(f.c[0])}};
  std::vector<Coefficient> out;
  if (f.hypothesis == Hypothesis::kFree) {
    if (f.c[0] != 0) out.push_back({"1", f.c[0]});
    const std::string b = core::four_digits(f.exponent);
    const auto form = static_cast<FreeForm>(f.searched);
    out.push_back({f.exponent == 0                  ? "log2(" + x + ")"
                   : form == FreeForm::kPower       ? power_of(x, f.exponent)
                   : form == FreeForm::kExponential ? "exp(" + b + " " + x + ")"
                                                    : "exp(" + b + " / " + x + ")",
                   f.c[1]});
    return out;
  }
  const auto add = [&out](std::string term, double value) {
    if (value > 0) out.push_back({std::move(term), value});
  };
  add("1", f.c[0]);
  switch (f.hypothesis) {
    case Hypothesis::kLogarithm:
      add(log_of(f, x), f.c[1]);
      break;
    case Hypothesis::kRoot:
      add(power_of(x, 0.5), f.c[1]);
      break;
    case Hypothesis::kLinear:
      add(x, f.c[1]);
      break;
    case Hypothesis::kAmdahl:
      add(power_of(x, -1), f.c[1]);
      break;
    case Hypothesis::kSurface:
      add(x + "^(-2/3)", f.c[1]);
      break;
    case Hypothesis::kHalf:
      add(power_of(x, -0.5), f.c[1]);
      break;
    case Hypothesis::kAmdahlLogarithm:
      add(power_of(x, -1), f.c[1]);
      add(log_of(f, x), f.c[2]);
      break;
    case Hypothesis::kAmdahlLinear:
      add(power_of(x, -1), f.c[1]);
      add(x, f.c[2]);
      break;
    case Hypothesis::kHalfLogarithm:
      add(power_of(x, -0.5), f.c[1]);
      add(log_of(f, x), f.c[2]);
      break;
    case Hypothesis::kPowerConstant:
      add(power_of(x, f.exponent), f.c[1]);
      break;
    case Hypothesis::kExponentialConstant:
      add("exp(-" + core::four_digits(f.exponent) + " " + x + ")", f.c[1]);
      break;
    case Hypothesis::kPowerLogarithm: {
      const std::string log = log_of(f, x) + (f.log_power == 2 ? "^2" : "");
      add(f.exponent == 0 ? log : power_of(x, f.exponent) + " " + log, f.c[1]);
      break;
    }
    default:
      break;
  }
  return out;
}

std::string formula_of(const FittedHypothesis& f, const std::string& x) {
  std::string text;
  for (const Coefficient& c : coefficients_of(f, x)) {
    const bool first = text.empty();
    if (!first) text += c.value < 0 ? " - " : " + ";
    text += core::four_digits(first ? c.value : std::abs(c.value));
    if (c.term != "1") text += " " + c.term;
  }
  if (f.hypothesis == Hypothesis::kDampedPower)
    text +=
        ", exponent " + core::four_digits(f.beyond) + " beyond " + x + " = " + core::four_digits(std::exp(f.log_last));
  return text.empty() ? "0" : text;
}

}  // namespace scalediag::fit
