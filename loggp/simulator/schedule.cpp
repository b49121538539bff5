#include "loggp/simulator/schedule.h"

#include <algorithm>
#include <optional>
#include <queue>

#include "loggp/simulator/noise.h"
#include "loggp/simulator/path_trace.h"
#include "loggp/simulator/transport.h"

namespace scalediag::loggp {
namespace {

const uint16_t kSendOperation = operation_of(message(OpKind::kSend, 0, 0));
constexpr uint32_t kNone = 0xFFFFFFFF;
constexpr uint32_t kOver = 0xFFFFFFFF;  // of Rank::open

// An operation that can begin at at_s at the earliest.
struct Candidate {
  double at_s;
  uint32_t op;
  uint32_t transfer;  // receives: the known message
};
struct Later {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return a.at_s != b.at_s ? a.at_s > b.at_s : a.op > b.op;
  }
};
using Candidates = std::priority_queue<Candidate, std::vector<Candidate>, Later>;

struct Rank : Port {
  std::vector<uint32_t> open;      // per operation: requirements that are not met yet; kOver: it has been done
  std::vector<double> ready_s;     // per operation: when the last of them was met
  std::vector<double> cpu_free_s;  // per CPU
  Candidates local;                // calculations and sends
  Candidates arrived;              // receives whose message is known
  uint32_t n_unknown = 0;          // posted receives and sends whose end is not known
  uint32_t n_mattering = 0;        // of local and arrived: those on which something depends
  uint32_t n_left = 0;
  uint32_t path = kPathFromStart;
  double over_s = 0;
  double queued_s = kNever;  // the earliest entry in the heap
  RankTimes times;
};

class ScheduleSimulator {
 public:
  ScheduleSimulator(const Schedule& schedule, const Network& network, const SimulationOptions& options)
      : schedule_(schedule), options_(options), transport_(network), ranks_(schedule.ranks.size()) {}

  Result<Simulation> run();

 private:
  struct Next {
    double start_s = kNever;
    bool is_local = false;
    bool certain = false;
  };
  const ScheduleOp& op(uint32_t r, uint32_t i) const { return schedule_.ranks[r].ops[i]; }
  double& cpu(uint32_t r, uint32_t i) { return ranks_[r].cpu_free_s[op(r, i).cpu]; }
  bool matters(uint32_t r, uint32_t i) const {
    return op(r, i).kind == ScheduleOp::Kind::kSend || op(r, i).first_dependent != op(r, i + 1).first_dependent;
  }
  bool prepare(uint32_t r);
  void advance(uint32_t r, double allowed_s);
  Next find_next(uint32_t r);
  void perform_local(uint32_t r);
  void perform_receive(uint32_t r);
  void met(uint32_t r, uint32_t i, double at_s);
  void ready(uint32_t r, uint32_t i);
  void release(uint32_t r, uint32_t i, bool on_start, double at_s);
  void became_known(uint32_t transfer);
  void over(uint32_t r, uint32_t i, double at_s);
  void span(uint32_t r, uint32_t i, SpanKind kind, double begin_s, double end_s);
  void fail(uint32_t r, uint32_t i, const std::string& what);
  uint32_t in_circle(uint32_t r) const;
  Error deadlock() const;
  std::optional<Error> find_trouble() const;

  const Schedule& schedule_;
  const SimulationOptions& options_;
  Transport transport_;
  std::vector<Rank> ranks_;
  std::vector<uint32_t> runnable_;
  std::vector<std::pair<uint32_t, uint32_t>> to_ready_;  // rank, operation
  std::priority_queue<std::pair<double, uint32_t>, std::vector<std::pair<double, uint32_t>>, std::greater<>> waiting_;
  PathTrace path_;
  uint64_t n_calcs_ = 0;
  std::optional<Error> failure_;
};

const char* name_of(ScheduleOp::Kind kind) {
  return kind == ScheduleOp::Kind::kCalc ? "calc" : kind == ScheduleOp::Kind::kSend ? "send" : "recv";
}

std::string place(uint32_t r, uint32_t i, const ScheduleOp& op) {
  return "rank " + std::to_string(r) + ", event " + std::to_string(i) + " (" + name_of(op.kind) + ", line " +
         std::to_string(op.line) + ")";
}

void ScheduleSimulator::fail(uint32_t r, uint32_t i, const std::string& what) {
  if (!failure_) failure_ = Error{ErrorCode::kInput, place(r, i, op(r, i)) + ": " + what};
}

void ScheduleSimulator::span(uint32_t r, uint32_t i, SpanKind kind, double begin_s, double end_s) {
  if (options_.observer == nullptr || end_s <= begin_s) return;
  Op shown;
  const ScheduleOp& o = op(r, i);
  shown.kind = o.kind == ScheduleOp::Kind::kCalc   ? OpKind::kCompute
               : o.kind == ScheduleOp::Kind::kSend ? OpKind::kSend
                                                   : OpKind::kRecv;
  shown.peer = o.peer;
  shown.tag = o.tag;
  shown.bytes = o.bytes;
  options_.observer->on_span({r, kind, &shown, i, begin_s, end_s});
}

bool ScheduleSimulator::prepare(uint32_t r) {
  Rank& me = ranks_[r];
  const Schedule::Rank& rank = schedule_.ranks[r];
  me.n_left = rank.size();
  me.open.resize(rank.size());
  me.ready_s.assign(rank.size(), 0);
  size_t n_cpus = 1;
  for (uint32_t i = 0; i < rank.size(); ++i) {
    const ScheduleOp& o = rank.ops[i];
    me.open[i] = o.n_requirements;
    n_cpus = std::max<size_t>(n_cpus, o.cpu + size_t{1});
    if (o.kind != ScheduleOp::Kind::kCalc && (o.peer < 0 || static_cast<size_t>(o.peer) >= ranks_.size())) {
      fail(r, i, "there is no rank " + std::to_string(o.peer) + " among " + std::to_string(ranks_.size()));
      return false;
    }
  }
  me.cpu_free_s.assign(n_cpus, 0);
  for (uint32_t i = 0; i < rank.size(); ++i) {
    if (rank.ops[i].n_requirements == 0) ready(r, i);
  }
  return true;
}

// Called when all requirements of operation i are met; a receive is posted at once, because posting takes no time.
void ScheduleSimulator::ready(uint32_t r, uint32_t i) {
  Rank& me = ranks_[r];
  const ScheduleOp& o = op(r, i);
  if (o.kind != ScheduleOp::Kind::kRecv) {
    me.local.push({me.ready_s[i], i, kNoTransfer});
    me.n_mattering += matters(r, i) ? 1 : 0;
    return;
  }
  const auto from = static_cast<uint32_t>(o.peer);
  const ReceivePosted posted =
      transport_.receive(me, ranks_[from], {r, from, o.tag, 0, o.bytes, i, i, me.path}, me.ready_s[i]);
  ++me.n_unknown;
  if (transport_.pool()[posted.own].known) became_known(posted.own);
  if (posted.send != kNoTransfer) became_known(posted.send);
  release(r, i, true, me.ready_s[i]);
}

void ScheduleSimulator::met(uint32_t r, uint32_t i, double at_s) {
  Rank& me = ranks_[r];
  me.ready_s[i] = std::max(me.ready_s[i], at_s);
  if (--me.open[i] > 0) return;
  // They are put on a list instead of calling ready() recursively: chains of requirements can be longer than the stack.
  to_ready_.emplace_back(r, i);
  if (to_ready_.size() > 1) return;
  for (size_t n = 0; n < to_ready_.size(); ++n) ready(to_ready_[n].first, to_ready_[n].second);
  to_ready_.clear();
}

void ScheduleSimulator::release(uint32_t r, uint32_t i, bool on_start, double at_s) {
  const Schedule::Rank& rank = schedule_.ranks[r];
  for (uint32_t d = rank.ops[i].first_dependent; d < rank.ops[i + 1].first_dependent; ++d) {
    if (rank.dependents[d].on_start == on_start) met(r, rank.dependents[d].op, at_s);
  }
}

void ScheduleSimulator::over(uint32_t r, uint32_t i, double at_s) {
  ranks_[r].open[i] = kOver;
  ranks_[r].over_s = std::max(ranks_[r].over_s, at_s);
  --ranks_[r].n_left;
  release(r, i, false, at_s);
}

void ScheduleSimulator::became_known(uint32_t transfer) {
  const Transfer& t = transport_.pool()[transfer];
  Rank& owner = ranks_[t.owner];
  --owner.n_unknown;
  runnable_.push_back(t.owner);
  if (t.kind == Transfer::Kind::kReceive) {
    // A message that shared its sender's adapter has become known late: operations before its end come first.
    owner.arrived.push({std::max(t.known_s, t.last_byte_s), t.group, transfer});
    owner.n_mattering += matters(t.owner, t.group) ? 1 : 0;
    return;
  }
  const uint32_t r = t.owner;
  const uint32_t i = t.group;
  const double known_s = t.known_s;
  transport_.pool().give_back(transfer);
  over(r, i, known_s);
}

ScheduleSimulator::Next ScheduleSimulator::find_next(uint32_t r) {
  Rank& me = ranks_[r];
  Next next;
  double cpu_s = 0;
  if (!me.local.empty()) {
    cpu_s = cpu(r, me.local.top().op);
    next.start_s = std::max(me.local.top().at_s, cpu_s);
    next.is_local = true;
    next.certain = next.start_s <= cpu_s;
  }
  if (!me.arrived.empty()) {
    const double arrived_s = std::max(me.arrived.top().at_s, cpu(r, me.arrived.top().op));
    if (arrived_s < next.start_s) next = {arrived_s, false, false};
  }
  if (me.n_unknown == 0) next.certain = true;
  return next;
}

void ScheduleSimulator::perform_local(uint32_t r) {
  Rank& me = ranks_[r];
  const uint32_t i = me.local.top().op;
  const double start_s = std::max(me.local.top().at_s, cpu(r, i));
  me.local.pop();
  me.n_mattering -= matters(r, i) ? 1 : 0;
  const ScheduleOp& o = op(r, i);
  const double idle_from_s = cpu(r, i);
  if (start_s > idle_from_s) {  // for a send above S_sync to end, or for another CPU
    me.times.late_receiver_s += start_s - idle_from_s;
    span(r, i, SpanKind::kLateReceiver, idle_from_s, start_s);
  }
  release(r, i, true, start_s);
  if (o.kind == ScheduleOp::Kind::kCalc) {
    double seconds = o.seconds * options_.compute_factor;
    if (options_.noise > 0) seconds *= noise_factor(options_.noise, options_.seed, r, i);
    ++n_calcs_;
    cpu(r, i) = start_s + seconds;
    me.times.computation_s += seconds;
    span(r, i, SpanKind::kComputation, start_s, start_s + seconds);
    over(r, i, start_s + seconds);
    return;
  }
  const auto to = static_cast<uint32_t>(o.peer);
  Delivery delivery;
  const SendPosted posted =
      transport_.post(me, {r, to, o.tag, 0, o.bytes, i, i, me.path, kSendOperation}, start_s, delivery);
  const uint32_t received = transport_.deliver(ranks_[to], me, delivery);
  cpu(r, i) = posted.cpu_free_s;
  me.times.transfer_s += posted.cpu_free_s - start_s;
  span(r, i, SpanKind::kTransfer, start_s, posted.cpu_free_s);
  if (received != kNoTransfer) became_known(received);
  if (posted.own == kNoTransfer) {
    over(r, i, posted.cpu_free_s);
    return;
  }
  ++me.n_unknown;
  if (transport_.pool()[posted.own].known) became_known(posted.own);
}

void ScheduleSimulator::perform_receive(uint32_t r) {
  Rank& me = ranks_[r];
  const Candidate next = me.arrived.top();
  me.arrived.pop();
  me.n_mattering -= matters(r, next.op) ? 1 : 0;
  const Transfer t = transport_.pool()[next.transfer];
  transport_.pool().give_back(next.transfer);
  const MessageCost& cost = transport_.cost_of(t);
  const double arrival_s = Transport::take_in(me, t, cost);
  double& free_s = cpu(r, next.op);
  const double begin_s = free_s;
  const double idle_s = std::max(0.0, arrival_s - begin_s);
  const double late_s = std::clamp(t.posted_s - begin_s, 0.0, idle_s);
  free_s = std::max(begin_s, arrival_s) + cost.receive_cpu_s;
  me.times.late_sender_s += late_s;
  me.times.transfer_s += free_s - begin_s - late_s;
  span(r, next.op, SpanKind::kLateSender, begin_s, begin_s + late_s);
  span(r, next.op, SpanKind::kTransfer, begin_s + late_s, free_s);
  if (options_.record_path && idle_s > 0) me.path = transport_.add_to(path_, t, begin_s, arrival_s, r, me.path);
  over(r, next.op, free_s);
}

// Runs the rank until the next step is uncertain and later than allowed_s.
void ScheduleSimulator::advance(uint32_t r, double allowed_s) {
  Rank& me = ranks_[r];
  for (;;) {
    const Next next = find_next(r);
    if (next.start_s == kNever) return;
    if (!next.certain && next.start_s > allowed_s) {
      // Operations on which nothing depends can wait until everything is known.
      if (me.n_mattering > 0 && next.start_s < me.queued_s) {
        me.queued_s = next.start_s;
        waiting_.emplace(next.start_s, r);
      }
      return;
    }
    if (next.is_local) {
      perform_local(r);
    } else {
      perform_receive(r);
    }
  }
}

Result<Simulation> ScheduleSimulator::run() {
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    if (!prepare(r)) return *failure_;
  }
  for (uint32_t r = 0; r < ranks_.size(); ++r) advance(r, -kNever);
  for (;;) {
    if (!runnable_.empty()) {
      const uint32_t r = runnable_.back();
      runnable_.pop_back();
      advance(r, -kNever);
    } else if (!transport_.none_passes() && (waiting_.empty() || transport_.next_s() <= waiting_.top().first)) {
      if (const auto passed = transport_.next()) {
        became_known(passed->send);
        became_known(passed->receive);
      }
    } else if (!waiting_.empty()) {
      const auto [at_s, r] = waiting_.top();
      waiting_.pop();
      if (ranks_[r].queued_s == at_s) ranks_[r].queued_s = kNever;
      // No rank can do anything before at_s, so that no unknown message arrives before.
      advance(r, at_s);
    } else {
      break;
    }
  }
  if (auto trouble = find_trouble()) return *trouble;

  Simulation result;
  result.n_messages = transport_.n_messages();
  result.n_events = 3 * result.n_messages + n_calcs_;
  if ((result.n_truncated = transport_.n_truncated()) > 0) {
    const Truncation& t = transport_.first_truncation();
    result.first_truncated = place(t.to, t.receive_event, op(t.to, t.receive_event)) + ": " + to_string(t);
  }
  uint32_t last = 0;
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    rank.times.end_s = rank.over_s;
    rank.times.cpus = static_cast<uint32_t>(rank.cpu_free_s.size());
    for (const double free_s : rank.cpu_free_s) rank.times.end_s = std::max(rank.times.end_s, free_s);
    // The last operation of a rank may be a send above S_sync.
    rank.times.transfer_s +=
        std::max(0.0, rank.times.end_s - rank.times.computation_s - rank.times.transfer_s - rank.times.waiting_s());
    result.ranks.push_back(rank.times);
    if (rank.times.end_s > result.ranks[last].end_s) last = r;
  }
  if (!result.ranks.empty()) result.total_s = result.ranks[last].end_s;
  if (options_.record_path && !ranks_.empty()) {
    PathTrace::Path path = path_.path(last, result.total_s, ranks_[last].path);
    result.path = std::move(path.stretches);
    result.path_messages = std::move(path.messages);
  }
  return result;
}

// An operation of a rank that is stuck although no message is under way to it or from it. Each operation that is not
// over requires another such one, so that following the requirements leads into a circle.
uint32_t ScheduleSimulator::in_circle(uint32_t r) const {
  const Schedule::Rank& rank = schedule_.ranks[r];
  std::vector<uint32_t> requires_of(rank.size(), kNone);
  uint32_t at = kNone;
  for (uint32_t i = 0; i < rank.size(); ++i) {
    if (ranks_[r].open[i] == kOver) continue;
    if (at == kNone) at = i;
    for (uint32_t d = rank.ops[i].first_dependent; d < rank.ops[i + 1].first_dependent; ++d) {
      requires_of[rank.dependents[d].op] = i;
    }
  }
  std::vector<bool> seen(rank.size(), false);
  while (!seen[at] && requires_of[at] != kNone) {
    seen[at] = true;
    at = requires_of[at];
  }
  return at;
}

Error ScheduleSimulator::deadlock() const {
  constexpr size_t kShown = 4;
  std::string text;
  size_t n_stuck = 0;
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    const Rank& rank = ranks_[r];
    if (rank.n_left == 0 || n_stuck++ >= kShown) continue;
    std::string why;
    rank.receives.each(transport_.pool(), [&](uint32_t t) {
      const Transfer& transfer = transport_.pool()[t];
      if (!why.empty()) return;
      why = place(r, transfer.unmatched.event, op(r, transfer.unmatched.event)) + ", waits for a message from rank " +
            std::to_string(transfer.peer) + ", tag " + std::to_string(transfer.tag);
      if (ranks_[transfer.peer].n_left == 0) why += ", which has ended";
    });
    for (uint32_t i = 0; i < rank.open.size() && why.empty(); ++i) {
      if (op(r, i).kind == ScheduleOp::Kind::kSend && rank.open[i] == 0) {
        why = place(r, i, op(r, i)) + ", waits for rank " + std::to_string(op(r, i).peer) + " to receive " +
              std::to_string(op(r, i).bytes) + " B, tag " + std::to_string(op(r, i).tag);
      }
    }
    if (why.empty()) {
      const uint32_t i = in_circle(r);
      why = place(r, i, op(r, i)) + ", requires, in a circle, itself";
    }
    text += (text.empty() ? "" : "; ") + why;
  }
  return {ErrorCode::kInput,
          "deadlock: " + std::to_string(n_stuck) + " of " + std::to_string(ranks_.size()) +
              " ranks cannot go on: " + text + (n_stuck > kShown ? "; ..." : ""),
          "check that the input is complete and that sends and receives agree in rank and tag"};
}

std::optional<Error> ScheduleSimulator::find_trouble() const {
  for (const Rank& rank : ranks_) {
    if (rank.n_left > 0) return deadlock();
  }
  std::optional<Error> trouble;
  for (const Rank& rank : ranks_) {
    rank.messages.each(transport_.pool(), [&](uint32_t i) {
      if (trouble) return;
      const Transfer& t = transport_.pool()[i];
      trouble =
          Error{ErrorCode::kInput,
                place(t.peer, t.unmatched.event, op(t.peer, t.unmatched.event)) + ": rank " + std::to_string(t.owner) +
                    " never receives its " + std::to_string(t.bytes) + " B, tag " + std::to_string(t.tag),
                "check that the input is complete"};
    });
  }
  return trouble;
}

}  // namespace

Result<Simulation> simulate(const Schedule& schedule, const Network& network, const SimulationOptions& options) {
  const int ranks = static_cast<int>(schedule.ranks.size());
  if (network.progress == Progress::kInCalls) {
    return Error{ErrorCode::kInput,
                 "progress in-calls of the network needs a program with calls, which a schedule has not",
                 "write \"progress\": \"always\" in network.json, or simulate a trace"};
  }
  TRY(check_simulation(network, ranks, options));
  return ScheduleSimulator(schedule, network, options).run();
}

}  // namespace scalediag::loggp
