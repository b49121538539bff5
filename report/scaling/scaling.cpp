#include "report/scaling/scaling.h"

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

}  // namespace scalediag::report
