// The traces of a number of ranks that nobody ran, from the equations of those that were.
//
// Ranks that differ only in whom they talk to share one trace, in which partners, tags and communicators are numbers of
// equations, and so are bytes of the faces of a rank's cells, which differ from rank to rank and round to round: the
// ranks inside a grid are one such class, those of each face, edge and corner another. What is in memory grows with the
// classes, and with four bytes a rank.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "loggp/phases/messages/unmatched_messages.h"
#include "loggp/phases/scaled/class_trace.h"
#include "loggp/phases/scaled/rank_questions.h"
#include "loggp/phases/scaled/scaled_numbers.h"
#include "loggp/phases/scaled/scaled_partners.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// Computation is as of computation_hypothesis.h: what is computed before events that the rank does not have comes
// before its next one. Slots that are not regular are there with what explains them best where they were seen at the
// largest measured scale, and left out otherwise. Messages that would be sent and not received, or received and not
// sent, are left out as long as they are at most 1 % of all and their operations have no others: a simulation would
// wait for them forever.
class ScaledTraces {
 public:
  // `model`'s program with `ranks` ranks, with the exchanges of bits that it has beyond the measured scales.
  // `most_rounds`: of loops with more, so many rounds are made, at least 2; the events of the last one stand for those
  // of the rounds that are not (TraceEvent::stands_for).
  ScaledTraces(ScalingModel model, int ranks, uint64_t most_rounds = UINT64_MAX);

  // With the exchanges of bits that `ranks` have more.
  const ScalingModel& model() const { return *model_; }
  int ranks() const { return facts_.ranks; }
  const std::vector<uint32_t>& class_numbers() const { return class_numbers_; }  // by rank, in classes()
  const std::vector<RankClass>& classes() const { return classes_; }
  const ScaledPartners& partners() const { return facts_.partners; }  // of those in classes()
  const ScaledNumbers& numbers() const { return numbers_; }           // of those in classes()

  // The trace of one rank with its partners, tags, communicators and bytes.
  RankTrace rank(int rank) const;
  // Multiplies what the ranks of each class compute. `factors`: by class, in classes().
  void scale_computation(const std::vector<double>& factors);
  // By rank: multiplies what a rank computes beside others of its class.
  void set_rank_factors(std::vector<double> factors) { rank_factors_ = std::move(factors); }
  double rank_factor(int rank) const { return rank_factors_.empty() ? 1 : rank_factors_[static_cast<size_t>(rank)]; }
  const Unmatched& left_out() const { return left_out_; }
  const Unmatched& unmatched() const { return unmatched_; }  // those that are still there

 private:
  void classify();
  uint32_t find_class(int rank);
  void leave_out_unmatched();
  EachMessage each_message() const;

  std::shared_ptr<const ScalingModel> model_;  // questions and numbers point into it
  uint64_t most_rounds_;
  RankFacts facts_;
  ScaledNumbers numbers_;
  QuestionTree tree_;
  std::vector<RankClass> classes_;
  std::vector<uint32_t> class_numbers_;  // by rank
  std::vector<double> rank_factors_;     // by rank; empty: 1
  Unmatched left_out_, unmatched_;
};

// More ranks' traces take too long to be made only to see whether their messages have partners.
constexpr int kMostChecked = 4096;

// The messages of the model's target that have no partner, with those that are left out; 0 beyond kMostChecked ranks.
uint64_t unmatched_at_target(const ScalingModel& model);

}  // namespace scalediag::loggp
