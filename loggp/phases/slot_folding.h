// Folds what the recorder left unfolded in a rank's slots: rounds that differ only in what an all-to-all of different
// sizes sends, or, where tags turn, in their tags.
#pragma once

#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// Precondition: slots of one rank. `next_id` is the next Slot::id.
std::vector<Slot> folded(std::vector<Slot> slots, int& next_id, bool tags_turn);

}  // namespace scalediag::loggp
