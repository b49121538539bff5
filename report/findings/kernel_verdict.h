// The verdict on one kernel, from its measured scales with their errors and from its counts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fit/application/application_model.h"
#include "report/findings/findings.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {

// True where ranks differ in the kernel for certain: the same rank is the slowest at all scales, or at each of the two
// largest scales some rank is beyond chance in every repeat. Else only the mean over ranks says how it scales.
bool ranks_differ(const fit::KernelData& kernel, size_t processes);

// A series along the processes, at the problem of `at` where that was measured, else at that of its largest scale. Each
// scale has its standard error, by samples and repeats.
struct SettledScales {
  std::vector<MeasuredScale> scales;  // behind the last change of `model`'s regime, where two or more lie behind it
  bool last_departs = false;          // only the last one lies behind it
};
SettledScales settled_scales(const fit::KernelData& kernel, const fit::Series& series, const fit::Model* model,
                             size_t processes, std::span<const double> at);

// The exponent over the measured scales of a series of the kernel; `at`: the largest measured configuration.
Slope measured_slope(const fit::KernelModel& kernel, const fit::Series& series, std::span<const double> at);
// "P^-0.25"
std::string with_exponent(double exponent);

// Whether the slowest rank's time falls more slowly than the mean one's, and that is why the kernel does not scale: the
// mean stays below `limit`, or is less than half of it. `at` as above.
bool is_imbalance(const fit::KernelModel& kernel, std::span<const double> at, double limit);

// Precondition: scaling is kStrong or kWeak.
ScalingVerdict kernel_verdict(const fit::ApplicationModel& application, const fit::KernelModel& kernel,
                              std::span<const double> at, Scaling scaling);

// Leaves kernels undecided whose evidence is too weak for the number of kernels judged (chance_allowed()).
void withdraw_weak_accusations(std::vector<KernelFinding>& kernels);

}  // namespace scalediag::report
