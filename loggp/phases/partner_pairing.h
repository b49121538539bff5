// Partners that the measured scales leave open because a side had two ranks: the next one and the one before are the
// same.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// Of messages in a row that may all go either way along a side, the first goes down and the next up; what is received
// is what is sent with the same tag, from the opposite side. `partners`: of vocabulary(), by Slot::id.
void pair_partners(const std::vector<Slot>& slots, std::map<int, std::optional<size_t>>& partners, int target);

}  // namespace scalediag::loggp
