// Equations of tags. Most are constant. Programs that divide a cube into diagonals of cells (multipartition) number
// their messages by the cell: base + column + s row, where row and column are linear in the rank's coordinates and the
// round of the loop, modulo the side s of a square plane.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace scalediag::loggp {

struct TagSample {
  int ranks = 1, rank = 0, round = 0;
  int tag = 0;
};

class TagHypothesis {
 public:
  static TagHypothesis constant(int tag);
  int at(int ranks, int rank, int round) const;
  bool depends_on_round() const { return modular_ && (column_[2] != 0 || row_[2] != 0); }
  bool is_constant() const { return !modular_; }

 private:
  friend std::optional<TagHypothesis> tag_hypothesis(const std::vector<TagSample>& samples);
  // coefficients of the coordinates and the round, and the constant
  using Part = std::array<int, 4>;
  int base_ = 0;
  bool modular_ = false;
  Part column_ = {}, row_ = {};
};

// The hypothesis that gives all tags; nothing: there is none. Precondition: there are samples.
std::optional<TagHypothesis> tag_hypothesis(const std::vector<TagSample>& samples);

}  // namespace scalediag::loggp
