// Folds what the recorder left unfolded in a rank's slots: rounds that differ only in their tags, or in what an
// all-to-all of different sizes sends.
#pragma once

#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// Precondition: slots of one rank. `next_id` is the next Slot::id.
std::vector<Slot> folded(std::vector<Slot> slots, int& next_id);

}  // namespace scalediag::loggp
