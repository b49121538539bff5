// Messages between coarse levels along sides of the grid that were too short for them on all measured scales.
//
// Where a side has more ranks than take part in a coarse level, those give data to others (RelationKind::kCoarseGive)
// when the program goes on to the next finer level. Along a side that had no more ranks on any measured scale, and has
// at the target, the traces have no such messages. A program treats the sides of its grid alike: they are taken to be
// as along the side where they were seen, with the tags and in the order that the sides have elsewhere in the program.
#pragma once

#include <map>
#include <vector>

#include "loggp/phases/slot_equations.h"
#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// Says so in SlotEquations::open of the messages that were seen. `scales`: the measured numbers of ranks; `equations`:
// by Slot::id.
void tell_unseen_levels(const std::vector<Slot>& slots, const std::vector<int>& scales, int target,
                        std::map<int, SlotEquations>& equations);

// Adds those messages of `ranks`, with their equations.
void add_unseen_levels(std::vector<Slot>& slots, const std::vector<int>& scales, int ranks,
                       std::map<int, SlotEquations>& equations);

}  // namespace scalediag::loggp
