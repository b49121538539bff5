#include "loggp/phases/computation/computation_hypothesis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace scalediag::loggp {
namespace {

// A place has a factor of its own if it differs from the others by more than three standard errors and 2 %, and if at
// least four degrees of freedom are left for the scatter of ranks of one place.
constexpr double kStandardErrors = 3, kLeastDifference = 0.02;
constexpr int kFewestDegrees = 4;
constexpr int kMostRounds = 50;
// Limits the exponent of the number of ranks: an event that has far more computation before it at the largest scale
// alone is no trend.
constexpr double kLargestExponent = 1;

double quotient(double sum, double over) { return over > 0 ? sum / over : 0; }

// The different values of a list in their order, and of each member of the list the index of its value.
template <typename Value> struct Indexed {
  std::vector<Value> values;
  std::vector<size_t> of;

  explicit Indexed(const std::vector<Value>& list) : values(list) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const Value& value : list) {
      of.push_back(static_cast<size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin()));
    }
  }
};

std::vector<int> ranks_of(const std::vector<ValueSample>& samples) {
  std::vector<int> ranks;
  for (const ValueSample& sample : samples) ranks.push_back(sample.ranks);
  return ranks;
}

// value = level of the scale x factor of the place, where the sums over each scale and over each place are right.
// Places that are not `free` have the factor 1.
class TwoWayTable {
 public:
  TwoWayTable(const std::vector<ValueSample>& samples, const std::vector<GridPlace>& places,
              const std::set<GridPlace>& free)
      : samples_(samples), scales_(ranks_of(samples)), places_(places), factor_(places_.values.size(), 1) {
    for (int round = 0; round < kMostRounds; ++round) {
      set_levels();
      if (free.empty() || !set_factors(free)) break;
    }
    if (!free.empty()) {
      if (free.size() == factor_.size()) make_mean_factor_one();
      set_levels();
    }
    for (size_t s = 0; s < level_.size(); ++s) levels_[scales_.values[s]] = level_[s];
    for (size_t p = 0; p < factor_.size(); ++p) factors_[places_.values[p]] = factor_[p];
  }

  double level_at(size_t i) const { return level_[scales_.of[i]]; }
  double fitted(size_t i) const { return level_at(i) * factor_[places_.of[i]]; }
  const std::map<int, double>& levels() const { return levels_; }
  const std::map<GridPlace, double>& factors() const { return factors_; }

 private:
  void set_levels() {
    std::vector<double> values(scales_.values.size()), factors(values.size());
    for (size_t i = 0; i < samples_.size(); ++i) {
      values[scales_.of[i]] += samples_[i].value;
      factors[scales_.of[i]] += factor_[places_.of[i]];
    }
    level_.resize(values.size());
    for (size_t s = 0; s < values.size(); ++s) level_[s] = quotient(values[s], factors[s]);
  }

  // Returns whether a factor changed.
  bool set_factors(const std::set<GridPlace>& free) {
    std::vector<double> values(factor_.size()), levels(factor_.size());
    for (size_t i = 0; i < samples_.size(); ++i) {
      values[places_.of[i]] += samples_[i].value;
      levels[places_.of[i]] += level_at(i);
    }
    bool changed = false;
    for (size_t p = 0; p < factor_.size(); ++p) {
      if (free.count(places_.values[p]) == 0) continue;
      const double factor = quotient(values[p], levels[p]);
      changed = changed || factor != factor_[p];
      factor_[p] = factor;
    }
    return changed;
  }

  // Of the largest scale: a place that no measured rank has is taken to be like the mean of that.
  void make_mean_factor_one() {
    double sum = 0, n = 0;
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (scales_.of[i] + 1 != scales_.values.size()) continue;
      sum += factor_[places_.of[i]];
      ++n;
    }
    if (!(sum > 0)) return;
    for (double& factor : factor_) factor *= n / sum;
  }

  const std::vector<ValueSample>& samples_;
  const Indexed<int> scales_;
  const Indexed<GridPlace> places_;
  std::vector<double> level_, factor_;
  std::map<int, double> levels_;
  std::map<GridPlace, double> factors_;
};

// The places that differ from all others by more than ranks of one place differ.
std::set<GridPlace> different_places(const std::vector<ValueSample>& samples, const std::vector<GridPlace>& places) {
  const std::set<GridPlace> all(places.begin(), places.end());
  std::set<GridPlace> different;
  const TwoWayTable table(samples, places, all);
  const int degrees = static_cast<int>(samples.size()) - static_cast<int>(table.levels().size() + all.size()) + 1;
  if (all.size() < 2 || degrees < kFewestDegrees) return different;
  // The scatter, relative to the time of those places that take the longest: a place that computes next to nothing may
  // scatter by more than its mean, which says nothing of one that computes for all.
  double squares = 0, of_all = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double level = table.level_at(i);
    if (!(level > 0)) continue;
    squares += std::pow((samples[i].value - table.fitted(i)) / level, 2);
    of_all += std::pow(table.fitted(i) / level, 2);
  }
  const double noise = std::sqrt(quotient(squares, of_all) * static_cast<double>(samples.size()) / degrees);
  for (const GridPlace& place : all) {
    double n = 0, values = 0, levels = 0;
    for (size_t i = 0; i < samples.size(); ++i) {
      if (places[i] == place) {
        ++n;
      } else {
        values += samples[i].value;
        levels += table.level_at(i);
      }
    }
    const double others = quotient(values, levels), factor = table.factors().at(place);
    const double error =
        noise * std::max(others, factor) * std::sqrt(1 / n + 1 / (static_cast<double>(samples.size()) - n));
    if (std::abs(factor - others) > std::max(kStandardErrors * error, kLeastDifference * others))
      different.insert(place);
  }
  return different;
}

// Rank 0 is no rank like the others: at each number of ranks from two on, of which there are at least two, its
// time is kTimesOthers times as long as the longest of them, or the shortest of them is that many times as long as its.
bool first_rank_differs(const std::vector<ValueSample>& samples) {
  constexpr double kTimesOthers = 2;
  constexpr size_t kFewestScales = 2;
  struct Times {
    std::optional<double> first, shortest, longest;
  };
  std::map<int, Times> scales;
  for (const ValueSample& sample : samples) {
    if (sample.ranks < 2) continue;
    Times& times = scales[sample.ranks];
    if (sample.rank == 0) {
      times.first = sample.value;
    } else {
      times.shortest = std::min(times.shortest.value_or(sample.value), sample.value);
      times.longest = std::max(times.longest.value_or(sample.value), sample.value);
    }
  }
  bool more = true, less = true;
  size_t n = 0;
  for (const auto& [ranks, times] : scales) {
    if (!times.first || !times.longest) continue;
    ++n;
    more = more && *times.first > kTimesOthers * *times.longest;
    less = less && *times.shortest > kTimesOthers * *times.first;
  }
  return n >= kFewestScales && (more || less);
}

}  // namespace

GridPlace place_of(core::GridKind grid, int ranks, int rank) {
  const core::ProcessGrid sides = process_grid(grid, ranks);
  const std::array<int, 3> at = sides.coordinates(rank);
  GridPlace place = {};
  for (size_t i = 0; i < static_cast<size_t>(sides.dimensions); ++i) {
    const int last = sides.sides[i] - 1;
    place[i] = last == 0       ? GridPosition::kOnly
               : at[i] == 0    ? GridPosition::kFirst
               : at[i] == last ? GridPosition::kLast
                               : GridPosition::kInside;
  }
  return place;
}

ComputationHypothesis ComputationHypothesis::of(const std::vector<ValueSample>& samples, core::GridKind grid) {
  if (first_rank_differs(samples)) {
    std::vector<ValueSample> first, others;
    for (const ValueSample& sample : samples) {
      if (sample.ranks > 1) (sample.rank == 0 ? first : others).push_back(sample);
    }
    ComputationHypothesis made = of(others, grid);
    made.first_rank_ = divided_hypothesis(first, kLargestExponent);
    return made;
  }
  ComputationHypothesis made;
  made.grid_ = grid;
  std::vector<GridPlace> places;
  for (const ValueSample& sample : samples) places.push_back(place_of(grid, sample.ranks, sample.rank));
  const std::set<GridPlace> different = different_places(samples, places);
  const TwoWayTable table(samples, places, different);
  for (const GridPlace& place : different) made.factors_[place] = table.factors().at(place);
  // A single rank is a place of its own, whose factor nothing separates from the level there.
  const bool without_one = !different.empty() && table.levels().count(1) != 0 && table.levels().size() > 2;
  std::vector<ValueSample> levels;
  for (const auto& [ranks, level] : table.levels()) {
    if (ranks > 1 || !without_one) levels.push_back({ranks, 0, level});
  }
  made.of_all_ = divided_hypothesis(levels, kLargestExponent);
  return made;
}

double ComputationHypothesis::at(int ranks, int rank) const {
  if (rank == 0 && first_rank_) return first_rank_->at(ranks, rank);
  const double of_all = of_all_.at(ranks, rank);
  if (factors_.empty()) return of_all;
  const auto found = factors_.find(place_of(grid_, ranks, rank));
  return found == factors_.end() ? of_all : of_all * found->second;
}

}  // namespace scalediag::loggp
