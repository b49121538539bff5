// The parts of a rank's replay that callgrind counts, and the counts of the whole run that follow from them.
//
//   whole = sum over parts of TIMES x counts
//
// What lies outside of the main loops occurs once. Of a loop's rounds few are counted: the first one, which caches and
// allocations make a kind of its own, occurs once; each other one stands for a share of those that are not counted.
// Where counts of rounds differ, the whole is off by no more than about SPREAD:
//
//   spread = sum over loops of (rounds not counted) x (largest - smallest count) / (rounds that stand for others)
//            + sum over parts of GUESSED x counts
//
// rounds stand for their own surroundings in the loop, so that the error is not that of a random draw. GUESSED is the
// part of TIMES that stands for what follows the loops, where a replay ends before it.
//
// runs/np0004.simulated/rank000003.parts is a line "scalediag-parts 1 PARTS COUNTED ROUNDS", the rounds that are
// counted and those that the loops have, and PARTS lines "TRIGGER LOOP TIMES GUESSED": callgrind's file with that
// trigger has the part, which is a round of the loop of that number, or of none (-1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::counters {

// In events of MPI, as collector/replay/partial_log.h has them.
struct CountedLoop {
  uint64_t before = 0, per_iteration = 0, iterations = 0;
  uint64_t end() const { return before + per_iteration * iterations; }
};

struct CountedPart {
  std::string trigger;
  int loop = -1;
  double times = 1;
  double guessed = 0;  // of times
};

struct CountedParts {
  std::vector<CountedPart> parts;
  uint64_t counted = 0, rounds = 0;  // of all loops
};

// What is to be counted.
struct PartsPlan {
  CountedParts parts;
  std::string steps;  // as core/raw/counted_steps.h has them
};

// Of each loop the first round is counted and pairs of successive ones, since rounds may alternate: one pair after the
// first round, or as many as there are `places`, spread evenly over the loop. `rounds_after`: the replay ends with the
// last round that is counted, and what follows the last loop is taken to be so many of its rounds. Preconditions: loops
// are ascending, none within another, each with 2 rounds or more; there is one.
PartsPlan plan_parts(const std::vector<CountedLoop>& loops, int places, std::optional<double> rounds_after);

struct CountOfParts {
  double whole = 0, spread = 0;
};
// `counts`: one a part.
CountOfParts count_of(const CountedParts& parts, const std::vector<double>& counts);

std::string parts_file(int rank);
std::string text_of(const CountedParts& parts);
// Nothing: there is no such file. Error (kInput): it is damaged.
Result<std::optional<CountedParts>> read_counted_parts(const std::string& path);

}  // namespace scalediag::counters
