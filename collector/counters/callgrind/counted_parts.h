// The parts of a rank's replay that callgrind counts, and the counts of the whole run that follow from them.
//
//   whole = sum over parts of TIMES x counts
//
// Code outside of the main loops occurs once, and so does the first round of a loop, which finds caches cold. Few of
// the other rounds are counted, in places that are spread over the loop: some successive rounds in each, which are one
// part and stand for as many rounds as their surroundings have. Where all rounds of all loops are counted, the whole is
// exact. Elsewhere it is an estimate with a standard error, however equal the places are:
//
//   spread = sum over loops of max(m, uncounted x s / sqrt(places) + unseen x d) + after x m
//
// m is the mean count of a round: as if one round were more or less. s is the standard deviation of the means of
// places, so that it has what occurs seldom as well as what drifts (Cochran, Sampling Techniques, 3rd ed., 1977,
// chapter 9: clusters). A replay may end before the last loop does. UNSEEN rounds come after that, and d is what these
// differ from the others if the difference of the last place and the first goes on. Code after the loop is taken for
// AFTER rounds.
//
// runs/np0004.simulated/rank000003.parts is a line "scalediag-parts 1 PARTS COUNTED ALL AFTER", the rounds that are
// counted and those that the loops have, and PARTS lines "TRIGGER LOOP ROUNDS TIMES UNSEEN": callgrind's file with that
// trigger has the part, which is ROUNDS of the loop of that number, or what occurs once (-1). UNSEEN is the part of
// TIMES that stands for rounds after the replay's end.
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
  double iteration_s = 0;  // mean computation of a round
  uint64_t end() const { return before + per_iteration * iterations; }
};

// The computation of a rank, in seconds as it takes by itself. Preconditions: there is a loop; loops are ascending,
// none within another, each with 2 rounds or more.
struct CountedWork {
  std::vector<CountedLoop> loops;
  double computation_s = 0;
  double after_s = 0;  // of it: after the last loop
};

// How much of each loop is counted: all of it where that would be most of its rounds, since every gap costs as well.
struct CountedExtent {
  int places = 4;
  uint64_t in_a_row = 2;  // rounds in a place
  // Of the last loop's rounds, the share that the replay goes through, at its end. 1: it goes on to the program's end.
  double reach = 1;

  uint64_t rounds() const { return 1 + static_cast<uint64_t>(places) * in_a_row; }
  bool leaves_out(uint64_t iterations) const { return iterations >= 2 * rounds(); }
};

// Rounds of the last loop that the replay goes through.
uint64_t reached_rounds(const CountedLoop& last, const CountedExtent& extent);

struct CountedPart {
  std::string trigger;
  int loop = -1;
  uint64_t rounds = 0;
  double times = 1;
  double unseen = 0;  // of times
};

struct CountedParts {
  std::vector<CountedPart> parts;
  uint64_t counted = 0, rounds = 0;  // of all loops
  double after = 0;                  // rounds of the last loop that take as long as what is not counted after it
};

// What is to be counted.
struct PartsPlan {
  CountedParts parts;
  std::string steps;  // as core/raw/counted_steps.h has them
};

PartsPlan plan_parts(const CountedWork& work, const CountedExtent& extent);

struct CountOfParts {
  double whole = 0;
  std::optional<double> spread;  // nothing: the count is exact
};
// `counts`: one a part.
CountOfParts count_of(const CountedParts& parts, const std::vector<double>& counts);

std::string parts_file(int rank);
std::string text_of(const CountedParts& parts);
// Nothing: there is no such file. Error (kInput): it is damaged.
Result<std::optional<CountedParts>> read_counted_parts(const std::string& path);

}  // namespace scalediag::counters
