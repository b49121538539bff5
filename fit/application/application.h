// The application model: the run time of a program at a scale nobody ran, as the sum of its kernels (Ding et al. 2018,
// Eq. 1; definitions in application_data.h):
//
//   T_run = sum over functions (T_comp + BF_mem T_mem) + T_openmp + BF_comm T_comm + T_wait + T_unattributed
//   T_app = T_run + T_others, what starting and ending takes
//
// BF_comm of this equation is that of a network. That of the source takes all that is no computation together,
//
//   BF_comm = (T_app - T_comp - T_others) / T_comm
//
// with T_comm of the source's forms (communication_cost.h), fitted to the measured times: 1 where ranks do nothing but
// compute and communicate and the forms meet what communication took.
//
// Each function is modelled by two methods, and the one that predicted the kernel's own largest scale better from the
// smaller ones is used:
//   time        its time directly
//   resources   instructions x (T_comp / instructions) + BF_mem x T_mem, each factor by its own model, T_mem as the sum
//               of its levels', T_L1 + T_L2 + T_LLC + T_memory. T_comp / instructions and BF_mem of a function that
//               show no trend beyond their noise (steady.h) are constant;
//               intervals hold what their models say as well, unless the time's own series excludes it
// A function below a two-thousandth of the time at every scale is modelled by its time directly, without that check.
// The measured time at that scale has an error of its own. Where the two methods differ by no more than that, resources
// are used if the model of the instructions held at least as well as that of the time did: counts repeat where times do
// not, so that noise makes no growth of a function whose instructions stay.
//
// An MPI operation is modelled likewise: its time directly, or its calls and bytes (count_model.h) with their cost by a
// CommunicationCost. With the CPU clock only the latter is meaningful: time in MPI then depends on how the machine
// shares its cores, waiting cannot be seen, and BF_comm is 1. T_wait then comes from the slowest rank: it is its
// computation over the mean by its own model, and at least the excess of a rank by those kernels of which it has more
// than the others, messages included. With the wall clock waiting is time in MPI, and communication is no less than the
// time that such a rank makes the others wait.
//
// An operation takes no less time than the fastest calls of all runs, times the smaller of two ratios: of its messages
// to theirs, and of its bytes to theirs (least_time() in communication_cost.h). Messages and bytes are counts, which
// follow exact formulas where times are noisy, so that no curve through times falls while they grow.
//
// On more ranks than were measured it takes no more time than at the largest scale times 5 times the quotient of the
// ranks and the larger ratio of calls or bytes (most_time() in the same file): linear algorithms and the waits of
// pipelines grow with the ranks, and nothing that is known grows faster.
//
// T_openmp, threads that wait for others of their rank, is modelled by its time directly.
//
// A kernel that was sampled n times a configuration is known to 1 / sqrt(n) at best, whether or not its points lie on a
// curve: its interval holds that error too.
//
// Computation is predicted as the sum of its kernels and, because errors of many small ones add up, from its measured
// sums directly as well. The mean of both is taken, each weighed by the inverse square of its error at the largest
// scale. Where they lie more than 10 % apart, as the sum of different trends does, the kernels count alone. So with
// errors beyond a few percent a kernel's time and the total may not add up to the last digit.
//
// The interval of a sum: errors of kernels are partly common (one machine, one procedure), so its half width lies half
// way between adding them up and adding their squares, in variance. It holds the direct model of the whole computation,
// and it is never narrower than the procedure's error at the largest measured scale.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/result.h"
#include "fit/application/application_data.h"
#include "fit/application/application_model.h"
#include "fit/application/communication_cost.h"
#include "fit/curves/fit.h"

namespace scalediag::fit {

struct ApplicationOptions {
  FitOptions fit;
  // By MPI operation: how many times the measured bytes it carries at a problem size that was not measured, where one
  // was. An operation that is named here costs what its calls and bytes say.
  std::map<std::string, double> volume_ratios;
  // The cost of MPI operations; null: the forms of Ding et al., fitted to what was measured.
  std::shared_ptr<const CommunicationCost> network;
  // The network that the profile was measured on, which BF_comm refers to; null: `network` is that one.
  std::shared_ptr<const CommunicationCost> measured_network;
};

// Errors (kInput): fewer than kScalesForTrend configurations (the hint names further runs).
core::Result<ApplicationModel> fit_application(ApplicationData data, const ApplicationOptions& options = {});

}  // namespace scalediag::fit
