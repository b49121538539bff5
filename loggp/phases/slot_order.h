// The order of messages in opposite directions that no measured rank has both of.
//
// Along a side of two ranks each rank has a neighbour on one side only, so that nothing says in which order a rank
// between two others talks to them. A program treats the sides of its grid alike: the order is taken from a side along
// which it was seen.
#pragma once

#include <map>
#include <vector>

#include "loggp/phases/slot_equations.h"

namespace scalediag::loggp {

// Reorders the slots, and says so in SlotEquations::open; where no other side shows an order, it says that too.
void order_unseen_pairs(std::vector<Slot>& slots, std::map<int, SlotEquations>& equations, int target);

}  // namespace scalediag::loggp
