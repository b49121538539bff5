// The order of exchanges of which two ranks do different halves.
//
// Where one rank sends what another one receives, no event is of both, so that nothing says how the events of the one
// are among those of the other. Of several such exchanges in a row a third rank may send in the first and receive in
// the second, a fourth the other way round, as where coarse levels of a multigrid program hand data to the next finer
// one along one side after another. There is one order for all four if messages with the same tags are kept together.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// The ends of the exchanges between slots of `a` from a0 to a1 and those of `b` from b0 to b1, of which none is of
// both: what either has before an end stands before all that either has behind it. An exchange is messages with the
// same tags, and the waits behind them; none is before a loop, a collective, or messages whose tags come again after
// others. Empty: no tag is of both, or they are one exchange, or very many.
std::vector<std::pair<size_t, size_t>> ends_of_exchanges(const std::vector<Slot>& a, size_t a0, size_t a1,
                                                         const std::vector<Slot>& b, size_t b0, size_t b1);

}  // namespace scalediag::loggp
