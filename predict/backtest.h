// Which of several sources is taken for a component, or how they are combined, and how wide the interval is.
//
// Each source also predicts the largest measured scale from the smaller ones. What it missed there, its error
// e = ln (predicted / known), decides: the value is the geometric mean of the sources, each weighed by
// 1 / (e^2 + e_0^2). A source with less than a fifth of the weight is left out. A source without a backtest is taken
// only where none has one.
//
// One error says little of the next one. The standard deviation of what a source misses is taken as
//
//   s^2 = (e^2 + n s_0^2) / (1 + n)
//
// as if n = 2 errors of the usual size s_0 had been seen besides. The half width of the 90 % interval, in logarithms,
// is 1.645 s for a target that lies at most one step of the measured scales beyond them, and proportional to the steps
// further out. Half of the distance between sources is added to it in squares. Where no error was seen, s is 1.5 s_0.
#pragma once

#include <optional>
#include <vector>

#include "predict/prediction.h"

namespace scalediag::predict {

struct Chosen {
  Part part;
  std::optional<Disagreement> disagreement;
};

// Half of the 90 % interval, in logarithms, of a source that missed the largest measured scale by `missed` (predicted
// over known - 1; nothing: it was not held against it), and whose kind misses one by `usual` (s_0). `steps`: as of
// choose().
double half_width(std::optional<double> missed, double usual, double steps);

// `e` with an interval that is wider by a half width in logarithms, in squares.
Estimate widened_by(const Estimate& e, double half);

// Chooses among `lines`, which are of one component, and notes in them which are taken and why. `steps`: how far the
// target lies beyond the measured scales, in steps of these. Nothing: none has an estimate.
std::optional<Chosen> choose(std::vector<SourceLine>& lines, double steps);

// The difference of two estimates that their intervals do not allow: neither value lies in the interval of the other.
bool disagree(const Estimate& a, const Estimate& b);

}  // namespace scalediag::predict
