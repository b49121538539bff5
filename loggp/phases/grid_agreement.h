// Whether the steps of a program's messages are along the sides of one grid.
//
// Equations of different grids can agree on all measured numbers of ranks and contradict one another on a larger one:
// next to the neighbour behind a side of 4 ranks (4 x 4 x 4) there cannot be one that is 8 ranks away (8 x 8). Corners,
// edges and the inside would then be in numbers that no grid has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "loggp/phases/slot_equations.h"

namespace scalediag::loggp {

// A sentence, where the sides that messages go along fill the `largest` measured number of ranks and not the target;
// else empty: a program may talk along some sides only, or have two grids. `equations`: by Slot::id.
std::string grid_contradiction(const std::vector<Slot>& slots, const std::map<int, SlotEquations>& equations,
                               int largest, int target);

}  // namespace scalediag::loggp
