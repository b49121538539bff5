// Folds what the recorder left unfolded in a rank's slots: rounds that differ only in what an all-to-all of different
// sizes sends, or, where messages turn, in their tags and bytes.
#pragma once

#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

// Loops of no more rounds than the longer side of the plane of ranks has, without loops inside, as their rounds: a loop
// over the layers of a box has rounds that differ, and the recorder has folded those that happen to be the same.
RankTrace with_short_loops_unrolled(RankTrace trace);

// Loops of two rounds without loops inside as their rounds: what happens at both ends of a side with one rank is no
// loop where the side has more.
RankTrace with_pairs_unrolled(RankTrace trace);

// Messages of rank 0 in a row and alike, sent to all other ranks in their order or received from them in any order,
// become one slot with kEachInTurn. Precondition: slots of one rank.
std::vector<Slot> with_turns_as_one(std::vector<Slot> slots);

// A loop whose rounds are interrupted by collectives now and then, as what converges and is checked is, was recorded as
// several loops with these between them. It becomes one, with the collectives behind it: their number is left, but not
// their places. Precondition: slots of one rank. `next_id` is the next Slot::id.
std::vector<Slot> with_interruptions_behind(std::vector<Slot> slots, int& next_id);

// Precondition: slots of one rank. `next_id` is the next Slot::id. `turns`: as of join().
std::vector<Slot> folded(std::vector<Slot> slots, int& next_id, bool turns);

}  // namespace scalediag::loggp
