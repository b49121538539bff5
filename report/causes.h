// Why a kernel of an application does not scale, from the metrics that were modelled with its time.
//
//   functions   nearly all of its time on one rank                                  serial part
//               the slowest rank falls slower than the mean rank does               imbalance
//               instructions per rank do not fall (grow, in weak scaling)           work does not shrink
//               instructions fall and time does not: stalls, or time an instruction memory stalls
//               not counted: time per rank stays (strong scaling)               work does not shrink
//               not counted: any other slope                                    none; the evidence says what to count
//   waiting     threads wait for others of their rank                               idle OpenMP threads
//   MPI         ranks wait for a serial kernel or for the slowest rank (wall clock) serial part, imbalance
//               bytes per rank stay while the number of messages does               message volume
//               the messages grow in number, or are short                           message count or latency
//               else                                                                none
#pragma once

#include <span>
#include <string>

#include "fit/application.h"
#include "report/findings.h"

namespace scalediag::report {

struct Cause {
  std::string name;      // of findings.h; empty when the metrics do not tell
  std::string evidence;  // one sentence
};

// Of a kernel that was judged not to scale up to `target` (in the order of the data's parameters).
Cause cause_of(const fit::ApplicationModel& application, const fit::KernelModel& kernel, std::span<const double> target,
               Scaling scaling);

}  // namespace scalediag::report
