// The choice between several hypotheses for each measured quantity of a program.
//
// With few scales often several hypotheses meet all measured values. A program treats the sides of its grid alike: the
// hypothesis is taken that meets most quantities of the program, each along any side, then the one with the fewest
// terms, then the least complex one.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "loggp/phases/equations/face_layers.h"
#include "loggp/phases/equations/value_candidates.h"

namespace scalediag::loggp {

class ValueChoice {
 public:
  explicit ValueChoice(int target) : target_(target) {}

  // Messages take part in the choice for one another, other quantities (repetitions, roots, collectives) do not.
  enum class Quantity { kMessage, kOther };

  // The same samples are the same quantity. Returns its number. `partner`, `is_beside`: as of value_candidates().
  size_t add(Quantity quantity, std::vector<ValueSample> samples, core::GridKind grid,
             const std::array<int, 3>& partner = {}, bool is_beside = false);
  // The quantity is the bytes of a message that goes this way.
  void set_direction(size_t number, const FaceDirection& direction) { facts_[number].directions.insert(direction); }
  bool has_candidates(size_t number) const { return !facts_[number].candidates.empty(); }
  void decide();

  struct Decision {
    std::optional<ValueHypothesis> taken;  // nothing: no hypothesis meets the samples
    std::optional<ValueHypothesis> other;  // one that meets them too and differs at the target
    size_t n_others = 0;
    double least = 0, most = 0;  // of all of them, at the first rank and round of the target where the two differ
    size_t met = 0;              // how many other quantities of the program it meets
    size_t with_layers = 0;      // messages along its side that can have its layers (face_layers.h); 0: not looked for
    bool is_assumed_uneven = false;
  };
  const Decision& operator[](size_t number) const { return facts_[number].decision; }

 private:
  struct Fact {
    Quantity quantity = Quantity::kOther;
    std::vector<ValueSample> samples;
    std::array<int, 3> partner = {};
    bool is_beside = false;
    std::set<FaceDirection> directions;
    bool is_multipartitioned() const { return !is_beside && partner != std::array<int, 3>{}; }
    std::vector<ValueCandidate> candidates;
    Decision decision;
  };
  struct Pooled {
    ValueCandidate candidate;
    std::vector<ValueHypothesis> mirrored;
    size_t met = 0;
  };
  void pool_candidates();
  void find_elements();
  void find_layers();
  void decide(Fact& fact);

  int target_;
  std::vector<Fact> facts_;
  std::map<std::tuple<Quantity, core::GridKind, std::array<int, 3>, bool, std::vector<ValueSample>>, size_t> known_;
  int elements_ = 0;  // along the sides of the box that most messages of a multipartitioned program can be faces of
  FaceLayers layers_;
  std::map<std::string, Pooled> pool_;  // by the formula of the first of all mirrored ones
};

}  // namespace scalediag::loggp
