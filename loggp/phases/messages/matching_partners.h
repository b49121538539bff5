// Partners of separate sends and receives, chosen together: what a rank of the target sends has to be received there.
//
// The receives of a send are those that met it where they were measured: of the same list of slots, number of ranks,
// pair of ranks, tag and communicator, in their order. Sends and receives that met one another, directly or over
// others, are one group. Of the equations that the measured scales leave open to each of a group the simplest are taken
// with which every send of the target has its receive, and every receive its send.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

struct SlotPartners {
  std::optional<size_t> peer, source;  // of vocabulary()
};

// The equations of a set in the order of preference.
using PreferredRelations = std::function<std::vector<size_t>(const RelationSet&)>;

// Changes the partners of groups that would not match at `target`, where others do. `partners`: by Slot::id.
// Returns, by Slot::id, the slots of groups for which no match was found, each with the routines that it should match;
// of large groups, or with many equations, not all combinations are tried. Groups with a message that had no partner
// where it was measured are left as they are.
std::map<int, std::string> match_partners(const std::vector<Slot>& slots, const PreferredRelations& preferred,
                                          int target, std::map<int, SlotPartners>& partners);

}  // namespace scalediag::loggp
