// The traces of a number of ranks that nobody ran, from the equations of those that were.
//
// Ranks that differ only in whom they talk to share one trace, in which partners, tags and communicators are numbers of
// equations, and so are bytes of the faces of a rank's cells, which differ from rank to rank and round to round: the
// ranks inside a grid are one such class, those of each face, edge and corner another. What is in memory grows with the
// classes, and with four bytes a rank.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "loggp/phases/messages/communicator_numbers.h"
#include "loggp/phases/messages/unmatched_messages.h"
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

  // A tag of a class's trace.
  struct Tag {
    TagHypothesis hypothesis;
    int round = 0;
  };
  using Communicator = ScaledCommunicator;
  // Peers and sources of the trace are numbers of vocabulary(), or kNobody; tags are numbers of tags(), communicators
  // of communicators(). Peers of kExchange are as of rank `made_for`: the members of the communicator from the rank
  // itself upwards, and then those below it.
  struct RankClass {
    RankTrace trace;
    std::vector<int> slots;  // Slot::id of each event
    int made_for = 0;
  };

  // With the exchanges of bits that `ranks` have more.
  const ScalingModel& model() const { return *model_; }
  int ranks() const { return ranks_; }
  const std::vector<uint32_t>& class_numbers() const { return class_numbers_; }  // by rank, in classes()
  const std::vector<RankClass>& classes() const { return classes_; }
  const std::vector<Communicator>& communicators() const { return communicators_; }

  int peer(int relation, int rank) const;
  // The same of a rank that has one, as those of a class have where its trace does.
  int existing_peer(int relation, int rank) const {
    const auto of_relation = static_cast<size_t>(relation);
    if (of_relation >= distances_.size()) return peer(relation, rank);
    const int distance = distances_[of_relation];
    return distance != 0 ? rank + distance : peers_[of_relation][static_cast<size_t>(rank)];
  }
  int tag(int number, int rank) const {
    const Tag& tag = tags_[static_cast<size_t>(number)];
    return tag.hypothesis.at(ranks_, rank, tag.round);
  }

  // Of the bytes of an event in a class's trace.
  uint64_t bytes(uint64_t of_class, int rank) const {
    return (of_class & kByEquation) == 0 ? of_class : bytes_by_equation(of_class & ~kByEquation, rank);
  }

  // The trace of one rank with its partners, tags, communicators and bytes.
  RankTrace rank(int rank) const;
  // Multiplies what the ranks of each class compute. `factors`: by class, in classes().
  void scale_computation(const std::vector<double>& factors);
  const Unmatched& left_out() const { return left_out_; }
  const Unmatched& unmatched() const { return unmatched_; }  // those that are still there

 private:
  class Answers;
  class Maker;
  // Ranks are told apart by the answers to questions about them, one after another.
  struct Question {
    const ValueHypothesis* value = nullptr;              // of this, or
    const ComputationHypothesis* computation = nullptr;  // of this, or else:
    size_t relation = 0;                                 // whether it has a partner, or
    int left_out_slot = -1;                              // whether its message is left out
    int round = 0;                                       // of a value that depends on it
    auto operator<=>(const Question&) const = default;
  };
  struct Node {
    Question question;
    std::vector<std::pair<double, uint32_t>> answers;  // and the node that each leads to
    bool is_leaf = false;
    uint32_t rank_class = 0;  // leaves
  };
  // A bit of bytes in a class's trace that are the number of an equation.
  static constexpr uint64_t kByEquation = uint64_t{1} << 63;
  struct Bytes {
    const ValueHypothesis* hypothesis = nullptr;
    int round = 0;
  };
  uint64_t bytes_by_equation(uint64_t number, int rank) const;
  uint64_t bytes_number(const Slot& slot, int round);
  double answer(const Question& question, int rank) const;
  void classify();
  void list_peers(int relation);
  uint32_t known_class(int rank) const;  // kNoNumber: none that is known
  uint32_t find_class(int rank);
  uint32_t add_class(int rank);
  void leave_out_unmatched();
  EachMessage each_message() const;
  int tag_number(int tag);
  int tag_number(const Slot& slot, int round);
  uint32_t communicator_number(const Communicator& communicator);

  std::shared_ptr<const ScalingModel> model_;  // questions point into it
  int ranks_;
  uint64_t most_rounds_;
  std::vector<int>
      distances_;  // by relation: from any rank to its partner; 0: it is not the same for all that have one
  std::vector<std::vector<int>> peers_;  // by relation, of those in traces whose distance is not the same; by rank
  std::vector<Node> nodes_;
  std::vector<RankClass> classes_;
  std::vector<uint32_t> class_numbers_;  // by rank
  std::vector<Tag> tags_;
  std::map<std::pair<int, int>, int> tag_numbers_;  // by Slot::id and round; by -1 and a tag that is the same for all
  std::vector<Bytes> bytes_;
  std::map<std::pair<int, int>, uint64_t> bytes_numbers_;  // by Slot::id and round
  std::vector<Communicator> communicators_;
  std::set<std::pair<int, int>> messages_left_out_;  // by Slot::id and rank
  Unmatched left_out_, unmatched_;
};

// More ranks' traces take too long to be made only to see whether their messages have partners.
constexpr int kMostChecked = 4096;

// The messages of the model's target that have no partner, with those that are left out; 0 beyond kMostChecked ranks.
uint64_t unmatched_at_target(const ScalingModel& model);

}  // namespace scalediag::loggp
