#include "fit/counts/count_hypothesis.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string_view>
#include <tuple>

#include "core/equations/combinations.h"
#include "core/equations/terms.h"
#include "core/text/formatted.h"
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

using core::Shape;

const std::vector<const core::Term*>& terms() {
  static const std::vector<const core::Term*> rows = core::terms_for(core::kOfSums);
  return rows;
}

std::vector<size_t> places_of(std::initializer_list<std::string_view> names) {
  std::vector<size_t> places;
  for (const std::string_view name : names) {
    const auto found = std::find_if(terms().begin(), terms().end(),
                                    [name](const core::Term* term) { return name == term->name_of_sum; });
    places.push_back(static_cast<size_t>(found - terms().begin()));
  }
  return places;
}

bool is_whole(double coefficient) {
  const double whole = std::round(coefficient);
  return whole != 0 && std::abs(coefficient / whole - 1) < 1e-9;
}

size_t broken_coefficients(const CountHypothesis& hypothesis) {
  const auto parts = hypothesis.parts();
  return static_cast<size_t>(
      std::ranges::count_if(parts, [](const CountHypothesis::Part& p) { return !is_whole(p.coefficient); }));
}

size_t shapes(const CountHypothesis& hypothesis) {
  std::set<Shape> all;
  for (const CountHypothesis::Part& part : hypothesis.parts()) all.insert(terms()[part.term]->shape);
  all.erase(Shape::kAny);
  return all.size();
}

// The search for hypotheses over subsets of terms.
class Search {
 public:
  Search(std::span<const ScaledCount> counts, double tolerance) : tolerance_(tolerance) {
    std::set<double> scales;
    columns_.resize(terms().size());
    for (const ScaledCount& count : counts) {
      values_.push_back(count.count);
      scales.insert(std::max(std::round(count.processes), 1.0));
      for (size_t i = 0; i < terms().size(); ++i) columns_[i].push_back(terms()[i]->total(count.processes));
    }
    scales_ = scales.size();
  }

  size_t scales() const { return scales_; }

  void try_terms(std::span<const size_t> chosen) {
    if (auto hypothesis = hypothesis_of(chosen)) found_.push_back(std::move(*hypothesis));
  }

  // All sums of n terms.
  void try_all(size_t n) {
    std::vector<size_t> possible;
    for (size_t i = 0; i < terms().size(); ++i) {
      if (terms()[i]->stands_alone) possible.push_back(i);
    }
    core::for_each_choice(possible, n, [this](std::span<const size_t> chosen) { try_terms(chosen); });
  }

  // The hypothesis of all these terms; nothing where it misses a count, or fewer terms say the same.
  std::optional<CountHypothesis> hypothesis_of(std::span<const size_t> chosen) const {
    std::vector<core::Column> columns;
    for (const size_t term : chosen) columns.push_back(columns_[term]);
    const auto solved = fit_nonnegative(columns, values_);
    if (!solved || solved->largest_deviation > tolerance_) return std::nullopt;
    std::vector<CountHypothesis::Part> parts;
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (solved->coefficients[i] > 0) parts.push_back({chosen[i], solved->coefficients[i]});
    }
    if (parts.size() != chosen.size()) return std::nullopt;
    for (size_t row = 0; row < values_.size(); ++row) {
      if (values_[row] > 0) continue;
      for (const CountHypothesis::Part& part : parts) {
        if (columns_[part.term][row] > 0) return std::nullopt;
      }
    }
    return CountHypothesis(std::move(parts), solved->largest_deviation);
  }

  // Hypotheses that fit equally well are ordered: first those with whole coefficients, which counts have, then those of
  // fewest shapes.
  std::vector<CountHypothesis> take() {
    const auto key = [](const CountHypothesis& hypothesis) {
      return std::tuple(std::max(hypothesis.largest_deviation(), kCountRounding), broken_coefficients(hypothesis),
                        shapes(hypothesis));
    };
    std::ranges::stable_sort(found_,
                             [&](const CountHypothesis& a, const CountHypothesis& b) { return key(a) < key(b); });
    return std::move(found_);
  }
  bool found() const { return !found_.empty(); }

 private:
  double tolerance_;
  core::Column values_;
  size_t scales_ = 0;
  std::vector<core::Column> columns_;
  std::vector<CountHypothesis> found_;
};

std::vector<CountHypothesis> with_fewest_terms(std::span<const ScaledCount> counts, double tolerance) {
  // Surface, edges and corners in three dimensions.
  static const std::vector<size_t> kHalo =
      places_of({"[surface, periodic 3-D grid]", "[edges, periodic 3-D grid]", "[corners, periodic 3-D grid]"});
  static const std::vector<size_t> kFullHalo = places_of(
      {"[surface, periodic 3-D grid]", "[edges, full halo of a 3-D grid]", "[corners, full halo of a 3-D grid]"});
  Search search(counts, tolerance);
  if (search.scales() > 1) search.try_all(1);
  if (!search.found() && search.scales() > 2) search.try_all(2);
  if (!search.found() && search.scales() > 3) {
    search.try_terms(kHalo);
    search.try_terms(kFullHalo);
  }
  return search.take();
}

}  // namespace

double CountHypothesis::at(double processes) const { return at_size(processes, 1); }

double CountHypothesis::at_size(double processes, double growth) const {
  double sum = 0;
  for (const Part& part : parts_) {
    const core::Term& term = *terms()[part.term];
    sum += part.coefficient * term.total(processes) * std::pow(growth, 1 - term.order);
  }
  return sum;
}

std::vector<Coefficient> CountHypothesis::coefficients() const {
  std::vector<Coefficient> all;
  for (const Part& part : parts_) all.push_back({terms()[part.term]->name_of_sum, part.coefficient});
  return all;
}

std::string CountHypothesis::formula() const {
  return core::join(coefficients(), " + ", [](const Coefficient& c) {
    // Coefficients of counts are whole numbers but for rounding.
    const double whole = std::round(c.value);
    const std::string number = core::formatted("%.6g", c.value);
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
  std::vector<size_t> chosen;
  for (const CountHypothesis::Part& part : hypothesis.parts()) chosen.push_back(part.term);
  return search.scales() < chosen.size() ? std::nullopt : search.hypothesis_of(chosen);
}

}  // namespace scalediag::fit
