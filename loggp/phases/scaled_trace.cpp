#include "loggp/phases/scaled_trace.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/parallel.h"
#include "loggp/phases/growing_chains.h"
#include "loggp/phases/messages/unmatched_messages.h"
#include "loggp/phases/unseen_levels.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

constexpr uint32_t kNoNumber = 0xFFFFFFFF;
constexpr double kLargestWhole = 9e18;  // below 2^63

// The model with what `ranks` have beyond the largest measured scale.
ScalingModel for_ranks(ScalingModel model, int ranks) {
  model = with_longer_chains(std::move(model), ranks);
  add_unseen_levels(model.slots, model.scales, ranks, model.equations);
  return model;
}

// What rank 0 does with each other rank has its ranks behind the relations.
bool is_rank(int relation) { return relation >= static_cast<int>(vocabulary().size()); }

// By relation, as ScaledTraces::distances_: steps in a grid with open borders.
std::vector<int> distances_of(int ranks) {
  std::vector<int> distances;
  for (const Relation& r : vocabulary()) {
    const bool is_step =
        (r.kind == RelationKind::kOffset || r.kind == RelationKind::kOffsetAtEnd) && r.border == Border::kOpen;
    distances.push_back(is_step ? process_grid(r.grid, ranks).rank(r.step) : 0);
  }
  return distances;
}

uint64_t whole_of(double value) {
  return value > 0 ? static_cast<uint64_t>(std::llround(std::min(value, kLargestWhole))) : 0;
}

void multiply(std::vector<TraceStep>& steps, double factor) {
  for (TraceStep& step : steps) {
    multiply(step.body, factor);
    for (uint64_t* time : {&step.before.total, &step.before.least, &step.before.most, &step.before.deviation}) {
      *time = whole_of(static_cast<double>(*time) * factor);
    }
  }
}

// Whether the value depends on the rank's place. Yes where that is not known.
bool differs_between_ranks(const ValueHypothesis& hypothesis) {
  if (!hypothesis.exact) return false;
  if (hypothesis.face || hypothesis.cells) return true;
  return std::any_of(hypothesis.terms.begin(), hypothesis.terms.end(), [](const ValueHypothesis::Term& term) {
    switch (features()[term.feature].kind) {
      case FeatureKind::kPower:
        return term.elements > 0 && !term.is_rounded_down;
      case FeatureKind::kOne:
      case FeatureKind::kLogarithm:
      case FeatureKind::kSide:
      case FeatureKind::kOtherSides:
        return false;
      case FeatureKind::kPerSide:
        return term.elements > 0;
      default:
        return true;
    }
  });
}

}  // namespace

// All that is asked about a rank while its trace is made, and differs between ranks.
class ScaledTraces::Answers {
 public:
  Answers(const ScaledTraces& traces, int rank) : traces_(traces), rank_(rank) {}

  bool has_partner(size_t relation) { return ask({nullptr, nullptr, relation, -1, 0}) != 0; }
  bool is_left_out(int slot) {
    const auto first = traces_.messages_left_out_.lower_bound({slot, 0});
    const bool on_any = first != traces_.messages_left_out_.end() && first->first == slot;
    return on_any && ask({nullptr, nullptr, 0, slot, 0}) != 0;
  }
  double value(const ValueHypothesis& hypothesis, int round) {
    const Question question{&hypothesis, nullptr, 0, -1, round};
    return differs_between_ranks(hypothesis) ? ask(question) : traces_.answer(question, rank_);
  }
  double value(const ComputationHypothesis& hypothesis) {
    const Question question{nullptr, &hypothesis, 0, -1, 0};
    return hypothesis.depends_on_rank() ? ask(question) : traces_.answer(question, rank_);
  }
  // In the order in which they were asked, each once.
  const std::vector<std::pair<Question, double>>& asked() const { return asked_; }

 private:
  double ask(const Question& question) {
    const auto [known, is_new] = known_.try_emplace(question, 0);
    if (is_new) asked_.emplace_back(question, known->second = traces_.answer(question, rank_));
    return known->second;
  }

  const ScaledTraces& traces_;
  int rank_;
  std::map<Question, double> known_;
  std::vector<std::pair<Question, double>> asked_;
};

// Makes the trace of a class. All that it learns of the rank it asks Answers for.
class ScaledTraces::Maker {
 public:
  Maker(ScaledTraces& traces, Answers& answers, int rank) : traces_(traces), model_(*traces.model_), answers_(answers) {
    made_.made_for = rank;
    RankTrace& trace = made_.trace;
    trace.rank = static_cast<uint32_t>(rank);
    trace.size = static_cast<uint32_t>(traces.ranks_);
    trace.host = "scaled";
    trace.executable = model_.executable;
    trace.mpi_version = model_.mpi_version;
  }

  RankClass make() {
    made_.trace.steps = list(model_.slots, 1);
    made_.trace.tail_ns = whole(model_.tail_ns) + static_cast<uint64_t>(std::min(computed_ns_, kLargestWhole));
    return std::move(made_);
  }

 private:
  uint64_t whole(const ValueHypothesis& hypothesis) {
    return whole_of(answers_.value(hypothesis, hypothesis.depends_on_round() ? round_ : 0));
  }
  int partner_by(std::optional<size_t> relation) {
    return relation && answers_.has_partner(*relation) ? static_cast<int>(*relation) : kNobody;
  }

  // A request that is open, by the slot that began it.
  struct Begun {
    int slot = 0;
    uint64_t number = 0;  // of all that the rank has begun
  };
  // What making a part of the trace changes.
  struct State {
    std::map<uint32_t, Begun> open;
    uint64_t n_begun, n_events;
    size_t events;
    double computed_ns;
  };
  State state() const { return {open_, n_begun_, made_.trace.n_events, made_.trace.events.size(), computed_ns_}; }
  void restore(const State& before) {
    open_ = before.open;
    n_begun_ = before.n_begun;
    made_.trace.n_events = before.n_events;
    made_.trace.events.resize(before.events);
    made_.slots.resize(before.events);
    computed_ns_ = before.computed_ns;
  }

  std::vector<TraceStep> list(const std::vector<Slot>& slots, uint64_t repeated) {
    std::vector<TraceStep> steps;
    for (const Slot& slot : slots) {
      const SlotEquations& e = model_.equations.at(slot.id);
      if (!slot.is_loop) {
        leaf(slot, e, repeated, steps);
        continue;
      }
      uint64_t rounds = whole(e.rounds);
      if (rounds == 0) continue;
      const bool differ = std::any_of(slot.body.begin(), slot.body.end(), [&](const Slot& s) {
        const SlotEquations& inside = model_.equations.at(s.id);
        return inside.tag.depends_on_round() || inside.bytes.depends_on_round();
      });
      const uint64_t made = std::min(rounds, traces_.most_rounds_);
      // What is computed before events of a loop of which the rank has none is recorded before none of its own.
      const double computed_before_ns = computed_ns_;
      const size_t steps_before = steps.size();
      if (differ || made < rounds) {
        const uint64_t stands_for = stands_for_;
        for (uint64_t k = 0; k < made; ++k) {
          const bool is_last = k + 1 == made;
          if (differ) round_ = static_cast<int>(is_last ? k + (rounds - made) / 2 : k);
          if (is_last) stands_for_ = stands_for * (rounds - made + 1);
          std::vector<TraceStep> one = list(slot.body, repeated);
          steps.insert(steps.end(), std::make_move_iterator(one.begin()), std::make_move_iterator(one.end()));
        }
        stands_for_ = stands_for;
        if (differ) round_ = 0;
        if (steps.size() == steps_before) computed_ns_ = computed_before_ns;
        continue;
      }
      const State before = state();
      const uint64_t waited_outside = std::exchange(first_waited_for_, UINT64_MAX);
      std::vector<TraceStep> body = list(slot.body, repeated * rounds);
      if (first_waited_for_ < before.n_begun && rounds > 1) {
        // The first round waits for what was begun before the loop, which the others do not.
        restore(before);
        body = list(slot.body, repeated);
        steps.insert(steps.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
        body = list(slot.body, repeated * --rounds);
      }
      first_waited_for_ = std::min(first_waited_for_, waited_outside);
      if (body.empty()) {
        if (steps.size() == steps_before) computed_ns_ = computed_before_ns;
        continue;
      }
      if (rounds == 1) {
        steps.insert(steps.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
        continue;
      }
      // The computation left at the end of a round is before the first event of the next.
      TraceStep* first = &body.front();
      while (first->count > 0) first = &first->body.front();
      set_total(first->before, static_cast<double>(first->before.total) + std::exchange(computed_ns_, 0));
      TraceStep loop;
      loop.count = rounds;
      loop.body = std::move(body);
      steps.push_back(std::move(loop));
    }
    return steps;
  }

  static void set_total(TraceTimes& times, double total_ns) {
    times.total = static_cast<uint64_t>(std::llround(std::min(total_ns, kLargestWhole)));
    times.least = times.most = times.n > 0 ? times.total / times.n : 0;
  }

  bool is_left_out(const Slot& slot, const SlotEquations& e) const {
    if (e.why_not.empty()) return false;
    const auto last = slot.seen.lower_bound({model_.scales.back(), 0});
    return last == slot.seen.end();
  }

  void leaf(const Slot& slot, const SlotEquations& e, uint64_t repeated, std::vector<TraceStep>& steps) {
    if (is_left_out(slot, e)) return;
    computed_ns_ += static_cast<double>(repeated) * std::max(0.0, answers_.value(e.before_ns));
    TraceEvent event;
    event.kind = slot.kind;
    event.collective = slot.collective;
    event.reason = slot.reason;
    event.stands_for = static_cast<uint32_t>(std::min<uint64_t>(stands_for_, UINT32_MAX));
    if (slot.kind == EventKind::kCommunicatorMade) event.agreements = agreements_of(model_.mpi_version);
    if (slot.kind != EventKind::kWait && slot.kind != EventKind::kNotReplayed) {
      if (!e.communicator) return;
      event.communicator =
          traces_.communicator_number({*e.communicator, slot.ordinal, slot.kind == EventKind::kExchange});
    }
    if (slot.talks()) {
      event.peer = partner_by(e.peer);
      event.source = partner_by(e.source);
      if ((event.peer == kNobody && event.source == kNobody) || answers_.is_left_out(slot.id)) return;
      event.tag = event.peer == kNobody ? traces_.tag_number(0)
                  : e.tag.is_constant() ? traces_.tag_number(e.tag.at(1, 0, 0))
                                        : traces_.tag_number(slot, round_);
      event.source_tag = traces_.tag_number(event.source == kNobody ? 0 : slot.source_tag);
    }
    if (event.peer != kNobody || !slot.talks()) {
      const bool by_equation = slot.talks() && e.bytes.cells;
      event.bytes = by_equation ? traces_.bytes_number(slot, e.bytes.depends_on_round() ? round_ : 0) : whole(e.bytes);
    }
    if (event.source != kNobody) event.source_bytes = whole(e.source_bytes);
    if (slot.kind == EventKind::kCollective) event.root = static_cast<int>(whole(e.root));
    if (event.peer != kNobody && vocabulary()[static_cast<size_t>(event.peer)].kind == RelationKind::kEachOther) {
      for (int other = 1; other < traces_.ranks_; ++other) {
        if (other > 1) computed_ns_ += static_cast<double>(repeated) * std::max(0.0, answers_.value(e.before_ns));
        event.peer = static_cast<int>(vocabulary().size()) + other;
        event.request = static_cast<uint32_t>(other - 1);
        add(slot, event, repeated, steps);
      }
      return;
    }
    if (slot.kind == EventKind::kWait && !wait(slot, event)) return;
    if (slot.kind == EventKind::kExchange) exchange(*e.communicator, event);
    add(slot, std::move(event), repeated, steps);
  }

  void add(const Slot& slot, TraceEvent event, uint64_t repeated, std::vector<TraceStep>& steps) {
    if (slot.kind == EventKind::kIsend || slot.kind == EventKind::kIrecv) {
      while (open_.count(event.request) > 0) ++event.request;
      open_[event.request] = {slot.id, n_begun_++};
    }
    event.routine = routine(slot.routine);
    TraceStep step;
    step.event = static_cast<uint32_t>(made_.trace.events.size());
    made_.trace.events.push_back(std::move(event));
    made_.slots.push_back(slot.id);
    step.before.n = repeated;
    set_total(step.before, std::exchange(computed_ns_, 0));
    made_.trace.n_events += repeated;
    steps.push_back(std::move(step));
  }

  // With all members alike.
  void exchange(size_t communicator, TraceEvent& event) const {
    const size_t members = members_by(communicator, traces_.ranks_, made_.made_for).size();
    const auto size = members == 0 ? traces_.ranks_ : static_cast<int>(members);
    for (int i = 0; i < size; ++i) {
      event.sent.emplace_back((made_.made_for + i) % traces_.ranks_, event.bytes / static_cast<uint64_t>(size));
    }
    event.received = event.sent;
    event.bytes = 0;
  }

  // Whether there is anything to wait for.
  bool wait(const Slot& slot, TraceEvent& event) {
    for (const auto& [request, begun] : open_) {
      if (slot.waits_for.count(begun.slot) == 0) continue;
      event.requests.push_back(request);
      first_waited_for_ = std::min(first_waited_for_, begun.number);
    }
    if (event.requests.empty()) return false;
    for (const uint32_t request : event.requests) open_.erase(request);
    if (open_.empty()) event.requests.clear();
    return true;
  }

  uint32_t routine(const std::string& name) {
    const auto known = std::find(made_.trace.routines.begin(), made_.trace.routines.end(), name);
    const auto at = static_cast<uint32_t>(known - made_.trace.routines.begin());
    if (known == made_.trace.routines.end()) made_.trace.routines.push_back(name);
    return at;
  }

  ScaledTraces& traces_;
  const ScalingModel& model_;
  Answers& answers_;
  RankClass made_;
  std::map<uint32_t, Begun> open_;
  uint64_t n_begun_ = 0;                    // requests
  uint64_t first_waited_for_ = UINT64_MAX;  // the lowest Begun::number that was waited for in the loop
  double computed_ns_ = 0;                  // in sum, since the last event that the rank has
  int round_ = 0;                           // of the innermost loop whose rounds differ
  uint64_t stands_for_ = 1;                 // TraceEvent::stands_for
};

ScaledTraces::ScaledTraces(ScalingModel model, int ranks, uint64_t most_rounds)
    : model_(std::make_shared<const ScalingModel>(for_ranks(std::move(model), ranks))),
      ranks_(ranks),
      most_rounds_(std::max<uint64_t>(most_rounds, 2)),
      distances_(distances_of(ranks)),
      peers_(distances_.size()) {
  classify();
  leave_out_unmatched();
}

// What is left out of one rank's trace can be what another one has waited for.
void ScaledTraces::leave_out_unmatched() {
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds; ++round) {
    UnmatchedMessages now(*model_, ranks_, each_message());
    if (!now.leave_out(messages_left_out_, left_out_)) {
      unmatched_ = now.unmatched();
      return;
    }
    classify();
  }
  unmatched_ = UnmatchedMessages(*model_, ranks_, each_message()).unmatched();
  unmatched_.why_there = "leaving out those before has left these without a partner";
}

void ScaledTraces::classify() {
  nodes_.clear();
  classes_.clear();
  class_numbers_.clear();
  tags_.clear();
  tag_numbers_.clear();
  bytes_.clear();
  bytes_numbers_.clear();
  communicators_.assign(1, {});
  // Most ranks are of a class that is known from those before them.
  constexpr size_t kAtOnce = 65536, kWorthAThread = 1024;
  const auto ranks = static_cast<size_t>(ranks_);
  class_numbers_.resize(ranks);
  for (size_t first = 0; first < ranks; first += kAtOnce) {
    const size_t n = std::min(kAtOnce, ranks - first);
    const auto look_up = [&](size_t begin, size_t end) {
      for (size_t rank = first + begin; rank < first + end; ++rank) {
        class_numbers_[rank] = known_class(static_cast<int>(rank));
      }
    };
    core::in_parallel(n, 0, look_up, kWorthAThread);
    for (size_t rank = first; rank < first + n; ++rank) {
      if (class_numbers_[rank] == kNoNumber) class_numbers_[rank] = find_class(static_cast<int>(rank));
    }
  }
  for (const RankClass& one : classes_) {
    for (const TraceEvent& event : one.trace.events) {
      list_peers(event.peer);
      list_peers(event.source);
    }
  }
}

void ScaledTraces::scale_computation(const std::vector<double>& factors) {
  for (size_t i = 0; i < classes_.size(); ++i) {
    RankTrace& trace = classes_[i].trace;
    multiply(trace.steps, factors[i]);
    trace.tail_ns = whole_of(static_cast<double>(trace.tail_ns) * factors[i]);
  }
}

void ScaledTraces::list_peers(int relation) {
  if (relation == kNobody || is_rank(relation) || distances_[static_cast<size_t>(relation)] != 0) return;
  std::vector<int>& peers = peers_[static_cast<size_t>(relation)];
  if (!peers.empty()) return;
  constexpr size_t kWorthAThread = 16384;
  peers.resize(static_cast<size_t>(ranks_));
  const auto list = [&](size_t begin, size_t end) {
    for (size_t rank = begin; rank < end; ++rank) peers[rank] = peer(relation, static_cast<int>(rank));
  };
  core::in_parallel(peers.size(), 0, list, kWorthAThread);
}

double ScaledTraces::answer(const Question& question, int rank) const {
  if (question.value != nullptr) return question.value->at(ranks_, rank, question.round);
  if (question.computation != nullptr) return question.computation->at(ranks_, rank);
  if (question.left_out_slot >= 0) return messages_left_out_.count({question.left_out_slot, rank}) > 0 ? 1 : 0;
  return peer(static_cast<int>(question.relation), rank) != kNobody ? 1 : 0;
}

uint32_t ScaledTraces::find_class(int rank) {
  const uint32_t known = known_class(rank);
  return known == kNoNumber ? add_class(rank) : known;
}

uint32_t ScaledTraces::known_class(int rank) const {
  if (nodes_.empty()) return kNoNumber;
  const Node* node = &nodes_.front();
  while (!node->is_leaf) {
    const double wanted = answer(node->question, rank);
    const auto found = std::find_if(node->answers.begin(), node->answers.end(),
                                    [wanted](const auto& known) { return known.first == wanted; });
    if (found == node->answers.end()) return kNoNumber;
    node = &nodes_[found->second];
  }
  return node->rank_class;
}

// The questions begin like those of the classes before as long as the answers are the same.
uint32_t ScaledTraces::add_class(int rank) {
  Answers answers(*this, rank);
  classes_.push_back(Maker(*this, answers, rank).make());
  if (nodes_.empty()) nodes_.emplace_back();
  uint32_t at = 0;
  for (const auto& [question, wanted] : answers.asked()) {
    nodes_[at].question = question;
    auto& known = nodes_[at].answers;
    auto found = std::find_if(known.begin(), known.end(), [w = wanted](const auto& a) { return a.first == w; });
    if (found != known.end()) {
      at = found->second;
      continue;
    }
    known.emplace_back(wanted, static_cast<uint32_t>(nodes_.size()));
    at = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  nodes_[at].is_leaf = true;
  return nodes_[at].rank_class = static_cast<uint32_t>(classes_.size() - 1);
}

int ScaledTraces::tag_number(int tag) {
  const auto [known, is_new] = tag_numbers_.try_emplace({-1, tag}, static_cast<int>(tags_.size()));
  if (is_new) tags_.push_back({TagHypothesis::constant(tag), 0});
  return known->second;
}

int ScaledTraces::tag_number(const Slot& slot, int round) {
  const auto [known, is_new] = tag_numbers_.try_emplace({slot.id, round}, static_cast<int>(tags_.size()));
  if (is_new) tags_.push_back({model_->equations.at(slot.id).tag, round});
  return known->second;
}

uint64_t ScaledTraces::bytes_number(const Slot& slot, int round) {
  const auto [known, is_new] = bytes_numbers_.try_emplace({slot.id, round}, kByEquation | bytes_.size());
  if (is_new) bytes_.push_back({&model_->equations.at(slot.id).bytes, round});
  return known->second;
}

uint64_t ScaledTraces::bytes_by_equation(uint64_t number, int rank) const {
  const Bytes& bytes = bytes_[number];
  return whole_of(bytes.hypothesis->at(ranks_, rank, bytes.round));
}

uint32_t ScaledTraces::communicator_number(const Communicator& communicator) {
  const auto known = std::find(communicators_.begin(), communicators_.end(), communicator);
  const auto number = static_cast<uint32_t>(known - communicators_.begin());
  if (known == communicators_.end()) communicators_.push_back(communicator);
  return number;
}

int ScaledTraces::peer(int relation, int rank) const {
  if (is_rank(relation)) return relation - static_cast<int>(vocabulary().size());
  return partner(vocabulary()[static_cast<size_t>(relation)], ranks_, rank);
}

RankTrace ScaledTraces::rank(int rank) const {
  RankTrace trace = classes_[class_numbers_[static_cast<size_t>(rank)]].trace;
  trace.rank = static_cast<uint32_t>(rank);
  trace.communicators.emplace_back();
  std::vector<uint32_t> numbers(communicators_.size(), kNoNumber);
  numbers[0] = 0;
  const auto number_of = [&](uint32_t communicator) {
    uint32_t& number = numbers[communicator];
    if (number != kNoNumber) return number;
    const auto& [relation, ordinal, for_exchanges] = communicators_[communicator];
    const std::vector<int> members = members_by(relation, ranks_, rank);
    const auto known =
        std::find_if(trace.communicators.begin(), trace.communicators.end(),
                     [&, o = ordinal](const TraceCommunicator& c) { return c.ordinal == o && c.members == members; });
    number = static_cast<uint32_t>(known - trace.communicators.begin());
    if (known == trace.communicators.end()) trace.communicators.push_back({ordinal, members});
    return number;
  };
  for (TraceEvent& event : trace.events) {
    event.communicator = number_of(event.communicator);
    event.bytes = bytes(event.bytes, rank);
    if (event.peer != kNobody || event.source != kNobody) {
      if (event.peer != kNobody) event.peer = peer(event.peer, rank);
      if (event.source != kNobody) event.source = peer(event.source, rank);
      event.tag = tag(event.tag, rank);
      event.source_tag = tag(event.source_tag, rank);
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

void collect_messages(const ScaledTraces::RankClass& one, const std::vector<TraceStep>& steps, int64_t repeated,
                      std::vector<ClassMessage>& messages) {
  for (const TraceStep& step : steps) {
    if (step.count > 0) {
      collect_messages(one, step.body, repeated * static_cast<int64_t>(step.count), messages);
      continue;
    }
    const TraceEvent& e = one.trace.events[step.event];
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
  return [this, messages = std::move(messages), communicators = CommunicatorNumbers(communicators_, ranks_)](
             const std::function<void(const ScaledMessage&)>& visit, int begin, int end) {
    for (int rank = begin; rank < end; ++rank) {
      for (const ClassMessage& m : messages[class_numbers_[static_cast<size_t>(rank)]]) {
        const int other = existing_peer(m.relation, rank);
        const bool sent = m.balance > 0;
        visit({m.slot, rank, sent ? rank : other, sent ? other : rank, tag(m.tag, rank),
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
