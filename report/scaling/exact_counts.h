// Counts that repeat exactly, and show by themselves that a kernel does not scale: instructions, messages, bytes copied
// to and from devices, launches.
//
// Times of the same work vary, the more so those of hosts that wait. So where a count of a rank does not fall (strong
// scaling) or grows (weak scaling), times need not show it as well: judge_scaling() asks only that they do not fall as
// the work should.
#pragma once

#include <span>

#include "fit/application/application_model.h"
#include "report/scaling/scaling.h"

namespace scalediag::report {

// A launch that takes no longer than this in the mean costs about what it takes to launch it: some microseconds on the
// host, and some until the device begins.
constexpr double kShortLaunch_s = 100e-6;

// `at`: a configuration, of whose problem the counts are. `processes`: the index of that parameter in it.

// Whether a count of the mean rank stays above the limit of the kind of scaling over all measured scales, and over the
// last two of them.
bool count_stays(const fit::KernelModel& kernel, const char* metric, size_t processes, std::span<const double> at,
                 Scaling scaling);

// Whether the bytes copied stay and are more than a copy's latency is worth.
bool transfers_stay(const fit::KernelModel& kernel, size_t processes, std::span<const double> at, Scaling scaling);

// Whether ranks spend most of an MPI operation's time waiting for one another, by elapsed times: their messages say
// little of that time, and how long a wait is varies from call to call.
bool is_mostly_waiting(const fit::KernelData& kernel, size_t processes, std::span<const double> at);

// Whether exact counts show that the kernel does not scale, and are what its time is of.
bool counts_stay(const fit::KernelModel& kernel, size_t processes, std::span<const double> at, Scaling scaling);
// Whether times lean to the same over all measured scales, however much they vary.
bool times_lean(const fit::Series& times, size_t processes, std::span<const double> at, Scaling scaling);

}  // namespace scalediag::report
