// The hypotheses of scaling in one parameter x, a row each.
//
// Kinds:
//   line     log(y) is a straight line over log(x), with a fixed or a fitted exponent
//
//   sum      c_0 + c_1 t_1(x) + c_2 t_2(x), the coefficients not negative, so that no x gives a negative value
//
//   search   a sum of a constant and the one term of a list that fits best
//
//   free     a f(x) + c with any exponent or rate (fit/numerics/free_form.h); takes part only where it meets every
//            held-out scale within the noise
//
// To add one: a name in Hypothesis, a row in kHypothesisTable, and a Term where it needs another one. A line needs its
// slope as well (fit_lines in hypotheses.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/equations/terms.h"

namespace scalediag::fit {

// The kind of a parameter, which decides how trends continue beyond the measurements.
enum class Axis : uint8_t { kProcesses, kSize };

enum class Hypothesis : uint8_t {
  kLevel,
  kProportional,
  kPower,
  kShrunkPower,
  kDampedPower,
  kDrift,
  kLogarithm,
  kRoot,
  kLinear,
  kAmdahl,
  kSurface,
  kHalf,
  kAmdahlLogarithm,
  kAmdahlLinear,
  kHalfLogarithm,
  kPowerConstant,
  kExponentialConstant,
  kPowerLogarithm,
  kFree,
};

// x^power log2(x)^log_power e^(-rate x / x_1), where x_1 is the smallest measured scale. All zero: no term.
struct Term : core::Growth {
  double rate = 0;

  constexpr bool operator==(const Term&) const = default;
};
using Terms = std::array<Term, 2>;

constexpr Term kLogX = {0, 1};
constexpr Term kRootX = {0.5};
constexpr Term kX = {1};
constexpr Term kInverseX = {-1};
constexpr Term kSurfaceX = {-2.0 / 3};  // of cubes of which each process has one
constexpr Term kInverseRootX = {-0.5};  // the edge of squares of which each process has one

constexpr std::array<Term, 14> kPowers = {
    {{-2}, {-1.5}, {-1.25}, {-0.75}, {-0.35}, {-0.2}, {0.2}, {0.35}, {0.65}, {0.8}, {1.25}, {1.5}, {2}, {3}}};
// Only exponentials that fall: one that grows with the scale leaves every physical bound within a few doublings.
constexpr std::array<Term, 5> kDecays = {{{0, 0, 0.05}, {0, 0, 0.1}, {0, 0, 0.2}, {0, 0, 0.4}, {0, 0, 0.8}}};
// Of trees whose nodes do work that grows, of sorting and of transposes; also where the data are divided among the
// processes.
constexpr std::array<Term, 8> kPowerLogs = {
    {{-1, 1}, {-2.0 / 3, 1}, {-0.5, 1}, {0, 2}, {1.0 / 3, 1}, {0.5, 1}, {1, 1}, {1, 2}}};

// Hypotheses that say nearly the same. A family has a part of the prior that its members share, so that having many
// variants of one idea does not count as evidence.
enum class Family : uint8_t { kLevel, kPower, kGrowth, kSeveral, kNone };

// Parts of the prior, by family. "Nothing changes" is the simplest statement; a power, alone or above a constant that
// it falls to, is what divided work follows.
constexpr std::array<double, 5> kPartOfFamily = {2, 2, 1, 1, 0};

// The parameters along which a hypothesis has a prior. Along the number of processes half of them have none: they made
// predictions of programs that they were not chosen for worse. Where one of them passes through all points it counts
// all the same (exact_hypotheses in hypotheses.h).
enum class Along : uint8_t { kBoth, kSize };

struct HypothesisRow {
  enum class Kind : uint8_t { kLine, kSum, kFree };

  Hypothesis hypothesis;
  const char* name;
  Family family;
  Along along;
  Kind kind;
  size_t unknowns;             // the number of fitted numbers; one that a search finds counts too
  Terms terms = {};            // of a sum, beside the constant
  std::span<const Term> list;  // of a search: the terms to choose from
  Hypothesis stand_in;         // of a search and of the free one: the hypothesis fitted instead to too few points
};

// In the order of Hypothesis.
constexpr auto kHypothesisTable = [] {
  using enum Hypothesis;
  const auto line = [](Hypothesis hypothesis, const char* name, Family family, Along along, size_t unknowns) {
    return HypothesisRow{hypothesis, name, family, along, HypothesisRow::Kind::kLine, unknowns, {}, {}, hypothesis};
  };
  const auto sum = [](Hypothesis hypothesis, const char* name, Family family, Along along, Terms terms) {
    const size_t unknowns = terms[1] == Term{} ? 2 : 3;
    return HypothesisRow{hypothesis, name, family, along, HypothesisRow::Kind::kSum, unknowns, terms, {}, hypothesis};
  };
  const auto search = [](Hypothesis hypothesis, const char* name, Family family, Along along,
                         std::span<const Term> list, Hypothesis stand_in) {
    return HypothesisRow{hypothesis, name, family, along, HypothesisRow::Kind::kSum, 3, {}, list, stand_in};
  };
  return std::array{
      line(kLevel, "level", Family::kLevel, Along::kBoth, 1),
      // a / x along the processes, where the work is divided ideally; a x along a size.
      line(kProportional, "proportional", Family::kPower, Along::kBoth, 1),
      // a x^b as fitted, with b drawn towards a whole number, and with b damped beyond the measurements.
      line(kPower, "power", Family::kPower, Along::kBoth, 2),
      line(kShrunkPower, "shrunk power", Family::kPower, Along::kSize, 2),
      line(kDampedPower, "damped power", Family::kPower, Along::kBoth, 2),
      // The slope between the last two points, damped.
      line(kDrift, "drift", Family::kPower, Along::kBoth, 2),
      sum(kLogarithm, "logarithm", Family::kGrowth, Along::kSize, {kLogX}),
      sum(kRoot, "square root", Family::kGrowth, Along::kSize, {kRootX}),
      sum(kLinear, "linear", Family::kGrowth, Along::kSize, {kX}),
      sum(kAmdahl, "Amdahl", Family::kPower, Along::kBoth, {kInverseX}),
      sum(kSurface, "surface", Family::kPower, Along::kSize, {kSurfaceX}),
      sum(kHalf, "inverse square root", Family::kPower, Along::kBoth, {kInverseRootX}),
      sum(kAmdahlLogarithm, "Amdahl and logarithm", Family::kSeveral, Along::kBoth, {kInverseX, kLogX}),
      sum(kAmdahlLinear, "Amdahl and linear", Family::kSeveral, Along::kBoth, {kInverseX, kX}),
      sum(kHalfLogarithm, "inverse square root and logarithm", Family::kSeveral, Along::kBoth, {kInverseRootX, kLogX}),
      search(kPowerConstant, "power and constant", Family::kSeveral, Along::kSize, kPowers, kPower),
      search(kExponentialConstant, "exponential and constant", Family::kSeveral, Along::kSize, kDecays, kLevel),
      search(kPowerLogarithm, "power times logarithm and constant", Family::kSeveral, Along::kSize, kPowerLogs,
             kLogarithm),
      HypothesisRow{
          kFree, "free exponent or rate", Family::kNone, Along::kBoth, HypothesisRow::Kind::kFree, 3, {}, {}, kLevel},
  };
}();
constexpr size_t kHypotheses = kHypothesisTable.size();

constexpr const HypothesisRow& row_of(Hypothesis hypothesis) {
  return kHypothesisTable[static_cast<size_t>(hypothesis)];
}
constexpr const char* name_of(Hypothesis hypothesis) { return row_of(hypothesis).name; }

// A number of each hypothesis: a weight, a value, an error.
using PerHypothesis = std::array<double, kHypotheses>;

// The weights before anything is known; they sum to 1.
constexpr PerHypothesis priors_along(Axis axis) {
  std::array<double, kPartOfFamily.size()> members{};
  for (const HypothesisRow& row : kHypothesisTable) members[static_cast<size_t>(row.family)] += 1;
  PerHypothesis priors{};
  double total = 0;
  for (size_t l = 0; l < kHypotheses; l++) {
    const auto family = static_cast<size_t>(kHypothesisTable[l].family);
    if (axis == Axis::kSize || kHypothesisTable[l].along == Along::kBoth)
      priors[l] = kPartOfFamily[family] / members[family];
    total += priors[l];
  }
  for (double& prior : priors) prior /= total;
  return priors;
}
constexpr std::array<PerHypothesis, 2> kPriors = {priors_along(Axis::kProcesses), priors_along(Axis::kSize)};
constexpr double prior_of(Hypothesis hypothesis, Axis axis) {
  return kPriors[static_cast<size_t>(axis)][static_cast<size_t>(hypothesis)];
}

// All sums of the table in its order: one of a sum, one for each term of a search.
struct Sum {
  Hypothesis hypothesis;
  Terms terms;
  size_t columns;  // the constant among them
};
constexpr size_t sums_of(const HypothesisRow& row) {
  return row.kind != HypothesisRow::Kind::kSum ? 0 : row.list.empty() ? 1 : row.list.size();
}
// By hypothesis, the number of sums in the rows before it.
constexpr std::array<size_t, kHypotheses + 1> kFirstSum = [] {
  std::array<size_t, kHypotheses + 1> first{};
  for (size_t l = 0; l < kHypotheses; l++) first[l + 1] = first[l] + sums_of(kHypothesisTable[l]);
  return first;
}();
constexpr std::array<Sum, kFirstSum.back()> kSums = [] {
  std::array<Sum, kFirstSum.back()> all{};
  for (const HypothesisRow& row : kHypothesisTable)
    for (size_t i = 0; i < sums_of(row); i++) {
      const Terms terms = row.list.empty() ? row.terms : Terms{row.list[i]};
      all[kFirstSum[static_cast<size_t>(row.hypothesis)] + i] = {row.hypothesis, terms, terms[1] == Term{} ? 2U : 3U};
    }
  return all;
}();

static_assert([] {
  for (size_t l = 0; l < kHypotheses; l++)
    if (kHypothesisTable[l].hypothesis != static_cast<Hypothesis>(l)) return false;
  return true;
}());

}  // namespace scalediag::fit
