#include "fit/curves/formula.h"

#include <cmath>

#include "core/text/numbers.h"
#include "fit/numerics/free_form.h"

namespace scalediag::fit {
namespace {

std::string power_of(const std::string& x, double exponent) {
  return x + "^" + (exponent == kSurfaceX.power ? "(-2/3)" : core::four_digits(exponent));
}

std::string text_of(const Term& term, double first, const std::string& x) {
  if (term.rate != 0) return "exp(-" + core::four_digits(term.rate / first) + " " + x + ")";
  const std::string power = term.power == 0 ? "" : term.power == 1 ? x : power_of(x, term.power);
  if (term.log_power == 0) return power;
  const double unit = log_unit(first);
  const std::string log = "log2(" + (unit == 1 ? "" : core::four_digits(unit) + " ") + x + ")";
  return power + (power.empty() ? "" : " ") + log + (term.log_power == 1 ? "" : "^" + std::to_string(term.log_power));
}

std::string text_of_free(const FittedHypothesis& f, const std::string& x) {
  const std::string b = core::four_digits(f.exponent);
  if (f.exponent == 0) return "log2(" + x + ")";
  if (static_cast<FreeForm>(f.choice) == FreeForm::kPower) return power_of(x, f.exponent);
  return "exp(" + b + (static_cast<FreeForm>(f.choice) == FreeForm::kExponential ? " " : " / ") + x + ")";
}

}  // namespace

std::vector<Coefficient> coefficients_of(const FittedHypothesis& f, const std::string& x) {
  const HypothesisRow::Kind kind = row_of(f.hypothesis).kind;
  if (kind == HypothesisRow::Kind::kLine)
    return {{f.hypothesis == Hypothesis::kLevel ? "1" : power_of(x, f.exponent), std::exp(f.c[0])}};
  std::vector<Coefficient> out;
  if (f.c[0] != 0) out.push_back({"1", f.c[0]});
  if (kind == HypothesisRow::Kind::kFree) {
    out.push_back({text_of_free(f, x), f.c[1]});
    return out;
  }
  for (size_t i = 0; i < kSums[f.choice].terms.size(); i++)
    if (f.c[i + 1] > 0) out.push_back({text_of(kSums[f.choice].terms[i], f.first, x), f.c[i + 1]});
  return out;
}

std::string text_of(const std::vector<Coefficient>& coefficients) {
  std::string text;
  for (const Coefficient& c : coefficients) {
    const bool first = text.empty();
    if (!first) text += c.value < 0 ? " - " : " + ";
    text += core::four_digits(first ? c.value : std::abs(c.value));
    if (c.term != "1") text += " " + c.term;
  }
  return text.empty() ? "0" : text;
}

std::string formula_of(const FittedHypothesis& f, const std::string& x) {
  std::string text = text_of(coefficients_of(f, x));
  if (f.hypothesis == Hypothesis::kDampedPower)
    text +=
        ", exponent " + core::four_digits(f.beyond) + " beyond " + x + " = " + core::four_digits(std::exp(f.log_last));
  return text;
}

}  // namespace scalediag::fit
