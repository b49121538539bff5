// Kernels and copies on devices in the runs of a profile, each with its series.
//
// Their times overlap the host's: [GPU wait] and computation go by meanwhile. So they are a metric of their own,
// "device_s", and no part of any total of the run.
#pragma once

#include <string>
#include <vector>

#include "fit/application/application_data.h"
#include "fit/profile/run_series.h"

namespace scalediag::fit {

// Named "[on GPU] KERNEL" and "[on GPU] copy DIRECTION". Kernels of which fewer than
// core::kTimedEnough of the calls were timed in a run are left out, with a note.
std::vector<KernelData> device_kernels(const RunSeries& runs, std::vector<std::string>& notes);

}  // namespace scalediag::fit
