// Operations of the ranks at one end of a side of the grid, followed by the same of the ranks at its other end.
//
// Where the side has two ranks or more, each rank has one of the two at most, so that the alignment of traces takes
// both for one operation of all ranks. Where the side has one rank, that is first and last and has both. So the
// measured scales together do tell them apart.
#pragma once

#include <vector>

#include "loggp/phases/absences.h"
#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// Divides what was seen between two such slots, where no equation of all ranks explains both and these two explain all
// that was seen: of the first ranks along a side, then of the last ones. `scales`: as they were settled.
void separate_ends(std::vector<Slot>& slots, const std::vector<Absences>& scales);

}  // namespace scalediag::loggp
