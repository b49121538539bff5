#include "loggp/representatives/communication_groups.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "loggp/phases/absences.h"

namespace scalediag::loggp {
namespace {

// What a rank communicates, as numbers: ranks with the same numbers are a group.
using Sequence = std::vector<int64_t>;

// The sequence of a rank that was recorded: the slots that it has, its repetitions, and what equations do not give.
class RecordedSequence {
 public:
  RecordedSequence(const ScalingModel& model, RankOfScale where) : model_(model), where_(where) { add(model.slots); }
  Sequence take() { return std::move(sequence_); }

 private:
  void add(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      if (!is_seen_on(slot, where_)) continue;
      put(slot.id);
      if (slot.is_loop) {
        const auto rounds = slot.rounds.find(where_);
        put(rounds != slot.rounds.end() ? rounds->second : 1);
        add(slot.body);
      } else {
        add(slot, slot.seen.at(where_));
      }
    }
  }

  void add(const Slot& slot, const SlotValues& values) {
    const SlotEquations& e = model_.equations.at(slot.id);
    put(values.times);
    put(values.root);
    put(values.peer == kNobody ? 0 : 1);
    put(e.source && partner(vocabulary()[*e.source], where_.first, where_.second) == kNobody ? 0 : 1);
    if (slot.kind == trace::EventKind::kExchange) put(values.bytes);
    put_unless_given(values.round_bytes, [&](int round) { return by(e.bytes, round); });
    put_unless_given(std::vector{values.source_bytes}, [&](int round) { return by(e.source_bytes, round); });
    if (!slot.talks()) return;
    put_unless_given(values.tags, [&](int round) { return e.tag.at(where_.first, where_.second, round); });
  }

  // Nothing: an estimate, which gives no number.
  std::optional<double> by(const ValueHypothesis& hypothesis, int round) const {
    if (!hypothesis.exact) return std::nullopt;
    return hypothesis.at(where_.first, where_.second, round);
  }

  // Numbers that the equation gives are alike, which is 0.
  template <class Number, class Equation>
  void put_unless_given(const std::vector<Number>& of_rounds, const Equation& equation) {
    for (size_t k = 0; k < of_rounds.size(); ++k) {
      const bool is_given = equation(static_cast<int>(k)) == of_rounds[k];
      put(is_given ? 0 : 1);
      if (!is_given) put(of_rounds[k]);
    }
  }

  void put(double value) { sequence_.push_back(std::llround(value)); }

  const ScalingModel& model_;
  RankOfScale where_;
  Sequence sequence_;
};

// The sequence of a class of scaled ranks. Partners, tags and communicators are numbers of equations in it, and sizes
// are given by the same ones.
class ScaledSequence {
 public:
  explicit ScaledSequence(const RankClass& one) : one_(one) { add(one.trace.steps); }
  Sequence take() { return std::move(sequence_); }

 private:
  void add(const std::vector<TraceStep>& steps) {
    put(steps.size());
    for (const TraceStep& step : steps) {
      put(step.count);
      if (step.count > 0) {
        add(step.body);
        continue;
      }
      const TraceEvent& e = one_.trace.events[step.event];
      for (const int number : {one_.slots[step.event], e.peer, e.source, e.tag, e.root}) put(number);
    }
  }

  void put(int number) { sequence_.push_back(number); }
  void put(uint64_t number) { sequence_.push_back(static_cast<int64_t>(number)); }

  const RankClass& one_;
  Sequence sequence_;
};

// Numbers different sequences in the order in which they come.
class SequenceNumbers {
 public:
  size_t of(Sequence sequence) { return numbers_.try_emplace(std::move(sequence), numbers_.size()).first->second; }

 private:
  std::map<Sequence, size_t> numbers_;
};

void put_into(RankGroups& groups, size_t group, int rank) {
  if (group >= groups.size()) groups.resize(group + 1);
  groups[group].push_back(rank);
}

}  // namespace

RankGroups communication_groups(const ScalingModel& model) {
  RankGroups groups;
  SequenceNumbers numbers;
  const int ranks = model.scales.back();
  for (int rank = 0; rank < ranks; ++rank) {
    put_into(groups, numbers.of(RecordedSequence(model, {ranks, rank}).take()), rank);
  }
  return groups;
}

RankGroups communication_groups(const ScaledTraces& traces) {
  SequenceNumbers numbers;
  std::vector<size_t> group_of_class;  // classes come in the order of their lowest ranks
  for (const RankClass& one : traces.classes()) {
    group_of_class.push_back(numbers.of(ScaledSequence(one).take()));
  }
  RankGroups groups;
  for (int rank = 0; rank < traces.ranks(); ++rank) {
    put_into(groups, group_of_class[traces.class_numbers()[static_cast<size_t>(rank)]], rank);
  }
  return groups;
}

}  // namespace scalediag::loggp
