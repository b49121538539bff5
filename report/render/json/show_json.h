// The report of `scalediag show` for programs, schema scalediag-show/1.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"
#include "report/render/shown_profile.h"

namespace scalediag::report {

// Times in seconds, sizes in bytes; a value over ranks is {"sum", "mean", "min", "max"}.
//
//   runs            every run of the profile, complete or not, with all its kernels and operations. total_s,
//                   computation_s, openmp_waiting_s, gpu_s, communication_s, others_s and unattributed_s are means over
//                   ranks, and the last five add up to the first. calls and bytes of an operation are sums over ranks.
//                   cv is the coefficient of variation over the complete repeats of the configuration, null for fewer
//                   than two of them.
//   configurations  averages over complete repeats, whether they are stable, and the noisy kernels and operations
//   unmeasured      requested runs without complete data, with state and reason
//
// With `top` above 0, only that many kernels and operations of each run, the largest by time; kernels_left_out and
// mpi_left_out tell how many there are besides.
core::Result<std::string> show_json(const ShownProfile& input, size_t top = 0);

}  // namespace scalediag::report
