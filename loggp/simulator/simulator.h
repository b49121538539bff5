// The simulation of a program on a network: the time at which each rank ends, and the parts of that time.
//
// Each rank has a clock. It goes on until it needs a message that has not been sent, or an agreement that has not been
// given; the rank that sends or gives it puts the waiting one on a stack of those that can go on. There is no queue of
// events except for large messages that share an adapter (shared_adapter.h), whose senders are in a queue by their next
// event, so that neither many ranks nor a busy receiver make an event more expensive. The order in which ranks are run
// changes neither the times at which messages are sent nor the receives that they match (MPI's matching order is that
// of each pair of ranks), with one exception: the order at a receiver's adapter. Messages that are awaited together
// pass in the order of their arrival, which is exact. Of messages that are awaited one after another, one that is
// awaited later but arrives while an earlier awaited one passes waits for it, and one that would have delayed it before
// does not. The adapter's total time is the same, so such a deviation is at most the passing time of the messages that
// are there at once.
//
// Wildcards have to be replaced in the program by the ranks and tags that were recorded.
#pragma once

#include "core/result.h"
#include "loggp/collectives/algorithm_choice.h"
#include "loggp/network/network.h"
#include "loggp/simulator/program.h"
#include "loggp/simulator/simulation.h"

namespace scalediag::loggp {

// Errors: an impossible parameter of the network (kInput) or of the options (kUsage), or a topology too small for that
// many ranks (kInput).
Status check_simulation(const Network& network, int ranks, const SimulationOptions& options);

// Errors: as check_simulation(); and (kInput) a deadlock, an operation that no rank answers, a message that no rank
// receives, a peer or root that does not exist, all named with rank, event and reason; the event is the operation's
// number in its rank, from 0.
Result<Simulation> simulate(const Program& program, const Network& network, const SimulationOptions& options = {});

}  // namespace scalediag::loggp
