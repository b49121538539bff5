// Messages and waiting by direction of the grid that a program's ranks form, and what it would send and wait for in
// other grids of as many ranks.
//
// The grid is the one of all with P = a b c ranks, numbered along the first side first, between whose neighbours most
// messages between two ranks go; of several the one with the fewest sides. Neighbours differ by one step along one
// side, around its end, too. Waiting is for messages that were not sent yet; of a call that waits for several messages,
// each has the time since the one before it.
//
// In another grid the equations of a model say what ranks do (core::OtherGrid), as far as these are about the grid:
// partners are, and the bytes of faces.
#pragma once

#include <string>
#include <vector>

#include "core/equations/process_grid.h"
#include "core/result.h"
#include "loggp/network/network.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/simulator/program.h"

namespace scalediag::loggp {

// Messages that ranks receive from the neighbour one step (1 or -1) along a side; sums over ranks.
struct GridDirection {
  int side = 0;  // of ProcessGrid::sides
  int step = 1;  // of the coordinate, from the receiver to the sender
  double messages = 0, bytes = 0;
  double idle_s = 0;  // until they were sent
};

struct GridTraffic {
  core::ProcessGrid grid;
  std::vector<GridDirection> directions;  // that have messages, by falling idle time
  GridDirection others;                   // messages between other ranks
  int ranks = 0;
  double total_s = 0;  // of the simulated run

  double idle_s() const;  // of all messages between two ranks, sum over ranks
  double messages() const;
  double bytes() const;
};

// Simulates `program`, whose ranks are said to form a grid, with its computations times `compute_factor`. Errors: as of
// simulate(); (kInput) less than half of the messages are between neighbours of any grid, or there are none.
core::Result<GridTraffic> grid_traffic(const Program& program, const Network& network, double compute_factor = 1);

// The traffic of the program of `model` with `ranks` ranks in each grid of as many sides as its own, the fastest one
// first; of more than kMostGrids those with the shortest sides. `computation_s`: what a rank computes in the mean, in
// each of them. Errors (kInput): the model's ranks form no grid of
// several sides; none of the grids can be simulated, with the reason of the first. `left_out`: takes a line for each
// grid that cannot be.
constexpr size_t kMostGrids = 24;
core::Result<std::vector<GridTraffic>> traffic_in_grids(const ScalingModel& model, int ranks, double computation_s,
                                                        const Network& network, std::vector<std::string>& left_out);

// "4 x 2", the fastest side first.
std::string text_of(const core::ProcessGrid& grid);

}  // namespace scalediag::loggp
