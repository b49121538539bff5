// The computation before each event of a program, from what was measured.
//
// Border ranks lack the events whose partner would be nobody, so that what they compute before several events of others
// is recorded before the next event that they have. It is divided among all of these as ranks that have them do.
#pragma once

#include <map>
#include <vector>

#include "loggp/phases/slot_equations.h"
#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// Sets SlotEquations::before_ns of all slots. `scales`: numbers of ranks, rising.
void settle_computations(const std::vector<Slot>& slots, const std::vector<int>& scales, core::GridKind grid,
                         std::map<int, SlotEquations>& equations);

}  // namespace scalediag::loggp
