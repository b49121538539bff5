// Ranks of scaled traces are told apart by the answers to questions about them, one after another: which question comes
// next depends on the answers before. Ranks with the same answers are a class.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "loggp/phases/computation/computation_hypothesis.h"
#include "loggp/phases/equations/value_hypothesis.h"
#include "loggp/phases/scaled/scaled_partners.h"

namespace scalediag::loggp {

struct RankQuestion {
  const ValueHypothesis* value = nullptr;              // of this, or
  const ComputationHypothesis* computation = nullptr;  // of this, or else:
  size_t relation = 0;                                 // whether it has a partner, or
  int left_out_slot = -1;                              // whether its message is left out
  int round = 0;                                       // of a value that depends on it
  auto operator<=>(const RankQuestion&) const = default;
};

// The knowledge from which questions are answered.
struct RankFacts {
  int ranks = 0;
  ScaledPartners partners;
  std::set<std::pair<int, int>> left_out;  // messages, by Slot::id and rank

  double answer(const RankQuestion& question, int rank) const;
};

// All that is asked about a rank while its trace is made, and differs between ranks.
class RankAnswers {
 public:
  // `facts` has to outlive it.
  RankAnswers(const RankFacts& facts, int rank) : facts_(facts), rank_(rank) {}

  int ranks() const { return facts_.ranks; }
  int rank() const { return rank_; }
  bool has_partner(size_t relation) { return ask({nullptr, nullptr, relation, -1, 0}) != 0; }
  bool is_left_out(int slot);
  double value(const ValueHypothesis& hypothesis, int round);
  double value(const ComputationHypothesis& hypothesis);
  // In the order in which they were asked, each once.
  const std::vector<std::pair<RankQuestion, double>>& asked() const { return asked_; }

 private:
  double ask(const RankQuestion& question);

  const RankFacts& facts_;
  int rank_;
  std::map<RankQuestion, double> known_;
  std::vector<std::pair<RankQuestion, double>> asked_;
};

class QuestionTree {
 public:
  // The class that the rank is of, where it is known.
  std::optional<uint32_t> class_of(const RankFacts& facts, int rank) const;
  // The questions begin like those of the classes before as long as the answers are the same.
  void add_class(const std::vector<std::pair<RankQuestion, double>>& asked, uint32_t rank_class);

 private:
  struct Node {
    RankQuestion question;
    std::vector<std::pair<double, uint32_t>> answers;  // and the node that each leads to
    std::optional<uint32_t> rank_class;                // leaves
  };
  std::vector<Node> nodes_;
};

}  // namespace scalediag::loggp
