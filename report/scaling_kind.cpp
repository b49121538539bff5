#include "report/scaling_kind.h"

#include <cstdio>

namespace scalediag::report {
namespace {

constexpr double kFalls = -0.5;         // an exponent below it falls with the processes
constexpr double kEnoughFalling = 0.2;  // share of the time that has to

}  // namespace

ScalingKind recognise_scaling(std::span<const std::vector<MeasuredScale>> kernels) {
  double all = 0, falling = 0;
  for (const std::vector<MeasuredScale>& kernel : kernels) {
    const auto slope = slope_of(kernel);
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
