// Messages to, or from, all neighbours of a rank in an open grid, those across edges and corners too, in a row.
//
// Such a row has up to 26 messages, and as many as the rank has neighbours: 7 at a corner, 11 at an edge, 17 at a face
// of a box. Held against each other one by one, messages of ranks at different places look alike where sides have two
// ranks. As a whole the row says of each message which neighbour it is for: the grid is the one in which the partners
// of every rank are all its neighbours, and the order one that most rows obey.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "loggp/phases/slots.h"

namespace scalediag::loggp {

struct Neighbourhood {
  core::GridKind grid = core::GridKind::kSpaceFalling;
  // By (x + 1) + 3 (y + 1) + 9 (z + 1) of the step to a neighbour: its place in the order of all of them, from 1 on,
  // and the number in vocabulary() of the open step.
  std::array<int, 27> place = {};
  std::array<size_t, 27> relation = {};
};

// Nothing: some rank has no such row, or no rank tells it from messages to all other ranks, or across faces only; or
// most rows are in no order that is known.
std::optional<Neighbourhood> neighbourhood_of(const std::vector<const std::vector<RankTrace>*>& scales);

// Keeps the step of such messages and the waits for them as their only equation, and sets Slot::neighbour. Rows in
// another order, as of what is received from any source, are put into this one. Precondition: slots of one rank, as
// they were recorded.
void keep_neighbours(const Neighbourhood& neighbourhood, std::vector<Slot>& slots);

}  // namespace scalediag::loggp
