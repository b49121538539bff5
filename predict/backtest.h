// The choice among several sources of a component, their combination, and the width of the interval.
//
// Each source also predicts the largest measured scale from the smaller ones, and where there are five scales or more
// the second largest from those below it. What it missed there decides: with its errors e = ln (predicted / known), and
// e^2 the mean of their squares, the value is the geometric mean of the sources, each weighed by 1 / (e^2 + e_0^2),
// e_0 what its kind usually misses, or 0.05. A source with less than a fifth of the weight is left out, and one whose
// own interval spans more than a factor of 100 where another's does not: one step of the backtest says nothing of that.
// Sources that are more than a factor of 3 apart are not combined, since none says what lies between: the first is the
// value, and the others are ends of its interval. A source without a backtest is taken only where none has one, or
// where all that have one missed by more than a factor of 10.
//
// One or two errors say little of the next one. The standard deviation of what a source misses is taken as
//
//   s^2 = (k e^2 + n s_0^2) / (k + n)
//
// of k errors, as if n = 2 of the usual size s_0 had been seen besides. The half width of the 90 % interval, in
// logarithms, is 1.645 s for a target that lies at most one step of the measured scales beyond them, and proportional
// to the steps further out. Half of the distance between sources is added to it in squares. Where no error was seen, s
// is 1.5 s_0. Where each source's own interval spans more than a factor of 100, the interval is at least what they have
// in common.
#pragma once

#include <optional>
#include <vector>

#include "predict/prediction.h"

namespace scalediag::predict {

struct Chosen {
  Part part;
  std::optional<Disagreement> disagreement;
};

// The distance of `processes` from the largest measured scale, in steps from the one before it; 0: not beyond it.
double steps_beyond(double processes, double largest, double before);

// Half of the 90 % interval, in logarithms, of a source whose kind misses a scale by `usual` (s_0). `steps`: as of
// choose().
double half_width(const SourceLine& line, double usual, double steps);

// Simulations have means where a run has each computation, and so wait too little. Their waiting is multiplied by what
// they had too little at the measured scales, in the geometric mean, or by `usual` where no scale says it: none was
// predicted, or less than a sixth of what is known. At least 1: what they had too much is chance.
double waiting_factor(const SourceLine& line, double usual);

// The line with what it would have missed had its values been multiplied by `factor`.
SourceLine multiplied(SourceLine line, double factor);

// A value that nothing is known to miss.
inline Estimate exactly(double value, double level) { return {value, value, value, level}; }

// `e` with an interval that is wider by a half width in logarithms, in squares.
Estimate widened_by(const Estimate& e, double half);

// Chooses among `lines`, which are of one component, and notes in them which are taken and why. `steps`: how far the
// target lies beyond the measured scales, in steps of these. Nothing: none has an estimate.
std::optional<Chosen> choose(std::vector<SourceLine>& lines, double steps);

// The root of the mean square of what a source missed, as logarithms; nothing: it was not checked.
std::optional<double> usual_miss(const std::optional<double>& backtest, const std::optional<double>& backtest_before);

// The difference of two estimates that their intervals do not allow: neither value lies in the interval of the other.
bool disagree(const Estimate& a, const Estimate& b);

}  // namespace scalediag::predict
