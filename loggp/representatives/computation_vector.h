// What a rank computes, stretch by stretch: the sequential computation vector [t_0 .. t_m] of Zhai et al. (IEEE TC
// 65(7), 2016, definition 2), of m events of MPI.
//
// A replayed rank leaves its vector in DIR/replay/rank000003.vector: the line "scalediag-vector 1 RANK COUNT", and then
// COUNT doubles, the lowest byte first: the seconds before each event of its trace, in order, and after the last one.
// One that was replayed REPEATS times begins with "scalediag-vector 2 RANK COUNT REPEATS": these seconds are medians;
// COUNT doubles follow, how far two repeats are apart there in the mean, and REPEATS doubles, the sum of each.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// In seconds: before each event of a trace, in order, and after the last one.
using ComputationVector = std::vector<float>;

// Empty: the trace has only means (it was recorded without --series).
ComputationVector computations_of(const RankTrace& trace);

// Gives the trace these computations times a factor. Precondition: there is one for each of its events, and one more.
void set_computations(RankTrace& trace, const ComputationVector& computations, double factor = 1);

std::string vector_file_name(int rank);  // "rank000003.vector"

struct VectorRepeats {
  double apart_s = 0;            // of two repeats of it in the mean: the sum of the differences
  std::vector<double> totals_s;  // of each repeat

  double error() const;  // standard error of the median sum, relative to it; 0: it was not repeated
};

struct ReplayedVector {
  ComputationVector computations;
  VectorRepeats repeats;
};

// Error (kInput): the file is no vector, is of another rank than `rank`, is cut off, or holds what is no time; with the
// file's name and the place.
Result<ReplayedVector> parse_vector(std::string_view bytes, int rank, const std::string& file);

struct ReplayedRanks {
  std::string folder;                        // of the vectors, for errors
  std::map<int, ComputationVector> vectors;  // by rank
  std::map<int, VectorRepeats> repeats;      // of the same ranks

  size_t least_repeats() const;  // replays of the rank that was replayed least often; at least 1
};

// The vectors of `folder`/replay. Error (kInput): there are none, or one that cannot be used.
Result<ReplayedRanks> read_replayed_ranks(const std::string& folder);

}  // namespace scalediag::loggp
