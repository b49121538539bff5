// Speed-up and efficiency over the number of processes, drawn without scripts: the predicted curve with its interval,
// the measured points on it.
#pragma once

#include <string>

#include "report/findings/findings.h"

namespace scalediag::report::html {

enum class CurveKind { kSpeedup, kEfficiency };

// An <svg> element. Precondition: the curve has at least two samples.
std::string curve_svg(const ScalingCurve& curve, CurveKind kind, double base_processes, bool weak);
// A legend of its lines and points, shown where scripts do not draw the chart.
std::string curve_key(const Findings& findings);

}  // namespace scalediag::report::html
