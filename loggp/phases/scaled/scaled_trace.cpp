#include "loggp/phases/scaled/scaled_trace.h"

#include <algorithm>
#include <utility>

#include "core/parallel.h"
#include "loggp/phases/growing_chains.h"
#include "loggp/phases/unseen_levels.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

constexpr uint32_t kNoNumber = 0xFFFFFFFF;

// The model with what `ranks` have beyond the largest measured scale.
ScalingModel for_ranks(ScalingModel model, int ranks) {
  model = with_longer_chains(std::move(model), ranks);
  add_unseen_levels(model.slots, model.scales, ranks, model.equations);
  return model;
}

void multiply(const RankTrace& trace, std::vector<TraceStep>& steps, double factor) {
  for (TraceStep& step : steps) {
    multiply(trace, step.body, factor);
    if (step.count == 0 && trace.events[step.event].kind == EventKind::kDeviceWait) continue;
    for (uint64_t* time : {&step.before.total, &step.before.least, &step.before.most, &step.before.deviation}) {
      *time = whole_of(static_cast<double>(*time) * factor);
    }
  }
}

void multiply_computation(RankTrace& trace, double factor) {
  multiply(trace, trace.steps, factor);
  trace.tail_ns = whole_of(static_cast<double>(trace.tail_ns) * factor);
}

}  // namespace

ScaledTraces::ScaledTraces(ScalingModel model, int ranks, uint64_t most_rounds)
    : model_(std::make_shared<const ScalingModel>(for_ranks(std::move(model), ranks))),
      most_rounds_(std::max<uint64_t>(most_rounds, 2)),
      facts_{ranks, ScaledPartners(ranks), {}},
      numbers_(*model_, ranks) {
  classify();
  leave_out_unmatched();
}

// What is left out of one rank's trace can be what another one has waited for.
void ScaledTraces::leave_out_unmatched() {
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds; ++round) {
    UnmatchedMessages now(*model_, ranks(), each_message());
    if (!now.leave_out(facts_.left_out, left_out_)) {
      unmatched_ = now.unmatched();
      return;
    }
    classify();
  }
  unmatched_ = UnmatchedMessages(*model_, ranks(), each_message()).unmatched();
  unmatched_.why_there = "leaving out those before has left these without a partner";
}

void ScaledTraces::classify() {
  numbers_ = ScaledNumbers(*model_, ranks());
  tree_ = {};
  classes_.clear();
  // Most ranks are of a class that is known from those before them.
  constexpr size_t kAtOnce = 65536, kWorthAThread = 1024;
  const auto n_ranks = static_cast<size_t>(ranks());
  class_numbers_.resize(n_ranks);
  for (size_t first = 0; first < n_ranks; first += kAtOnce) {
    const size_t n = std::min(kAtOnce, n_ranks - first);
    const auto look_up = [&](size_t begin, size_t end) {
      for (size_t rank = first + begin; rank < first + end; ++rank) {
        class_numbers_[rank] = tree_.class_of(facts_, static_cast<int>(rank)).value_or(kNoNumber);
      }
    };
    core::in_parallel(n, 0, look_up, kWorthAThread);
    for (size_t rank = first; rank < first + n; ++rank) {
      if (class_numbers_[rank] == kNoNumber) class_numbers_[rank] = find_class(static_cast<int>(rank));
    }
  }
  for (const RankClass& one : classes_) {
    for (const TraceEvent& event : one.trace.events) {
      facts_.partners.list(event.peer);
      facts_.partners.list(event.source);
    }
  }
}

void ScaledTraces::scale_computation(const std::vector<double>& factors) {
  for (size_t i = 0; i < classes_.size(); ++i) multiply_computation(classes_[i].trace, factors[i]);
}

uint32_t ScaledTraces::find_class(int rank) {
  if (const auto known = tree_.class_of(facts_, rank)) return *known;
  RankAnswers answers(facts_, rank);
  const auto number = static_cast<uint32_t>(classes_.size());
  classes_.push_back(class_trace(*model_, most_rounds_, answers, numbers_));
  tree_.add_class(answers.asked(), number);
  return number;
}

RankTrace ScaledTraces::rank(int rank) const {
  RankTrace trace = classes_[class_numbers_[static_cast<size_t>(rank)]].trace;
  trace.rank = static_cast<uint32_t>(rank);
  if (!rank_factors_.empty()) multiply_computation(trace, rank_factor(rank));
  trace.communicators.emplace_back();
  std::vector<uint32_t> own_numbers(numbers_.communicators().size(), kNoNumber);
  own_numbers[0] = 0;
  const auto number_of = [&](uint32_t communicator) {
    uint32_t& number = own_numbers[communicator];
    if (number != kNoNumber) return number;
    const auto& [relation, ordinal, for_exchanges] = numbers_.communicators()[communicator];
    const std::vector<int> members = members_by(relation, ranks(), rank);
    const auto known =
        std::find_if(trace.communicators.begin(), trace.communicators.end(),
                     [&, o = ordinal](const TraceCommunicator& c) { return c.ordinal == o && c.members == members; });
    number = static_cast<uint32_t>(known - trace.communicators.begin());
    if (known == trace.communicators.end()) trace.communicators.push_back({ordinal, members});
    return number;
  };
  for (TraceEvent& event : trace.events) {
    event.communicator = number_of(event.communicator);
    event.bytes = numbers_.bytes(event.bytes, rank);
    if (event.peer != kNobody || event.source != kNobody) {
      if (event.peer != kNobody) event.peer = facts_.partners.of(event.peer, rank);
      if (event.source != kNobody) event.source = facts_.partners.of(event.source, rank);
      event.tag = numbers_.tag(event.tag, rank);
      event.source_tag = numbers_.tag(event.source_tag, rank);
    }
    const std::vector<int>& members = trace.communicators[event.communicator].members;
    for (size_t i = 0; i < event.sent.size(); ++i)
      event.sent[i].first = members.empty() ? static_cast<int>(i) : members[i];
    event.received = event.sent;
  }
  return trace;
}

namespace {

// A message of a class's trace: the slot that it is of, the relation of the other side, the numbers of tag and
// communicator, and how often it is sent or, below 0, received.
struct ClassMessage {
  int slot = 0, relation = 0, tag = 0;
  uint32_t communicator = 0;
  int64_t balance = 0;
};

void collect_messages(const RankClass& one, const std::vector<TraceStep>& steps, int64_t repeated,
                      std::vector<ClassMessage>& messages) {
  for (const TraceStep& step : steps) {
    if (step.count > 0) {
      collect_messages(one, step.body, repeated * static_cast<int64_t>(step.count), messages);
      continue;
    }
    const TraceEvent& e = one.trace.events[step.event];
    if (e.kind == EventKind::kRemote) continue;  // nobody receives it
    const int slot = one.slots[step.event];
    const bool received = e.kind == EventKind::kRecv || e.kind == EventKind::kIrecv;
    if (e.peer != kNobody) messages.push_back({slot, e.peer, e.tag, e.communicator, received ? -repeated : repeated});
    if (e.source != kNobody) messages.push_back({slot, e.source, e.source_tag, e.communicator, -repeated});
  }
}

}  // namespace

EachMessage ScaledTraces::each_message() const {
  std::vector<std::vector<ClassMessage>> messages(classes_.size());
  for (size_t i = 0; i < classes_.size(); ++i) collect_messages(classes_[i], classes_[i].trace.steps, 1, messages[i]);
  return [this, messages = std::move(messages), communicators = CommunicatorNumbers(numbers_.communicators(), ranks())](
             const std::function<void(const ScaledMessage&)>& visit, int begin, int end) {
    for (int rank = begin; rank < end; ++rank) {
      for (const ClassMessage& m : messages[class_numbers_[static_cast<size_t>(rank)]]) {
        const int other = facts_.partners.existing(m.relation, rank);
        const bool sent = m.balance > 0;
        visit({m.slot, rank, sent ? rank : other, sent ? other : rank, numbers_.tag(m.tag, rank),
               communicators.number(m.communicator, rank), m.balance});
      }
    }
  };
}

uint64_t unmatched_at_target(const ScalingModel& model) {
  if (model.target > kMostChecked) return 0;
  const ScaledTraces traces(model, model.target);
  return traces.left_out().messages + traces.unmatched().messages;
}

}  // namespace scalediag::loggp
