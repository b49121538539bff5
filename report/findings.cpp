#include "report/findings.h"

#include "core/numbers.h"
#include "report/quantities.h"

namespace scalediag::report {

const char* name_of(Scaling scaling) {
  switch (scaling) {
    case Scaling::kStrong:
      return "strong";
    case Scaling::kWeak:
      return "weak";
    case Scaling::kUnknown:
      break;
  }
  return "unknown";
}

std::string formula_note(double weight) {
  if (weight >= 1) return "";
  if (weight <= 0) return "the value follows measured curves; the formula only sums them up";
  return "the value is the weighted median of several laws; the formula is that of the likeliest, with a weight of " +
         percent(weight);
}

std::string text_of(const Point& point) {
  std::string text;
  for (const auto& [name, value] : point) text += (text.empty() ? "" : " ") + name + "=" + core::to_text(value);
  return text;
}

}  // namespace scalediag::report
