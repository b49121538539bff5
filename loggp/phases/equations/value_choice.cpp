#include "loggp/phases/equations/value_choice.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/equations/terms.h"

namespace scalediag::loggp {
namespace {

constexpr double kFaceWithLayers = 2;    // complexity
constexpr double kSharedElements = 0.3;  // less complexity: a program divides one box

// The grid whose sides the hypothesis names; the line where it names none.
core::GridKind grid_of(const ValueHypothesis& hypothesis) {
  if (hypothesis.face) return hypothesis.face->grid;
  for (const auto& term : hypothesis.terms) {
    const core::GridKind grid = core::rank_terms()[term.feature].grid;
    if (grid != core::GridKind::kLine) return grid;
  }
  return core::GridKind::kLine;
}

bool is_of_one_scale(const std::vector<ValueSample>& samples) { return samples.front().ranks == samples.back().ranks; }

// Along the sides of the box that is divided, where the hypothesis is faces of it; else 0.
int elements_of(const ValueHypothesis& hypothesis) {
  if (hypothesis.face) return hypothesis.face->elements;
  return hypothesis.cells ? hypothesis.cells->elements : 0;
}

// Numbers that are added up. The faces of cells are as simple as a single term for the programs that have them; a face
// with its layers is as two.
size_t summands(const ValueHypothesis& hypothesis) {
  return hypothesis.cells ? 1 : hypothesis.face ? 2 : hypothesis.terms.size();
}

// The hypothesis along all sides of its grid in turn.
std::vector<ValueHypothesis> mirrored(const ValueHypothesis& hypothesis) {
  std::vector<ValueHypothesis> all;
  std::array<int, 3> order = {0, 1, 2};
  const auto free = order.begin() + process_grid(grid_of(hypothesis), 1).dimensions;
  do {
    ValueHypothesis other = hypothesis.with_sides(order);
    if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(std::move(other));
  } while (std::next_permutation(order.begin(), free));
  return all;
}

}  // namespace

size_t ValueChoice::add(Quantity quantity, std::vector<ValueSample> samples, core::GridKind grid,
                        const std::array<int, 3>& partner, bool is_beside) {
  const auto [at, is_new] = known_.try_emplace({quantity, grid, partner, is_beside, samples}, facts_.size());
  if (is_new) {
    Fact fact;
    fact.quantity = quantity;
    fact.partner = partner;
    fact.is_beside = is_beside;
    // Repetitions and the like that are the same at all scales are constant; a message's bytes can be those of a side.
    fact.candidates = value_candidates(samples, grid, target_, partner, is_beside);
    if (quantity == Quantity::kOther && !fact.candidates.empty() && fact.candidates.front().hypothesis.is_constant()) {
      fact.candidates.resize(1);
    }
    fact.samples = std::move(samples);
    facts_.push_back(std::move(fact));
  }
  return at->second;
}

void ValueChoice::decide() {
  pool_candidates();
  find_elements();
  find_layers();
  for (Fact& fact : facts_) decide(fact);
}

void ValueChoice::pool_candidates() {
  for (const Fact& fact : facts_) {
    // Values that are the same everywhere tell nothing about sides.
    const bool is_constant = std::all_of(fact.samples.begin(), fact.samples.end(), [&](const ValueSample& sample) {
      return sample.value == fact.samples.front().value;
    });
    if (fact.quantity != Quantity::kMessage || is_constant || fact.is_beside) continue;
    for (const ValueCandidate& candidate : fact.candidates) {
      if (candidate.hypothesis.is_constant()) continue;
      Pooled pooled{candidate, mirrored(candidate.hypothesis), 0};
      std::string name;
      for (const ValueHypothesis& hypothesis : pooled.mirrored) {
        const std::string formula = hypothesis.formula();
        if (name.empty() || formula < name) name = formula;
      }
      pool_.try_emplace(std::move(name), std::move(pooled));
    }
  }
  for (auto& [name, pooled] : pool_) {
    for (const Fact& fact : facts_) {
      // A single scale is met by too much.
      if (fact.quantity != Quantity::kMessage || is_of_one_scale(fact.samples)) continue;
      pooled.met += std::any_of(pooled.mirrored.begin(), pooled.mirrored.end(),
                                [&](const ValueHypothesis& hypothesis) { return hypothesis.meets(fact.samples); })
                        ? 1
                        : 0;
    }
  }
}

void ValueChoice::find_elements() {
  std::map<int, int> votes;
  for (const Fact& fact : facts_) {
    if (!fact.is_multipartitioned()) continue;
    std::set<int> possible;
    for (const ValueCandidate& candidate : fact.candidates) possible.insert(elements_of(candidate.hypothesis));
    possible.erase(0);
    for (const int elements : possible) ++votes[elements];
  }
  for (const auto& [elements, n] : votes) {
    if (elements_ == 0 || n >= votes[elements_]) elements_ = elements;
  }
}

// Of bytes that differ somewhere, and that messages of one direction have.
void ValueChoice::find_layers() {
  for (const Fact& fact : facts_) {
    const bool is_constant = std::all_of(fact.samples.begin(), fact.samples.end(), [&](const ValueSample& sample) {
      return sample.value == fact.samples.front().value;
    });
    if (fact.directions.size() != 1 || is_constant || is_of_one_scale(fact.samples)) continue;
    layers_.add(*fact.directions.begin(), fact.samples);
  }
}

void ValueChoice::decide(Fact& fact) {
  struct Option {
    ValueCandidate candidate;
    size_t met = 1;
    std::vector<double> values;
    size_t with_layers = 0;  // messages that can have the layers of this one
    size_t confirmed() const { return std::max(met, with_layers); }
  };
  std::vector<Option> options;
  for (ValueCandidate& candidate : fact.candidates) {
    std::vector<double> values = values_at(candidate.hypothesis, target_);
    options.push_back({std::move(candidate), 1, std::move(values), 0});
  }
  const bool has_rounds =
      std::any_of(fact.samples.begin(), fact.samples.end(), [](const ValueSample& s) { return s.round > 0; });
  const auto offer = [&](const Pooled& pooled) {
    const ValueHypothesis& pattern = pooled.candidate.hypothesis;
    if (pattern.depends_on_round() != has_rounds || (pattern.cells && !pattern.cells->can_go(fact.partner))) return;
    for (const ValueHypothesis& hypothesis : pooled.mirrored) {
      if (!hypothesis.meets(fact.samples)) continue;
      Option option{pooled.candidate, pooled.met, values_at(hypothesis, target_), 0};
      option.candidate.hypothesis = hypothesis;
      const auto same = std::find_if(options.begin(), options.end(),
                                     [&](const Option& other) { return other.values == option.values; });
      if (same == options.end()) {
        options.push_back(std::move(option));
      } else if (option.met > same->met) {
        *same = std::move(option);
      }
    }
  };
  if (fact.quantity == Quantity::kMessage && !fact.is_beside) {
    for (const auto& [name, pooled] : pool_) offer(pooled);
  }
  if (const auto face =
          fact.directions.size() == 1 ? layers_.face(*fact.directions.begin(), fact.samples) : std::nullopt) {
    Option option{{face->hypothesis, kFaceWithLayers, false}, 1, values_at(face->hypothesis, target_), face->met};
    const auto same = std::find_if(options.begin(), options.end(),
                                   [&](const Option& other) { return other.values == option.values; });
    if (same == options.end()) {
      options.push_back(std::move(option));
    } else {
      same->with_layers = face->met;
    }
  }
  Decision& decision = fact.decision;
  if (options.empty()) return;
  const auto cost = [&](const Option& option) {
    const bool is_shared =
        fact.is_multipartitioned() && elements_ > 0 && elements_of(option.candidate.hypothesis) == elements_;
    return option.candidate.complexity - (is_shared ? kSharedElements : 0);
  };
  // Layers that other messages have say more than a hypothesis of others that happens to meet one scale.
  const bool is_of_one = is_of_one_scale(fact.samples);
  std::stable_sort(options.begin(), options.end(), [&](const Option& a, const Option& b) {
    if (is_of_one && (a.with_layers > 0) != (b.with_layers > 0)) return a.with_layers > 0;
    if (a.confirmed() != b.confirmed()) return a.confirmed() > b.confirmed();
    const size_t of_a = summands(a.candidate.hypothesis), of_b = summands(b.candidate.hypothesis);
    return of_a != of_b ? of_a < of_b : cost(a) < cost(b);
  });
  decision.taken = options.front().candidate.hypothesis;
  decision.met = options.front().met - 1;
  decision.with_layers = options.front().with_layers;
  decision.is_assumed_uneven = options.front().candidate.is_assumed_uneven;
  decision.n_others = options.size() - 1;
  if (options.size() < 2) return;
  decision.other = options[1].candidate.hypothesis;
  const auto& [ours, theirs] = std::tie(options[0].values, options[1].values);
  const auto differ = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
  if (differ.first == ours.end()) return;
  decision.least = decision.most = *differ.first;
  for (const Option& option : options) {
    const auto place = static_cast<size_t>(differ.first - ours.begin());
    if (place >= option.values.size()) continue;
    decision.least = std::min(decision.least, option.values[place]);
    decision.most = std::max(decision.most, option.values[place]);
  }
}

}  // namespace scalediag::loggp
