#include "report/findings/kernel_shares.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

// A kernel below this share of the predicted run is not named as a problem.
constexpr double kShareThatMatters = 0.02;

// A part of the run takes no longer than the run, whose parts are of the mean rank. What streams of a device do may.
void bound_by(const Estimate& run, KernelFinding& kernel) {
  Estimate& e = kernel.estimate;
  if (run.value > 0 && e.value > run.value) {
    kernel.formula.clear();
    kernel.formula_weight = 0;
    kernel.formula_note =
        "the value is the run's, of which it is a part; by itself it would come to " + core::time_text(e.value);
  }
  e.high = std::max(std::min(e.value, run.value), std::min(e.high, run.high));
  e.value = std::min(e.value, run.value);
  e.low = std::min(e.low, e.value);
}

}  // namespace

void add_shares(TargetFindings& target) {
  std::map<std::string, double> whole;
  double on_devices_s = 0;
  for (KernelFinding& kernel : target.kernels) {
    if (target.run_s && !overlaps_run(kernel)) bound_by(*target.run_s, kernel);
    if (overlaps_run(kernel)) on_devices_s += of_slowest(kernel).value;
    double& most = whole[kernel.metric];
    most = target.run_s ? target.run_s->value : std::max(most, of_slowest(kernel).value);
  }
  for (KernelFinding& kernel : target.kernels) {
    const double all = overlaps_run(kernel) ? on_devices_s : whole[kernel.metric];
    if (target.run_s && all > 0) kernel.share = std::min(1.0, of_slowest(kernel).value / all);
    kernel.matters = of_slowest(kernel).value >= kShareThatMatters * whole[kernel.metric];
  }
}

}  // namespace scalediag::report
