#include "loggp/phases/scaled/class_trace.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// Makes the trace of a class. All that it learns of the rank it asks RankAnswers for.
class Maker {
 public:
  Maker(const ScalingModel& model, uint64_t most_rounds, RankAnswers& answers, ScaledNumbers& numbers)
      : model_(model), ranks_(answers.ranks()), most_rounds_(most_rounds), answers_(answers), numbers_(numbers) {
    made_.made_for = answers.rank();
    RankTrace& trace = made_.trace;
    trace.rank = static_cast<uint32_t>(answers.rank());
    trace.size = static_cast<uint32_t>(ranks_);
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
    const Slot* slot = nullptr;
    uint64_t number = 0;  // of all that the rank has begun
  };
  // What making a part of the trace changes.
  struct State {
    std::map<uint32_t, Begun> open;
    uint64_t n_begun, n_events;
    size_t events, skipped_waits;
    double computed_ns;
  };
  State state() const {
    return {open_, n_begun_, made_.trace.n_events, made_.trace.events.size(), skipped_waits_.size(), computed_ns_};
  }
  void restore(const State& before) {
    open_ = before.open;
    n_begun_ = before.n_begun;
    made_.trace.n_events = before.n_events;
    made_.trace.events.resize(before.events);
    made_.slots.resize(before.events);
    skipped_waits_.resize(before.skipped_waits);
    computed_ns_ = before.computed_ns;
  }

  std::vector<TraceStep> list(const std::vector<Slot>& slots, uint64_t repeated) {
    std::vector<TraceStep> steps;
    for (const Slot& slot : slots) {
      const SlotEquations& e = model_.equations.at(slot.id);
      slot.is_loop ? loop(slot, whole(e.rounds), repeated, steps) : leaf(slot, e, repeated, steps);
    }
    return steps;
  }

  void loop(const Slot& slot, uint64_t rounds, uint64_t repeated, std::vector<TraceStep>& steps) {
    if (rounds == 0) return;
    const bool differ = std::any_of(slot.body.begin(), slot.body.end(), [&](const Slot& s) {
      const SlotEquations& inside = model_.equations.at(s.id);
      return inside.tag.depends_on_round() || inside.bytes.depends_on_round();
    });
    // What is computed before events of a loop of which the rank has none is recorded before none of its own.
    const double computed_before_ns = computed_ns_;
    const size_t steps_before = steps.size();
    if (differ || rounds > most_rounds_) {
      each_round(slot, rounds, differ, repeated, steps);
    } else {
      same_rounds(slot, rounds, repeated, steps);
    }
    if (steps.size() == steps_before) computed_ns_ = computed_before_ns;
  }

  // The rounds one after another, as many as are made. `differ`: by the number of the round.
  void each_round(const Slot& slot, uint64_t rounds, bool differ, uint64_t repeated, std::vector<TraceStep>& steps) {
    const uint64_t made = std::min(rounds, most_rounds_);
    const uint64_t stands_for = stands_for_;
    for (uint64_t k = 0; k < made; ++k) {
      const bool is_last = k + 1 == made;
      if (differ) round_ = static_cast<int>(is_last ? k + (rounds - made) / 2 : k);
      if (is_last) stands_for_ = stands_for * (rounds - made + 1);
      append(list(slot.body, repeated), steps);
    }
    stands_for_ = stands_for;
    if (differ) round_ = 0;
  }

  // The rounds as a loop.
  void same_rounds(const Slot& slot, uint64_t rounds, uint64_t repeated, std::vector<TraceStep>& steps) {
    const State before = state();
    const uint64_t waited_outside = std::exchange(first_waited_for_, UINT64_MAX);
    std::vector<TraceStep> body = list(slot.body, repeated * rounds);
    if (rounds > 1 && (first_waited_for_ < before.n_begun || may_wait_for_more(before))) {
      // The first round waits for what was begun before the loop, or not for what others leave to the next round.
      restore(before);
      append(list(slot.body, repeated), steps);
      body = list(slot.body, repeated * --rounds);
    }
    first_waited_for_ = std::min(first_waited_for_, waited_outside);
    if (body.empty()) return;
    if (rounds == 1) {
      append(std::move(body), steps);
      return;
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

  // Whether a wait that had nothing to wait for since `before` has now.
  bool may_wait_for_more(const State& before) const {
    return std::any_of(skipped_waits_.begin() + static_cast<std::ptrdiff_t>(before.skipped_waits), skipped_waits_.end(),
                       [this](const Slot* wait) {
                         return std::any_of(open_.begin(), open_.end(), [wait](const auto& open) {
                           return wait->waits_for.count(open.second.slot->id) > 0;
                         });
                       });
  }

  static void append(std::vector<TraceStep> more, std::vector<TraceStep>& steps) {
    steps.insert(steps.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  static void set_total(TraceTimes& times, double total_ns) {
    times.total = whole_of(total_ns);
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
      event.communicator = numbers_.number_of({*e.communicator, slot.ordinal, slot.kind == EventKind::kExchange});
    }
    if (slot.talks()) {
      event.peer = partner_by(e.peer);
      event.source = partner_by(e.source);
      if ((event.peer == kNobody && event.source == kNobody) || answers_.is_left_out(slot.id)) return;
      event.tag = event.peer == kNobody ? numbers_.number_of_tag(0)
                  : e.tag.is_constant() ? numbers_.number_of_tag(e.tag.at(1, 0, 0))
                                        : numbers_.number_of_tag(slot, round_);
      event.source_tag = numbers_.number_of_tag(event.source == kNobody ? 0 : slot.source_tag);
    }
    if (event.peer != kNobody || !slot.talks()) {
      const bool by_equation = slot.talks() && e.bytes.cells;
      event.bytes =
          by_equation ? numbers_.number_of_bytes(slot, e.bytes.depends_on_round() ? round_ : 0) : whole(e.bytes);
    }
    if (event.source != kNobody) event.source_bytes = whole(e.source_bytes);
    if (slot.kind == EventKind::kCollective) event.root = static_cast<int>(whole(e.root));
    if (event.peer != kNobody && vocabulary()[static_cast<size_t>(event.peer)].kind == RelationKind::kEachOther) {
      for (int other = 1; other < ranks_; ++other) {
        if (other > 1) computed_ns_ += static_cast<double>(repeated) * std::max(0.0, answers_.value(e.before_ns));
        event.peer = ScaledPartners::to_rank(other);
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
    if (begins_request(slot.kind)) {
      auto open = open_.find(event.request);
      while (open != open_.end() && !share_request(*open->second.slot, slot)) open = open_.find(++event.request);
      if (open == open_.end()) open_[event.request] = {&slot, n_begun_++};
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

  // Whether two accesses of a window had one request where both were measured.
  static bool share_request(const Slot& a, const Slot& b) {
    if (a.kind != EventKind::kRemote || b.kind != EventKind::kRemote) return false;
    return std::any_of(a.seen.begin(), a.seen.end(), [&](const auto& at) {
      const auto other = b.seen.find(at.first);
      return other != b.seen.end() && other->second.requests == at.second.requests;
    });
  }

  // With all members alike.
  void exchange(size_t communicator, TraceEvent& event) const {
    const size_t members = members_by(communicator, ranks_, made_.made_for).size();
    const auto size = members == 0 ? ranks_ : static_cast<int>(members);
    for (int i = 0; i < size; ++i) {
      event.sent.emplace_back((made_.made_for + i) % ranks_, event.bytes / static_cast<uint64_t>(size));
    }
    event.received = event.sent;
    event.bytes = 0;
  }

  // Whether there is anything to wait for.
  bool wait(const Slot& slot, TraceEvent& event) {
    for (const auto& [request, begun] : open_) {
      if (slot.waits_for.count(begun.slot->id) == 0) continue;
      event.requests.push_back(request);
      first_waited_for_ = std::min(first_waited_for_, begun.number);
    }
    if (event.requests.empty()) {
      skipped_waits_.push_back(&slot);
      return false;
    }
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

  const ScalingModel& model_;
  const int ranks_;
  const uint64_t most_rounds_;
  RankAnswers& answers_;
  ScaledNumbers& numbers_;
  RankClass made_;
  std::map<uint32_t, Begun> open_;
  std::vector<const Slot*> skipped_waits_;  // that had nothing to wait for
  uint64_t n_begun_ = 0;                    // requests
  uint64_t first_waited_for_ = UINT64_MAX;  // the lowest Begun::number that was waited for in the loop
  double computed_ns_ = 0;                  // in sum, since the last event that the rank has
  int round_ = 0;                           // of the innermost loop whose rounds differ
  uint64_t stands_for_ = 1;                 // TraceEvent::stands_for
};

}  // namespace

RankClass class_trace(const ScalingModel& model, uint64_t most_rounds, RankAnswers& answers, ScaledNumbers& numbers) {
  return Maker(model, most_rounds, answers, numbers).make();
}

}  // namespace scalediag::loggp
