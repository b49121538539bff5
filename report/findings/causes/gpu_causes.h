// The causes of what GPUs are about: the host's waiting for its device, and the device's own work.
#pragma once

#include <span>

#include "fit/application/application_model.h"
#include "report/findings/cause.h"
#include "report/scaling/scaling.h"

namespace scalediag::report {

// The cause for calls that a function makes of a GPU's library, by what it asks of its device, and by the devices'
// times where they are known. `at`: the largest measured configuration.
CauseFinding host_gpu_cause(const fit::ApplicationModel& application, const fit::KernelModel& kernel,
                            std::span<const double> at, Scaling scaling);

// The cause for a kernel on devices, or for copies in one direction. `at` as above.
CauseFinding device_cause(const fit::KernelModel& kernel, std::span<const double> at, Scaling scaling);

// The cause for an operation whose messages are it: devices that have nothing to do while MPI communicates come first.
// Returns `messages` where that is not known, or not so.
CauseFinding with_idle_devices(const fit::ApplicationModel& application, const CauseFinding& messages);

}  // namespace scalediag::report
