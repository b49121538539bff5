// A program as a GOAL schedule, the text that LogGOPSim's tools convert.
//
//   an operation     becomes
//   computation      a calc, in nanoseconds; what is rounded off is added to the next one
//   send, receive    the same; a blocking one is required by all that follows
//   Isend            a send that what follows requires to have begun
//   Irecv            above S_sync the same as a receive; up to it a receive at its wait, since the CPU of a GOAL
//                    schedule would receive such a message as soon as it is there, and not when it is waited for
//   wait             requirements of what follows
//   collective       the messages of its algorithm, as those above
//
// Tags are new numbers: the same tag of different communicators, and messages that follow one another with the same
// tag, would otherwise match in another order.
#pragma once

#include <functional>
#include <string_view>

#include "core/result.h"
#include "loggp/network/network.h"
#include "loggp/simulator/program.h"

namespace scalediag::loggp {

// `network` gives the algorithms of collectives, the time of reductions and S_sync. `write` gets the text piece by
// piece; memory does not grow with the length of the program. Errors (kInput): the network's algorithms, or a rank that
// is not in the communicator of its collective; other mistakes are left to the simulation.
Status write_goal(const Program& program, const Network& network, const std::function<void(std::string_view)>& write);

}  // namespace scalediag::loggp
