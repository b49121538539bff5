#include "loggp/representatives/communication_groups.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "loggp/phases/absences.h"
#include "loggp/phases/equations/relation.h"

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

// Beyond so many steps of a rank its trace does not fold: the time that a model takes grows with their square.
constexpr size_t kMostFoldedSteps = 600;

size_t steps_in(const std::vector<TraceStep>& steps) {
  size_t n = steps.size();
  for (const TraceStep& step : steps) n += steps_in(step.body);
  return n;
}

// All but the partners of a rank's events, in order.
Sequence unfolded_sequence(const RankTrace& trace) {
  Sequence sequence;
  sequence.reserve(trace.n_events * 10);
  each_occurrence(trace.steps, [&](const TraceStep& step, uint64_t /*number*/) {
    const TraceEvent& e = trace.events[step.event];
    const TraceCommunicator& communicator = trace.communicators[e.communicator];
    uint64_t sent = 0;
    for (const auto& [peer, bytes] : e.sent) sent += bytes;
    for (const uint64_t number :
         {static_cast<uint64_t>(e.kind), static_cast<uint64_t>(e.collective), communicator.ordinal,
          communicator.members.size(), e.bytes, e.source_bytes, sent, e.requests.size()}) {
      sequence.push_back(static_cast<int64_t>(number));
    }
    for (const int number : {e.tag, e.source_tag, e.root, e.peer < 0 ? 0 : 1, e.source < 0 ? 0 : 1}) {
      sequence.push_back(number);
    }
  });
  return sequence;
}

// The equations of partners that ranks of a group obey, event by event: of destinations and of sources.
class CommonPartners {
 public:
  // Whether the rank has them in common with those that were added, and then it is one of these.
  bool add(const RankTrace& trace) {
    std::vector<RelationSet> common = sets_;
    size_t at = 0;
    bool is_alike = true;
    each_occurrence(trace.steps, [&](const TraceStep& step, uint64_t /*number*/) {
      const TraceEvent& e = trace.events[step.event];
      for (const int peer : {e.peer, e.source}) {
        if (peer < 0 || !is_alike) continue;
        if (at == common.size()) common.push_back(RelationSet().set());
        common[at] &= relations(trace, peer);
        is_alike = common[at++].any();
      }
    });
    if (is_alike) sets_ = std::move(common);
    return is_alike;
  }

 private:
  const RelationSet& relations(const RankTrace& trace, int other) {
    const auto [at, is_new] = known_.try_emplace({trace.rank, other});
    if (is_new) at->second = relations_between(static_cast<int>(trace.size), static_cast<int>(trace.rank), other);
    return at->second;
  }

  std::vector<RelationSet> sets_;
  std::map<std::pair<uint32_t, int>, RelationSet> known_;
};

RankGroups unfolded_groups(const std::vector<RankTrace>& run) {
  std::map<Sequence, std::vector<int>> alike;
  for (const RankTrace& trace : run) alike[unfolded_sequence(trace)].push_back(static_cast<int>(trace.rank));
  RankGroups groups;
  for (const auto& [sequence, ranks] : alike) {
    std::vector<std::pair<CommonPartners, std::vector<int>>> parts;
    for (const int rank : ranks) {
      const RankTrace& trace = run[static_cast<size_t>(rank)];
      auto part = std::ranges::find_if(parts, [&](auto& one) { return one.first.add(trace); });
      if (part == parts.end()) {
        part = parts.emplace(parts.end());
        part->first.add(trace);
      }
      part->second.push_back(rank);
    }
    for (auto& [partners, its] : parts) groups.push_back(std::move(its));
  }
  std::ranges::sort(groups);
  return groups;
}

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

Result<RankGroups> communication_groups(const std::vector<RankTrace>& run) {
  const bool is_long =
      std::ranges::any_of(run, [](const RankTrace& trace) { return steps_in(trace.steps) > kMostFoldedSteps; });
  const bool is_complete = std::ranges::all_of(run, [](const RankTrace& trace) { return trace.incomplete.empty(); });
  if (is_long && is_complete) return unfolded_groups(run);
  const auto model = TRY(model_of_run(run));
  return communication_groups(model);
}

RankGroups communication_groups(const ScaledTraces& traces) {
  SequenceNumbers numbers;
  std::vector<size_t> group_of_class;  // classes come in the order of their lowest ranks
  for (const RankClass& one : traces.classes()) group_of_class.push_back(numbers.of(ScaledSequence(one).take()));
  RankGroups groups;
  for (int rank = 0; rank < traces.ranks(); ++rank) {
    put_into(groups, group_of_class[traces.class_numbers()[static_cast<size_t>(rank)]], rank);
  }
  return groups;
}

}  // namespace scalediag::loggp
