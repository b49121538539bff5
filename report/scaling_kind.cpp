#include "report/scaling_kind.h"

#include <algorithm>
#include <cstdio>

namespace scalediag::report {
namespace {

constexpr double kFalls = -0.5;         // an exponent below it falls with the processes
constexpr double kEnoughFalling = 0.2;  // share of the time that has to

// A kernel may fall as its work is divided and rise again with what more processes cost, so that it does neither over
// all: up to its fastest scale, where that is the third or later, since a single step down may be a disturbed run.
std::span<const MeasuredScale> while_falling(std::span<const MeasuredScale> kernel) {
  const auto smaller = [](const MeasuredScale& a, const MeasuredScale& b) { return a.value < b.value; };
  const auto fastest = static_cast<size_t>(std::min_element(kernel.begin(), kernel.end(), smaller) - kernel.begin());
  return fastest < 2 ? kernel : kernel.first(fastest + 1);
}

}  // namespace

ScalingKind recognise_scaling(std::span<const std::vector<MeasuredScale>> kernels) {
  double all = 0, falling = 0;
  for (const std::vector<MeasuredScale>& kernel : kernels) {
    const auto slope = slope_of(while_falling(kernel));
    if (!slope) continue;
    all += kernel.front().value;
    if (slope->exponent < kFalls) falling += kernel.front().value;
  }
  if (!(all > 0)) return {Scaling::kUnknown, "too few scales were measured to tell strong from weak scaling"};
  const double share = falling / all;
  char text[160];
  std::snprintf(text, sizeof text,
                "%.0f %% of the time at the smallest scale is in kernels that get faster with more processes",
                100 * share);
  return {share >= kEnoughFalling ? Scaling::kStrong : Scaling::kWeak, text};
}

}  // namespace scalediag::report
