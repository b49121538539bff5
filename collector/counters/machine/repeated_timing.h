// Repeats of a measurement and their summary.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/experiment/machine.h"

namespace scalediag::counters {

double monotonic_s();   // elapsed time, from an arbitrary origin
double thread_cpu_s();  // CPU time of the calling thread

// Whether a thread that took `cpu_s` of CPU time in `elapsed_s` was on the CPU for all but 2 % of the time. A disturbed
// measurement does not show the machine.
bool was_undisturbed(double elapsed_s, double cpu_s);

// Whether `done` repeats that took `elapsed_s` in all suffice although more were asked for: five, and a second.
bool enough_repeats(size_t done, double elapsed_s);

// The median of the repeats, and as spread the distance of their quartiles over it; quartiles between two values are
// interpolated linearly. Precondition: at least one value.
core::MachineValue summarize_repeats(std::vector<double> values, const std::string& source);

// CPU time of `work` on this thread in seconds, `repeats` times. A disturbed repeat may have found other data in the
// caches and is repeated, up to three times as many in all; if too few are left then, all count, and the spread shows
// it.
std::vector<double> time_repeats(int repeats, const std::function<void()>& work);

}  // namespace scalediag::counters
