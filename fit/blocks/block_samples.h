// Executions of one sequential block of a program, with what may explain how long each took.
//
// A block is a stretch of computation between two calls of MPI, or a part of one that its author marked. Its executions
// are what Zheng et al. (P2S2 2010) call instances of a sequential execution block (SEB).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace scalediag::fit {

struct BlockSamples {
  std::string name;
  std::vector<std::string> attributes;
  // Of each attribute; those with a smaller number are tried without the others. Empty: all are the same.
  std::vector<int> stages;
  std::vector<std::vector<double>> rows;  // of each execution: a value for each attribute
  std::vector<double> values;             // of each execution: seconds, or instructions
  std::vector<int> ranks;                 // of each execution: where it ran; empty: not told
  // What all blocks of the program took together, in the unit of values; for the block's share.
  double total_of_program = 0;
};

// mean(|predicted - actual|) / mean(actual), the relative mean error of Zheng et al. Precondition: as many of both.
// 0 where all actual values are 0 and predicted as such; empty where only the former.
std::optional<double> relative_mean_error(const std::vector<double>& predicted, const std::vector<double>& actual);

}  // namespace scalediag::fit
