#include "report/scaling_kind.h"

#include <algorithm>
#include <cstdio>

namespace scalediag::report {
namespace {

constexpr double kFalls = -0.5;         // an exponent below it falls with the processes
constexpr double kEnoughFalling = 0.2;  // share of the time that has to
constexpr double kGrows = 0.5;          // an exponent above it is neither a fixed problem's nor that of one a rank
constexpr double kLittle = 0.005;       // share of the time that is printed as 0 %

// A kernel may fall as its work is divided and rise again with what more processes cost, so that it does neither over
// all: up to its fastest scale, where that is the third or later, since a single step down may be a disturbed run.
std::span<const MeasuredScale> while_falling(std::span<const MeasuredScale> kernel) {
  // 0: no sample hit it there.
  const auto smaller = [](const MeasuredScale& a, const MeasuredScale& b) {
    return a.value > 0 && (!(b.value > 0) || a.value < b.value);
  };
  const auto fastest = static_cast<size_t>(std::min_element(kernel.begin(), kernel.end(), smaller) - kernel.begin());
  return fastest < 2 ? kernel : kernel.first(fastest + 1);
}

}  // namespace

ScalingKind recognise_scaling(std::span<const std::vector<MeasuredScale>> kernels) {
  if (kernels.empty()) {
    return {Scaling::kUnknown, "no function has times at two scales or more that could tell strong from weak scaling"};
  }
  const bool any = std::any_of(kernels.begin(), kernels.end(), [](const std::vector<MeasuredScale>& kernel) {
    return std::any_of(kernel.begin(), kernel.end(), [](const MeasuredScale& m) { return m.value > 0; });
  });
  if (!any) return {Scaling::kUnknown, "all values are 0"};
  double all = 0, falling = 0, growing = 0;
  for (const std::vector<MeasuredScale>& kernel : kernels) {
    const auto slope = slope_of(while_falling(kernel));
    if (!slope) continue;
    all += kernel.front().value;
    if (slope->exponent < kFalls) falling += kernel.front().value;
    if (slope->exponent > kGrows) growing += kernel.front().value;
  }
  if (!(all > 0)) return {Scaling::kUnknown, "too few scales were measured to tell strong from weak scaling"};
  if (growing > (1 - kLittle) * all) {
    return {Scaling::kUnknown, "no kernel's time falls or stays as processes are added"};
  }
  const double share = falling / all;
  char text[160];
  std::snprintf(text, sizeof text,
                "%.0f %% of the time at the smallest scale is in kernels that get faster with more processes",
                100 * share);
  return {share >= kEnoughFalling ? Scaling::kStrong : Scaling::kWeak, text};
}

ScalingKind scaling_of(std::span<const std::vector<MeasuredScale>> kernels, const std::optional<Scaling>& stated,
                       std::vector<std::string>& notes) {
  ScalingKind recognised = recognise_scaling(kernels);
  if (!stated) return recognised;
  if (recognised.scaling != Scaling::kUnknown && recognised.scaling != *stated) {
    notes.push_back(std::string("scaling is ") + name_of(*stated) + " as stated, but the measurements look " +
                    name_of(recognised.scaling) + ": " + recognised.reason +
                    "; efficiencies and verdicts hold only if the statement does");
  }
  return {*stated, "as stated"};
}

}  // namespace scalediag::report
