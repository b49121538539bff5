#include "report/findings.h"

#include <limits>

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

const char* name_of(ScalingSource source) {
  switch (source) {
    case ScalingSource::kMeasured:
      return "measured";
    case ScalingSource::kOption:
      return "option";
    case ScalingSource::kProfile:
      return "profile";
    case ScalingSource::kArguments:
      return "arguments";
    case ScalingSource::kAssumed:
      return "assumed";
    case ScalingSource::kNone:
      break;
  }
  return "none";
}

int place_of(const KernelFinding& kernel) {
  return kernel.rank.value_or(kernel.rank_measured.value_or(std::numeric_limits<int>::max()));
}

std::string place_text(const KernelFinding& kernel) { return kernel.rank ? std::to_string(*kernel.rank) : "?"; }

std::string cause_text(const KernelFinding& kernel) {
  if (kernel.work_exponent) return kernel.cause + " as P^" + fixed(*kernel.work_exponent, 2);
  if (kernel.slowest_rank.empty() || (kernel.cause != kSerial && kernel.cause != kRooted)) return kernel.cause;
  return (kernel.cause == kSerial ? kernel.cause + ", " : std::string()) + kernel.slowest_rank + " alone";
}

const char* total_is(const Findings& findings) { return findings.totals_modelled ? "modelled" : "measured"; }

const char* origin_of_totals(const Findings& findings) {
  return findings.totals_modelled ? "modelled from runs" : "measured";
}

std::string text_of(const Point& point) {
  std::string text;
  for (const auto& [name, value] : point) text += (text.empty() ? "" : " ") + name + "=" + core::to_text(value);
  return text;
}

}  // namespace scalediag::report
