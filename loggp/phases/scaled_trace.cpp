#include "loggp/phases/scaled_trace.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

constexpr double kLongestNs = 9e18;

class RankMaker {
 public:
  RankMaker(const ScalingModel& model, int ranks, int rank) : model_(model), ranks_(ranks), rank_(rank) {
    made_.rank = static_cast<uint32_t>(rank);
    made_.size = static_cast<uint32_t>(ranks);
    made_.host = "scaled";
    made_.executable = model.executable;
    made_.mpi_version = model.mpi_version;
    made_.communicators.emplace_back();
  }

  RankTrace make() {
    made_.steps = list(model_.slots, 1);
    made_.tail_ns = whole(model_.tail_ns) + static_cast<uint64_t>(std::min(computed_ns_, kLongestNs));
    return std::move(made_);
  }

 private:
  uint64_t whole(const ValueHypothesis& hypothesis) const {
    const double value = hypothesis.at(ranks_, rank_);
    return value > 0 ? static_cast<uint64_t>(std::llround(value)) : 0;
  }

  std::vector<TraceStep> list(const std::vector<Slot>& slots, uint64_t repeated) {
    std::vector<TraceStep> steps;
    for (const Slot& slot : slots) {
      const SlotEquations& e = model_.equations.at(slot.id);
      if (!slot.is_loop) {
        leaf(slot, e, repeated, steps);
        continue;
      }
      const uint64_t rounds = whole(e.rounds);
      if (rounds == 0) continue;
      const bool differ = std::any_of(slot.body.begin(), slot.body.end(),
                                      [&](const Slot& s) { return model_.equations.at(s.id).tag.depends_on_round(); });
      if (differ) {
        for (uint64_t k = 0; k < rounds; ++k) {
          round_ = static_cast<int>(k);
          std::vector<TraceStep> one = list(slot.body, repeated);
          steps.insert(steps.end(), std::make_move_iterator(one.begin()), std::make_move_iterator(one.end()));
        }
        round_ = 0;
        continue;
      }
      std::vector<TraceStep> body = list(slot.body, repeated * rounds);
      if (body.empty()) continue;
      if (rounds == 1) {
        steps.insert(steps.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
        continue;
      }
      // What is left at the end of a round is computed before the first event of the next.
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
    times.total = static_cast<uint64_t>(std::llround(std::min(total_ns, kLongestNs)));
    times.least = times.most = times.n > 0 ? times.total / times.n : 0;
  }

  bool is_left_out(const Slot& slot, const SlotEquations& e) const {
    if (e.why_not.empty()) return false;
    const auto last = slot.seen.lower_bound({model_.scales.back(), 0});
    return last == slot.seen.end();
  }

  uint32_t communicator(const Slot& slot, const SlotEquations& e) {
    TraceCommunicator wanted;
    wanted.ordinal = slot.ordinal;
    wanted.members = members_by(*e.communicator, ranks_, rank_);
    for (uint32_t i = 0; i < made_.communicators.size(); ++i) {
      const TraceCommunicator& known = made_.communicators[i];
      if (known.ordinal == wanted.ordinal && known.members == wanted.members) return i;
    }
    made_.communicators.push_back(std::move(wanted));
    return static_cast<uint32_t>(made_.communicators.size() - 1);
  }

  void leaf(const Slot& slot, const SlotEquations& e, uint64_t repeated, std::vector<TraceStep>& steps) {
    if (is_left_out(slot, e)) return;
    computed_ns_ += static_cast<double>(repeated) * std::max(0.0, e.before_ns.at(ranks_, rank_));
    TraceEvent event;
    event.kind = slot.kind;
    if (slot.talks()) event.tag = e.tag.at(ranks_, rank_, round_);
    event.source_tag = slot.source_tag;
    event.collective = slot.collective;
    event.reason = slot.reason;
    if (slot.kind == EventKind::kCommunicatorMade) event.agreements = agreements_of(model_.mpi_version);
    if (slot.kind != EventKind::kWait && slot.kind != EventKind::kNotReplayed) {
      if (!e.communicator) return;
      event.communicator = communicator(slot, e);
    }
    if (slot.talks()) {
      event.peer = e.peer ? partner(vocabulary()[*e.peer], ranks_, rank_) : kNobody;
      if (e.source) event.source = partner(vocabulary()[*e.source], ranks_, rank_);
      if (event.peer == kNobody && event.source == kNobody) return;
      if (event.peer == kNobody) event.tag = 0;
      if (event.source == kNobody) event.source_tag = 0;
    }
    if (event.peer != kNobody || !slot.talks()) event.bytes = whole(e.bytes);
    if (event.source != kNobody) event.source_bytes = whole(e.source_bytes);
    if (slot.kind == EventKind::kCollective) event.root = static_cast<int>(whole(e.root));
    if (slot.kind == EventKind::kIsend || slot.kind == EventKind::kIrecv) {
      while (open_.count(event.request) > 0) ++event.request;
      open_[event.request] = slot.id;
    }
    if (slot.kind == EventKind::kWait && !wait(slot, event)) return;
    if (slot.kind == EventKind::kExchange) {
      const std::vector<int>& members = made_.communicators[event.communicator].members;
      const size_t size = members.empty() ? static_cast<size_t>(ranks_) : members.size();
      for (size_t i = 0; i < size; ++i) {
        const int peer = members.empty() ? static_cast<int>(i) : members[i];
        event.sent.emplace_back(peer, event.bytes / size);
      }
      event.received = event.sent;
      event.bytes = 0;
    }
    event.routine = routine(slot.routine);
    TraceStep step;
    step.event = static_cast<uint32_t>(made_.events.size());
    made_.events.push_back(std::move(event));
    step.before.n = repeated;
    set_total(step.before, std::exchange(computed_ns_, 0));
    made_.n_events += repeated;
    steps.push_back(std::move(step));
  }

  // Whether there is anything to wait for.
  bool wait(const Slot& slot, TraceEvent& event) {
    for (const auto& [request, id] : open_) {
      if (slot.waits_for.count(id) > 0) event.requests.push_back(request);
    }
    if (event.requests.empty()) return false;
    for (const uint32_t request : event.requests) open_.erase(request);
    if (open_.empty()) event.requests.clear();
    return true;
  }

  uint32_t routine(const std::string& name) {
    const auto known = std::find(made_.routines.begin(), made_.routines.end(), name);
    const auto at = static_cast<uint32_t>(known - made_.routines.begin());
    if (known == made_.routines.end()) made_.routines.push_back(name);
    return at;
  }

  const ScalingModel& model_;
  int ranks_, rank_;
  RankTrace made_;
  std::map<uint32_t, int> open_;
  double computed_ns_ = 0;  // in sum, since the last event that the rank has
  int round_ = 0;           // of the innermost loop whose rounds have different tags
};

}  // namespace

RankTrace scaled_rank(const ScalingModel& model, int ranks, int rank) { return RankMaker(model, ranks, rank).make(); }

MessageBalance::MessageBalance() : cells_(1 << 20) {}

void MessageBalance::add(const RankTrace& trace) { steps(trace, trace.steps, 1); }

void MessageBalance::count(const TraceCommunicator& communicator, int from, int to, int tag, int64_t balance) {
  uint64_t hash = 14695981039346656037u;
  const auto mix = [&hash](uint64_t value) {
    hash = (hash ^ value) * 1099511628211u;
    hash ^= hash >> 29;
  };
  for (const int value : {from, to, tag}) mix(static_cast<uint64_t>(value));
  mix(communicator.ordinal);
  for (const int member : communicator.members) mix(static_cast<uint64_t>(member));
  Cell& cell = cells_[hash % cells_.size()];
  cell = {cell.balance + balance, from, to, tag};
}

void MessageBalance::steps(const RankTrace& trace, const std::vector<TraceStep>& list, int64_t repeated) {
  const int me = static_cast<int>(trace.rank);
  for (const TraceStep& step : list) {
    if (step.count > 0) {
      steps(trace, step.body, repeated * static_cast<int64_t>(step.count));
      continue;
    }
    const TraceEvent& e = trace.events[step.event];
    const TraceCommunicator& c = trace.communicators[e.communicator];
    switch (e.kind) {
      case EventKind::kSend:
      case EventKind::kIsend:
      case EventKind::kBufferedSend:
        count(c, me, e.peer, e.tag, repeated);
        break;
      case EventKind::kRecv:
      case EventKind::kIrecv:
        count(c, e.peer, me, e.tag, -repeated);
        break;
      case EventKind::kSendrecv:
        if (e.peer >= 0) count(c, me, e.peer, e.tag, repeated);
        if (e.source >= 0) count(c, e.source, me, e.source_tag, -repeated);
        break;
      default:
        break;
    }
  }
}

Unmatched MessageBalance::unmatched() const {
  Unmatched result;
  for (const Cell& cell : cells_) {
    if (cell.balance == 0) continue;
    if (result.messages == 0) {
      result.example = std::string(cell.balance > 0 ? "sent" : "expected") + " from rank " + std::to_string(cell.from) +
                       " to rank " + std::to_string(cell.to) + " with tag " + std::to_string(cell.tag);
    }
    result.messages += static_cast<uint64_t>(std::abs(cell.balance));
  }
  return result;
}

}  // namespace scalediag::loggp
