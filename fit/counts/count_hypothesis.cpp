#include "fit/counts/count_hypothesis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "core/process_grid.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/numerics/nonnegative_fit.h"

namespace scalediag::fit {
namespace {

// The deviation that is left where a hypothesis is met but for errors of rounding.
constexpr double kCountRounding = 1e-9;
// Some of hundreds of pairs of terms follow what varies by chance better than a single term does. A term more has to
// make the deviation this many times smaller.
constexpr double kEarnedByATerm = 10;

using Grid = std::array<int, 3>;

double product(const Grid& d) { return static_cast<double>(d[0]) * d[1] * d[2]; }

// The number of sides that are cut.
double cuts(const Grid& d) {
  return static_cast<double>(std::count_if(d.begin(), d.end(), [](int n) { return n > 1; }));
}

double open_messages(const Grid& d) {
  double sum = 0;
  for (const int n : d) sum += (n - 1) * product(d) / n;
  return sum;
}

double open_surface(const Grid& d) { return d[0] + d[1] + d[2] - 3; }

double periodic_surface(const Grid& d) {
  double sum = 0;
  for (const int n : d) sum += n > 1 ? n : 0;
  return sum;
}

// The different neighbours of a rank: one along a side that is cut in two, however the grid wraps, two along one cut
// further.
double neighbours(const Grid& d) {
  double sum = 0;
  for (const int n : d) sum += std::min(n - 1, 2);
  return sum * product(d);
}

// The neighbours of all ranks of an open grid, across faces, edges and corners: of 3 d - 2 pairs along each side, those
// of a rank with itself are left out.
double all_neighbours(const Grid& d) {
  double pairs = 1;
  for (const int n : d) pairs *= 3 * n - 2;
  return pairs - product(d);
}

// Edges of which at least so many of the two sides are cut. A rank that fills its halo also along sides that are not
// cut passes on the cells of edges with one cut side as well.
double edges(const Grid& d, int cut) {
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = i + 1; j < 3; ++j)
      sum += (d[i] > 1 ? 1 : 0) + (d[j] > 1 ? 1 : 0) >= cut ? static_cast<double>(d[i]) * d[j] : 0;
  }
  return sum;
}

// The same of corners and three sides.
double corners(const Grid& d, int cut) { return cuts(d) >= cut ? product(d) : 0; }

// Exchanges of each process in a butterfly of d; a mean where d is no power of two.
double log2_of(int d) { return std::log2(static_cast<double>(d)); }

// y = A x with A in blocks: sums of 1/d of y in log2(d) exchanges along each row of d processes, and one exchange of as
// much with the process at the transposed place. Nothing is exchanged by one process.
double matrix_vector(const Grid& d) {
  const double p = static_cast<double>(d[0]) * d[1];
  return p > 1 ? p * (1 + log2_of(d[0])) / d[0] : 0;
}

// Grids of one number of processes, made once for all terms.
struct Processes {
  double p;
  Grid plane, space;
};

// The group of a term: a program that has one term of a group is likely to have others of it.
enum class Shape { kAny, kAll, kTree, kRows, kOpenPlane, kPeriodicPlane, kOpenSpace, kPeriodicSpace };

struct CountTerm {
  const char* name;
  Shape shape;
  double order;  // it grows as P^order; what a rank sends alike at any size counts as 1
  double (*of)(const Processes&);
};

// The terms, in the order of preference among hypotheses that fit equally well.
constexpr CountTerm kCountTerms[] = {
    {"P", Shape::kAny, 1, [](const Processes& n) { return n.p; }},
    {"(P - 1)", Shape::kAny, 1, [](const Processes& n) { return n.p - 1; }},
    {"1", Shape::kAny, 0, [](const Processes&) { return 1.0; }},
    {"P (P - 1)", Shape::kAll, 1, [](const Processes& n) { return n.p * (n.p - 1); }},
    {"P log2(P)", Shape::kTree, 1, [](const Processes& n) { return n.p * std::log2(n.p); }},
    {"[butterflies along rows, 2-D grid]", Shape::kRows, 1,
     [](const Processes& n) { return n.p * log2_of(n.plane[0]); }},
    {"[butterflies along columns, 2-D grid]", Shape::kRows, 1,
     [](const Processes& n) { return n.p * log2_of(n.plane[1]); }},
    {"[matrix-vector product, 2-D grid]", Shape::kRows, 0.5, [](const Processes& n) { return matrix_vector(n.plane); }},
    {"[messages, ring]", Shape::kAny, 1, [](const Processes& n) { return n.p > 1 ? n.p : 0; }},
    {"[messages, open 2-D grid]", Shape::kOpenPlane, 1, [](const Processes& n) { return open_messages(n.plane); }},
    {"[surface, open 2-D grid]", Shape::kOpenPlane, 0.5, [](const Processes& n) { return open_surface(n.plane); }},
    {"[messages, periodic 2-D grid]", Shape::kPeriodicPlane, 1, [](const Processes& n) { return n.p * cuts(n.plane); }},
    {"[surface, periodic 2-D grid]", Shape::kPeriodicPlane, 0.5,
     [](const Processes& n) { return periodic_surface(n.plane); }},
    {"[messages, open 3-D grid]", Shape::kOpenSpace, 1, [](const Processes& n) { return open_messages(n.space); }},
    {"[surface, open 3-D grid]", Shape::kOpenSpace, 1.0 / 3, [](const Processes& n) { return open_surface(n.space); }},
    {"[messages, periodic 3-D grid]", Shape::kPeriodicSpace, 1, [](const Processes& n) { return n.p * cuts(n.space); }},
    {"[surface, periodic 3-D grid]", Shape::kPeriodicSpace, 1.0 / 3,
     [](const Processes& n) { return periodic_surface(n.space); }},
    {"[edges, periodic 3-D grid]", Shape::kPeriodicSpace, 2.0 / 3,
     [](const Processes& n) { return edges(n.space, 2); }},
    {"[corners, periodic 3-D grid]", Shape::kPeriodicSpace, 1, [](const Processes& n) { return corners(n.space, 3); }},
    {"[neighbours, periodic 2-D grid]", Shape::kPeriodicPlane, 1,
     [](const Processes& n) { return neighbours(n.plane); }},
    {"[neighbours, periodic 3-D grid]", Shape::kPeriodicSpace, 1,
     [](const Processes& n) { return neighbours(n.space); }},
    {"[edges, full halo of a 3-D grid]", Shape::kPeriodicSpace, 2.0 / 3,
     [](const Processes& n) { return edges(n.space, 1); }},
    {"[corners, full halo of a 3-D grid]", Shape::kPeriodicSpace, 1,
     [](const Processes& n) { return corners(n.space, 1); }},
    {"sqrt(P)", Shape::kAny, 0.5, [](const Processes& n) { return std::sqrt(n.p); }},
    {"log2(P)", Shape::kTree, 1, [](const Processes& n) { return std::log2(n.p); }},
    {"[neighbours with corners, open 2-D grid]", Shape::kOpenPlane, 1,
     [](const Processes& n) { return all_neighbours(n.plane); }},
    {"[neighbours with corners, open 3-D grid]", Shape::kOpenSpace, 1,
     [](const Processes& n) { return all_neighbours(n.space); }},
    {"[messages, sweeps of a multi-partition]", Shape::kAny, 1,
     [](const Processes& n) { return n.p * (std::sqrt(n.p) - 1); }},
    {"P^2", Shape::kAll, 1, [](const Processes& n) { return n.p * n.p; }},
};
constexpr size_t kTermCount = std::size(kCountTerms);

constexpr size_t index_of(std::string_view name) {
  for (size_t i = 0; i < kTermCount; ++i) {
    if (name == kCountTerms[i].name) return i;
  }
  throw std::out_of_range("no such term");  // does not compile
}

// Surface, edges and corners in three dimensions.
constexpr std::array kHalo = {index_of("[surface, periodic 3-D grid]"), index_of("[edges, periodic 3-D grid]"),
                              index_of("[corners, periodic 3-D grid]")};
constexpr std::array kFullHalo = {index_of("[surface, periodic 3-D grid]"),
                                  index_of("[edges, full halo of a 3-D grid]"),
                                  index_of("[corners, full halo of a 3-D grid]")};

// Corners are passed on only along with other cells, so that a hypothesis has no term of corners alone.
constexpr bool stands_alone(size_t term) { return term != kHalo.back() && term != kFullHalo.back(); }

Processes processes_of(double p) {
  const int whole = static_cast<int>(std::clamp(std::round(p), 1.0, 1e9));
  return {static_cast<double>(whole), core::process_grid(whole, 2), core::process_grid(whole, 3)};
}

bool is_whole(double coefficient) {
  const double whole = std::round(coefficient);
  return whole != 0 && std::abs(coefficient / whole - 1) < 1e-9;
}

size_t broken_coefficients(const CountHypothesis& hypothesis) {
  const auto parts = hypothesis.parts();
  return static_cast<size_t>(std::count_if(parts.begin(), parts.end(),
                                           [](const CountHypothesis::Part& p) { return !is_whole(p.coefficient); }));
}

size_t shapes(const CountHypothesis& hypothesis) {
  std::set<Shape> all;
  for (const CountHypothesis::Part& part : hypothesis.parts()) all.insert(kCountTerms[part.term].shape);
  all.erase(Shape::kAny);
  return all.size();
}

// The search for hypotheses over subsets of terms.
class Search {
 public:
  Search(std::span<const ScaledCount> counts, double tolerance) : tolerance_(tolerance) {
    std::set<double> scales;
    std::vector<Processes> rows;
    for (const ScaledCount& count : counts) {
      values_.push_back(count.count);
      rows.push_back(processes_of(count.processes));
      scales.insert(rows.back().p);
    }
    scales_ = scales.size();
    for (const CountTerm& term : kCountTerms) {
      std::vector<double>& column = columns_.emplace_back();
      for (const Processes& row : rows) column.push_back(term.of(row));
    }
  }

  size_t scales() const { return scales_; }

  void try_terms(std::span<const size_t> terms) {
    if (auto hypothesis = hypothesis_of(terms)) found_.push_back(std::move(*hypothesis));
  }

  // The hypothesis of all these terms; nothing where it misses a count, or fewer terms say the same.
  std::optional<CountHypothesis> hypothesis_of(std::span<const size_t> terms) const {
    std::vector<std::vector<double>> columns;
    for (const size_t term : terms) columns.push_back(columns_[term]);
    const auto fit = fit_nonnegative(columns, values_);
    if (!fit || fit->largest_deviation > tolerance_) return std::nullopt;
    std::vector<CountHypothesis::Part> parts;
    for (size_t i = 0; i < terms.size(); ++i) {
      if (fit->coefficients[i] > 0) parts.push_back({terms[i], fit->coefficients[i]});
    }
    if (parts.size() != terms.size()) return std::nullopt;
    for (size_t row = 0; row < values_.size(); ++row) {
      if (values_[row] > 0) continue;
      for (const CountHypothesis::Part& part : parts) {
        if (columns_[part.term][row] > 0) return std::nullopt;
      }
    }
    return CountHypothesis(std::move(parts), fit->largest_deviation);
  }

  // Hypotheses that fit equally well are ordered: first those with whole coefficients, which counts have, then those of
  // fewest shapes.
  std::vector<CountHypothesis> take() {
    const auto key = [](const CountHypothesis& hypothesis) {
      return std::tuple(std::max(hypothesis.largest_deviation(), kCountRounding), broken_coefficients(hypothesis),
                        shapes(hypothesis));
    };
    std::stable_sort(found_.begin(), found_.end(),
                     [&](const CountHypothesis& a, const CountHypothesis& b) { return key(a) < key(b); });
    return std::move(found_);
  }
  bool found() const { return !found_.empty(); }

 private:
  double tolerance_;
  std::vector<double> values_;
  size_t scales_ = 0;
  std::vector<std::vector<double>> columns_;
  std::vector<CountHypothesis> found_;
};

std::vector<CountHypothesis> with_fewest_terms(std::span<const ScaledCount> counts, double tolerance) {
  Search search(counts, tolerance);
  if (search.scales() > 1) {
    for (size_t i = 0; i < kTermCount; ++i) {
      if (stands_alone(i)) search.try_terms(std::array{i});
    }
  }
  if (!search.found() && search.scales() > 2) {
    for (size_t i = 0; i < kTermCount; ++i) {
      for (size_t j = i + 1; j < kTermCount; ++j) {
        if (stands_alone(i) && stands_alone(j)) search.try_terms(std::array{i, j});
      }
    }
  }
  if (!search.found() && search.scales() > 3) {
    search.try_terms(kHalo);
    search.try_terms(kFullHalo);
  }
  return search.take();
}

}  // namespace

double CountHypothesis::at(double processes) const { return at_size(processes, 1); }

double CountHypothesis::at_size(double processes, double growth) const {
  const Processes n = processes_of(processes);
  double sum = 0;
  for (const Part& part : parts_) {
    const CountTerm& term = kCountTerms[part.term];
    sum += part.coefficient * term.of(n) * std::pow(growth, 1 - term.order);
  }
  return sum;
}

std::vector<Coefficient> CountHypothesis::coefficients() const {
  std::vector<Coefficient> all;
  for (const Part& part : parts_) all.push_back({kCountTerms[part.term].name, part.coefficient});
  return all;
}

std::string CountHypothesis::formula() const {
  return core::join(coefficients(), " + ", [](const Coefficient& c) {
    // Coefficients of counts are whole numbers but for rounding.
    const double whole = std::round(c.value);
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", c.value);
    const std::string coefficient = is_whole(c.value) && std::abs(whole) < 1e15 ? core::to_text(whole) : number;
    return c.term == "1" ? coefficient : coefficient + " " + c.term;
  });
}

std::vector<CountHypothesis> hypotheses_that_meet(std::span<const ScaledCount> counts) {
  std::vector<CountHypothesis> met = with_fewest_terms(counts, kCountRounding);
  if (!met.empty()) return met;
  met = with_fewest_terms(counts, kExactly);
  if (met.empty()) return with_fewest_terms(counts, kNearly);
  const double of_simpler = std::min(kEarnedByATerm * met.front().largest_deviation(), kNearly);
  std::vector<CountHypothesis> simpler = with_fewest_terms(counts, of_simpler);
  return simpler.front().parts().size() < met.front().parts().size() ? simpler : met;
}

std::optional<CountHypothesis> hypothesis_of_terms(const CountHypothesis& hypothesis,
                                                   std::span<const ScaledCount> counts, double tolerance) {
  const Search search(counts, tolerance);
  std::vector<size_t> terms;
  for (const CountHypothesis::Part& part : hypothesis.parts()) terms.push_back(part.term);
  return search.scales() < terms.size() ? std::nullopt : search.hypothesis_of(terms);
}

}  // namespace scalediag::fit
