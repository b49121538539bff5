// Partners that the measured scales leave open because a side had two ranks: the next one and the one before are the
// same, and an exchange is as well.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// Of messages in a row that may all go either way along a side, the first goes down and the next up; what is received
// is what is sent with the same tag, from the opposite side. `partners`: of vocabulary(), by Slot::id.
void pair_partners(const std::vector<Slot>& slots, std::map<int, std::optional<size_t>>& partners, int target);

// Messages in a row with all bits of the rank exchanged, three or more, one after another, one send and one receive
// with each, are exchanges and no steps along sides of two ranks, along which programs mostly send both ways.
// Precondition: slots of one rank.
void keep_exchanges_of_butterflies(std::vector<Slot>& slots);

}  // namespace scalediag::loggp
