// The causes of kernels of an application that do not scale, from the metrics that were modelled with their time.
//
//   functions   nearly all of its time on one rank                                  serial part
//               the mean rank's time scales and the slowest one's does not, or most
//               of that is beyond the mean and grows against it                     imbalance
//               instructions per rank do not fall                                   work does not shrink
//               instructions per rank grow                                          work grows
//               instructions fall and time does not: stalls, or time an instruction memory stalls
//               the same, and stalls of every kind were counted                     stalls of any kind
//               not counted: time per rank stays or grows (strong scaling)          as above
//               not counted: any other slope                                    none; the evidence says what to count
//   waiting     threads wait for others of their rank                               idle OpenMP threads
//   GPU, device (gpu_causes.h)
//               one device is busier than the others                               imbalance
//               bytes that the function copies do not fall, and it copies more than
//               it launches                                                        transfers do not shrink
//               launches do not fall, and each is short                            launches of short kernels
//               any other slope                                                    device work does not shrink
//   MPI         one rank sends or receives for all: many more messages than others  one rank alone
//               ranks wait for a serial kernel                                      serial part
//               ranks wait for messages of one rank for all                         one rank alone
//               ranks wait for the slowest rank's computation (wall clock)          imbalance
//               two thirds or more of the cost at `at` are a message's own          message count or latency
//               one third or less is                                                message volume
//               between the two                                                     message count and volume
//               one of these, and devices have nothing to do meanwhile              devices idle
//               it waits for nonblocking messages, by a simulation of its time
//                 two thirds or more are until these are sent                       late sender
//                 two thirds or more are until receivers of own ones are there      late receiver
//                 else, as above of these messages' cost on its network             message count, volume, both
//               the same, and nothing was simulated                                 none
#pragma once

#include <optional>
#include <span>
#include <string>

#include "fit/application/application_model.h"
#include "predict/sources/simulated_communication.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// True for an MPI operation of which one rank makes many more messages than the others.
bool is_rooted(const fit::KernelModel& kernel);

// The cause for a kernel that was judged not to scale. That of functions comes from the measured scales. That of
// messages is decided by their cost at `at` (in the order of the data's parameters): the largest of all targets, so
// that they have one cause, too. `simulated`: a simulation there, or of the largest measured scale; null: there is
// none.
CauseFinding cause_of(const fit::ApplicationModel& application, const fit::KernelModel& kernel,
                      std::span<const double> at, Scaling scaling,
                      const predict::SimulatedCommunication* simulated = nullptr);

}  // namespace scalediag::report
