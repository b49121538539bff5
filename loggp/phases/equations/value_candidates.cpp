#include "loggp/phases/equations/value_candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/equations/combinations.h"
#include "core/equations/terms.h"

namespace scalediag::loggp {
namespace {

constexpr size_t kMostCandidates = 12;
constexpr int kMostElements = 2048;  // of blocks along a side that are looked for
constexpr int kMostLayers = 2;       // of neighbours' cells that a face includes
constexpr double kFaceComplexity = 2.2;
// Less likely are blocks of elements of which the target's ranks do not have one each.
constexpr double kEmptyBlocks = 0.5;
constexpr double kCellsComplexity = 1.1;
// A sweep up begins with the first layers of a box, one down with the last ones.
constexpr double kBeginsAtOtherEnd = 0.05;
constexpr double kUnevenComplexity = 0.3;
constexpr double kPartsOfElements = 0.5;
// Sender and receiver of a face have to agree on its bytes. In a plane a face has the side along which messages go, so
// that blocks that differ along it are unlikely; in a box that side can be the third one.
constexpr double kRoundedDownInPlane = -0.05, kRoundedDownInBox = 0.05;

using core::Column;
using core::RankTerm;
using core::Role;

// The deviation of values that count as the same (same_value()).
constexpr double kSame = 1e-6;

const std::vector<RankTerm>& terms() { return core::rank_terms(); }

class Finder {
 public:
  Finder(const std::vector<ValueSample>& samples, core::GridKind grid, int target, const std::array<int, 3>& partner,
         bool is_beside)
      : samples_(distinct(samples, grid)),
        grid_(grid),
        target_(target),
        partner_(partner),
        is_beside_(is_beside),
        columns_(terms().size()) {
    element_ = 8;
    for (const ValueSample& sample : samples_) {
      values_.push_back(sample.value);
      scales_.insert(sample.ranks);
      for (size_t t = 0; t < terms().size(); ++t) columns_[t].push_back(terms()[t].at(sample.ranks, sample.rank));
      for (int g = 0; g < core::kGridKinds; ++g) {
        const core::ProcessGrid places = process_grid(static_cast<core::GridKind>(g), sample.ranks);
        const std::array<int, 3> at = places.coordinates(sample.rank);
        for (size_t side = 0; side < 3; ++side) {
          if (at[side] > 0 && at[side] + 1 < places.sides[side]) inside_.insert({static_cast<core::GridKind>(g), side});
        }
      }
      while (element_ > 1 && std::fmod(sample.value, element_) != 0) element_ /= 2;
    }
  }

  const std::vector<ValueSample>& samples() const { return samples_; }  // without those that say the same

  std::vector<ValueCandidate> find() {
    if (std::all_of(values_.begin(), values_.end(), [&](double value) { return value == values_.front(); })) {
      constant();
      // Elements along a side would differ where it has other ranks.
      if (is_beside_) found_.resize(std::min<size_t>(found_.size(), 1));
    } else if (is_beside_ && parts()) {
      // Nothing else is as likely.
    } else {
      // A program has one grid; the sides of others are tried last.
      for (const bool others : {false, true}) {
        if (found_.empty()) sums_of(1, others);
        if (found_.empty() && !others) blocks_of_ranks();
        if (found_.empty()) {
          if (!others) cells();
          sums_of(2, others);
        }
        if (found_.empty() && !others) sums_of(3, others);
        if (!others && !has_simple()) faces();
        if (found_.empty() && !others) uneven_blocks();
      }
      if (found_.empty()) shares_that_nothing_confirms();
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.complexity < b.complexity; });
    std::vector<ValueCandidate> different;
    std::set<std::vector<double>> known;
    for (ValueCandidate& candidate : found_) {
      if (different.size() < kMostCandidates && known.insert(values_at(candidate.hypothesis, target_)).second) {
        different.push_back(std::move(candidate));
      }
    }
    return different;
  }

 private:
  // A sample of each place in all grids, as far as terms tell places apart, round and value.
  static std::vector<ValueSample> distinct(const std::vector<ValueSample>& samples, core::GridKind own) {
    std::set<std::vector<double>> known;
    std::vector<ValueSample> kept;
    for (const ValueSample& sample : samples) {
      std::vector<double> row = {static_cast<double>(sample.ranks), static_cast<double>(sample.round), sample.value};
      for (int g = 0; g < core::kGridKinds; ++g) {
        if (!is_grid_of_program(static_cast<core::GridKind>(g), own)) continue;
        const core::ProcessGrid grid = process_grid(static_cast<core::GridKind>(g), sample.ranks);
        for (const int at : grid.coordinates(sample.rank)) row.push_back(grid.dimensions > 1 ? at : at == 0);
      }
      if (known.insert(std::move(row)).second) kept.push_back(sample);
    }
    return kept;
  }

  // The sides of a bisected box are those of the rising one, so that it says something new of a program only whose grid
  // it is.
  static bool is_grid_of_program(core::GridKind grid, core::GridKind own) {
    return grid != core::GridKind::kSpaceBisected || own == grid;
  }

  bool is_possible(const ValueHypothesis& hypothesis) const {
    for (const double value : values_at(hypothesis, target_)) {
      if (value < -1e-6 || !same_value(value / element_, std::round(value / element_))) return false;
    }
    return true;
  }

  // The hypothesis with blocks that need not be even: of elements of the bytes that divide all coefficients.
  std::optional<ValueHypothesis> uneven(const ValueHypothesis& hypothesis) const {
    ValueHypothesis blocks = hypothesis;
    double element = 0;
    for (const auto& term : hypothesis.terms) {
      if (std::fabs(term.coefficient - std::round(term.coefficient)) > 1e-6) return std::nullopt;
      element = static_cast<double>(std::gcd(std::llround(element), std::llround(std::fabs(term.coefficient))));
    }
    if (hypothesis.terms.size() == 1)
      element = static_cast<double>(std::gcd(std::llround(element), std::llround(element_)));
    if (element < 1) return std::nullopt;
    bool has_blocks = false;
    for (auto& term : blocks.terms) {
      if (terms()[term.feature].role() != Role::kShareOfSide || term.coefficient <= 0) continue;
      term.elements = static_cast<int>(std::llround(term.coefficient / element));
      term.coefficient = element;
      has_blocks = true;
    }
    if (!has_blocks || !blocks.meets(samples_) || !is_possible(blocks)) return std::nullopt;
    return blocks;
  }

  void offer(std::span<const size_t> chosen) {
    double complexity = 0;
    for (const size_t t : chosen) {
      if (!can_be_told(terms()[t])) return;
      complexity += terms()[t].complexity(grid_);
    }
    const auto solved = core::combination_of(chosen, columns_, values_);
    const bool is_constant = chosen.size() == 1 && terms()[chosen[0]].role() == Role::kConstant;
    if (!solved || solved->largest_deviation >= kSame || (!is_constant && !is_determined(chosen, columns_))) return;
    ValueHypothesis hypothesis;
    for (size_t i = 0; i < chosen.size(); ++i) {
      const double coefficient = solved->coefficients[i], whole = std::round(coefficient);
      // Fewer terms do as well, and have been tried.
      if (chosen.size() > 1 && is_negligible(chosen[i], coefficient)) return;
      hypothesis.terms.push_back({chosen[i], same_value(coefficient, whole) ? whole : coefficient, 0});
    }
    if (is_possible(hypothesis)) {
      found_.push_back({std::move(hypothesis), complexity, false});
      return;
    }
    // That all measured sizes are multiples of some bytes need not mean that elements have as many: shares of all ranks
    // can be parts of them.
    if (chosen.size() == 1 && terms()[chosen[0]].role() == Role::kShareOfRanks && is_whole(hypothesis)) {
      found_.push_back({hypothesis, complexity + kPartsOfElements, false});
    }
    if (auto blocks = uneven(hypothesis)) {
      found_.push_back({std::move(*blocks), complexity + kUnevenComplexity, true});
    }
  }

  bool is_whole(const ValueHypothesis& hypothesis) const {
    const std::vector<double> values = values_at(hypothesis, target_);
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return value >= 1 && same_value(value, std::round(value)); });
  }

  // Whether it never adds half a byte, or half a repetition, to what was measured or is asked for.
  bool is_negligible(size_t term, double coefficient) const {
    constexpr double kHalf = 0.5;
    const auto is_small = [&](double value) { return std::fabs(coefficient * value) < kHalf; };
    return std::all_of(columns_[term].begin(), columns_[term].end(), is_small) &&
           is_small(terms()[term].at(target_, 0)) && is_small(terms()[term].at(target_, target_ - 1));
  }

  // The ends of a side can be told from the others only where a rank lies between them.
  bool can_be_told(const RankTerm& t) const {
    return !t.is_of_place() || inside_.count({t.grid, static_cast<size_t>(t.side)}) > 0;
  }

  // A constant and 1 over a side of the program's grid, such as a face with the cells of its neighbours, where sides of
  // only two lengths were measured: both add something. Users are shown that it is not confirmed.
  void shares_that_nothing_confirms() {
    if (grid_ == core::GridKind::kLine || has_fewer_scales_than(2)) return;
    least_excess_ = 0;
    for (int side = 0; side < process_grid(grid_, 1).dimensions; ++side) {
      offer(std::array{size_t{0}, term_of(Role::kShareOfSide, grid_, side)});
    }
    std::erase_if(found_, [](const ValueCandidate& candidate) {
      const auto& summed = candidate.hypothesis.terms;
      return std::any_of(summed.begin(), summed.end(), [](const auto& term) { return term.coefficient <= 0; });
    });
  }

  // More different rows than columns.
  bool is_determined(std::span<const size_t> used, const std::vector<Column>& columns) const {
    std::set<std::vector<double>> rows;
    for (size_t k = 0; k < values_.size(); ++k) {
      std::vector<double> row;
      for (const size_t column : used) row.push_back(columns[column][k]);
      rows.insert(std::move(row));
    }
    if (rows.size() >= used.size() + least_excess_) return true;
    // As well a constant.
    return used.size() == 1 && rows.size() == 1 && scales_.size() > 1;
  }

  bool is_other(size_t term) const { return core::is_of_side(terms()[term].role()) && terms()[term].grid != grid_; }
  bool is_own(size_t term) const {
    return terms()[term].role() == Role::kConstant || (core::is_of_side(terms()[term].role()) && !is_other(term));
  }

  // Beside a constant, 1 over a side of the grid that all measured scales have the same is possible.
  void constant() {
    offer(std::array{size_t{0}});
    for (size_t i = 1; i < terms().size() && grid_ != core::GridKind::kLine; ++i) {
      const Role role = terms()[i].role();
      if (is_own(i) && (role == Role::kShareOfSide || role == Role::kShareOfSides)) offer(std::array{i});
    }
  }

  // Sums of n terms: `others`, with a side of another grid than the program's. Three terms are constants and sides.
  void sums_of(size_t n, bool others) {
    std::vector<size_t> possible;
    for (size_t i = 0; i < terms().size(); ++i) {
      if (!is_grid_of_program(terms()[i].grid, grid_)) continue;
      if (n < core::kMostTerms ? others || !is_other(i) : is_own(i)) possible.push_back(i);
    }
    core::for_each_choice(possible, n, [&](std::span<const size_t> chosen) {
      if (others == std::any_of(chosen.begin(), chosen.end(), [&](size_t t) { return is_other(t); })) offer(chosen);
    });
  }

  // Whether anything was found that is no more than two terms of which none grows with a side.
  bool has_simple() const {
    return std::any_of(found_.begin(), found_.end(), [](const ValueCandidate& candidate) {
      const auto& summed = candidate.hypothesis.terms;
      return summed.size() < 3 && std::none_of(summed.begin(), summed.end(), [](const ValueHypothesis::Term& term) {
               return terms()[term.feature].role() == Role::kSide && term.coefficient > 0;
             });
    });
  }

  // Nothing has to be told apart where no other scale than the only measured one is asked for.
  bool has_fewer_scales_than(size_t n) const { return scales_.size() < n && *scales_.begin() != target_; }

  // Square planes are the grids of such programs, whose faces are square: two scales are met by few of them.
  bool is_multipartitioned() const { return !is_beside_ && partner_ != std::array<int, 3>{}; }

  // Even blocks are met by any part of the elements with a larger coefficient as well, so that the largest number of
  // elements comes first.
  bool parts() {
    const ValueSample& sample = samples_.front();
    for (int elements = kMostElements; elements > 0; --elements) {
      for (const auto& [first, last] : {std::pair(false, false), std::pair(false, true), std::pair(true, false)}) {
        ValueHypothesis hypothesis;
        hypothesis.part = {grid_, {partner_[0] == 0, partner_[1] == 0, partner_[2] == 0}, elements, first, last, 1};
        const auto coefficient = whole_coefficient(hypothesis.at(sample.ranks, sample.rank, sample.round));
        if (!coefficient) continue;
        hypothesis.part->coefficient = *coefficient;
        if (!hypothesis.meets(samples_) || !is_possible(hypothesis)) continue;
        found_.push_back({std::move(hypothesis), kFaceComplexity, false});
      }
    }
    return !found_.empty();
  }

  void faces() {
    if (grid_ == core::GridKind::kLine || has_fewer_scales_than(is_multipartitioned() ? 2 : 3)) return;
    const int sides = process_grid(grid_, 1).dimensions;
    const core::ProcessGrid of_ranks = process_grid(grid_, samples_.front().ranks);
    const std::array<int, 3> place = of_ranks.coordinates(samples_.front().rank);
    for (int a = 0; a < sides; ++a) {
      for (int b = a; b < sides; ++b) {
        for (int n = 1; n <= kMostElements; ++n) {
          for (int in_a = -kMostLayers; in_a <= kMostLayers; ++in_a) {
            for (int in_b = a == b ? in_a : -kMostLayers; in_b <= (a == b ? in_a : kMostLayers); ++in_b) {
              for (const bool down : {false, true}) {
                ValueHypothesis::Face one{grid_, {a, b}, {in_a, in_b}, n, 1, down};
                const auto coefficient = whole_coefficient(one.at(of_ranks, place));
                if (!coefficient) continue;
                one.coefficient = *coefficient;
                face(one);
              }
            }
          }
        }
      }
    }
  }

  void face(const ValueHypothesis::Face& face) {
    ValueHypothesis hypothesis;
    hypothesis.face = face;
    if (!hypothesis.meets(samples_) || !is_possible(hypothesis)) return;
    const int layers = std::abs(face.layers[0]) + std::abs(face.layers[1]);
    const bool is_plane = process_grid(grid_, 1).dimensions == 2;
    const double rounding = !face.is_rounded_down ? 0 : is_plane ? kRoundedDownInPlane : kRoundedDownInBox;
    const core::ProcessGrid at_target = process_grid(grid_, target_);
    const bool has_empty_blocks = std::any_of(face.side.begin(), face.side.end(), [&](int side) {
      return face.elements < at_target.sides[static_cast<size_t>(side)];
    });
    const double emptiness = has_empty_blocks ? kEmptyBlocks : 0;
    found_.push_back({hypothesis, kFaceComplexity + 0.1 * layers + rounding + emptiness, false});
  }

  // That of a hypothesis whose value with the coefficient 1 is `unit` at the first sample.
  std::optional<double> whole_coefficient(double unit) const {
    if (unit <= 0) return std::nullopt;
    const double value = samples_.front().value / unit, whole = std::round(value);
    return whole >= 1 && same_value(value, whole) ? std::optional(whole) : std::nullopt;
  }

  using Cells = ValueHypothesis::Cells;

  // Of even cells any part of the elements meets the samples as well, with a larger coefficient: the largest number
  // comes first.
  void cells() {
    using Which = Cells::Which;
    if (has_fewer_scales_than(2)) return;
    const bool has_rounds = std::any_of(samples_.begin(), samples_.end(), [](const auto& s) { return s.round > 0; });
    for (const int turns : {0, 1, 2, 3}) {
      const std::array<int, 2> turn = {turns % 2 == 0 ? 1 : -1, turns / 2 == 0 ? -1 : 1};
      for (int axis = 0; axis < 3; ++axis) {
        if (!has_rounds) {
          faces_of({Which::kAllButFirst, axis, turn});
          faces_of({Which::kAllButLast, axis, turn});
          continue;
        }
        for (const int step : {1, -1}) {
          for (int first = -2; first <= 2; ++first) {
            for (const bool inner : {false, true}) faces_of({Which::kOfRound, axis, turn, first, step, inner});
          }
        }
      }
    }
  }

  void faces_of(Cells cells) {
    if (!cells.can_go(partner_)) return;
    for (cells.elements = kMostElements; cells.elements > 0; --cells.elements) {
      cells.coefficient = 1;
      ValueHypothesis hypothesis;
      hypothesis.cells = cells;
      const ValueSample& first = samples_.front();
      const auto coefficient = whole_coefficient(hypothesis.at(first.ranks, first.rank, first.round));
      if (!coefficient || std::fmod(*coefficient, element_) != 0) continue;
      hypothesis.cells->coefficient = *coefficient;
      if (hypothesis.meets(samples_) && is_possible(hypothesis)) {
        const bool other_end = cells.which == Cells::Which::kOfRound && (cells.step > 0) != (cells.first >= 0);
        found_.push_back({std::move(hypothesis), kCellsComplexity + (other_end ? kBeginsAtOtherEnd : 0), false});
      }
    }
  }

  // k blocks of n/P elements, which are rounded down, or rounded up for the first n mod P ranks, those of a neighbour
  // where it sends them: n has to be in the interval that each sample leaves. Blocks below P elements leave too many.
  void blocks_of_ranks() {
    if (has_fewer_scales_than(2) || *std::min_element(values_.begin(), values_.end()) < 1) return;
    const size_t per_rank = term_of(Role::kShareOfRanks, core::GridKind::kLine, 0);
    int64_t unit = 0;
    for (const double value : values_) unit = std::gcd(unit, std::llround(value));
    for (const bool is_down : {true, false}) {
      for (const int of_rank : {0, -1, 1}) {
        if (is_down && of_rank != 0) continue;
        int64_t least = 1, most = INT32_MAX;
        for (const ValueSample& s : samples_) {
          const int64_t block = std::llround(s.value) / unit, parts = s.ranks;
          const int64_t place = core::around(s.rank + of_rank, s.ranks);
          if (block < parts) return;
          least = std::max(least, is_down ? block * parts : block * parts - (parts - 1 - place));
          most = std::min(most, is_down ? block * parts + parts - 1 : block * parts + place);
        }
        if (least > most) continue;
        ValueHypothesis hypothesis;
        hypothesis.terms = {{per_rank, static_cast<double>(unit), static_cast<int>(least), is_down, of_rank}};
        if (hypothesis.meets(samples_)) found_.push_back({std::move(hypothesis), 1.2 + kUnevenComplexity, false});
      }
    }
  }

  void uneven_blocks() {
    if (grid_ == core::GridKind::kLine || has_fewer_scales_than(2)) return;
    const int sides = core::process_grid(grid_, 1).dimensions;
    for (int side = 0; side < sides; ++side) {
      const size_t per_side = term_of(Role::kShareOfSide, grid_, side);
      std::vector<std::pair<int, int>> places;  // of the samples along the side, with the side's ranks
      for (const ValueSample& s : samples_) {
        const core::ProcessGrid of_ranks = process_grid(grid_, s.ranks);
        const auto along = static_cast<size_t>(side);
        places.emplace_back(of_ranks.sides[along], of_ranks.coordinates(s.rank)[along]);
      }
      const std::vector<size_t> borders = {term_of(Role::kFirst, grid_, side), term_of(Role::kLast, grid_, side)};
      for (const std::vector<size_t>& others : {std::vector<size_t>{}, std::vector<size_t>{0}, borders}) {
        if (!std::all_of(others.begin(), others.end(), [&](size_t t) { return can_be_told(terms()[t]); })) continue;
        std::vector<Column> columns(1);  // the block's, then those of the others
        std::vector<size_t> used = {0};
        for (const size_t t : others) {
          used.push_back(columns.size());
          columns.push_back(columns_[t]);
        }
        for (int n = 1; n <= kMostElements; ++n) {
          columns[0].clear();
          for (const auto& [parts, place] : places) columns[0].push_back(block_of(n, parts, place));
          const auto solved = core::combination_of(used, columns, values_);
          if (!solved || solved->largest_deviation >= kSame || !is_determined(used, columns)) continue;
          const core::PerTerm& c = solved->coefficients;
          if (c[0] < 1) continue;
          ValueHypothesis hypothesis;
          hypothesis.terms = {{per_side, c[0], n}};
          for (size_t i = 0; i < others.size(); ++i) hypothesis.terms.push_back({others[i], c[i + 1], 0});
          if (is_possible(hypothesis)) {
            found_.push_back({hypothesis, 1 + kUnevenComplexity + 0.5 * static_cast<double>(others.size()), false});
          }
        }
      }
    }
  }

  std::vector<ValueSample> samples_;
  core::GridKind grid_;
  int target_;
  std::array<int, 3> partner_;
  bool is_beside_;
  double element_ = 1;
  size_t least_excess_ = 1;  // of different rows over columns
  std::vector<Column> columns_;
  Column values_;
  std::set<int> scales_;
  std::set<std::pair<core::GridKind, size_t>> inside_;  // sides with a sample between two others
  std::vector<ValueCandidate> found_;
};

}  // namespace

std::vector<double> values_at(const ValueHypothesis& hypothesis, int target) {
  constexpr int kMostProbes = 128;
  const int tried = std::min(target, kMostProbes);
  const int rounds =
      hypothesis.depends_on_round() ? process_grid(core::GridKind::kPlaneFalling, target).sides[0] - 1 : 1;
  std::vector<double> values;
  for (int i = 0; i < tried; ++i) {
    const int rank = static_cast<int>(static_cast<int64_t>(i) * target / tried);
    for (int round = 0; round < rounds; ++round) {
      values.push_back(std::round(hypothesis.at(target, rank, round) * 1e3) / 1e3);
    }
  }
  return values;
}

std::vector<ValueCandidate> value_candidates(const std::vector<ValueSample>& samples, core::GridKind grid, int target,
                                             const std::array<int, 3>& partner, bool is_beside) {
  if (samples.empty()) return {};
  // A program is modelled again for each target and each way to fold its loops, where most quantities stay the same.
  using Asked = std::tuple<std::vector<ValueSample>, core::GridKind, int, std::array<int, 3>, bool>;
  constexpr size_t kMostKept = 4096;
  thread_local std::map<Asked, std::vector<ValueCandidate>> known;
  Finder finder(samples, grid, target, partner, is_beside);
  Asked asked{finder.samples(), grid, target, partner, is_beside};
  if (const auto found = known.find(asked); found != known.end()) return found->second;
  if (known.size() >= kMostKept) known.clear();
  return known.emplace(std::move(asked), finder.find()).first->second;
}

}  // namespace scalediag::loggp
