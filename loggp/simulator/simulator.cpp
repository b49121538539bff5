#include "loggp/simulator/simulator.h"

#include <algorithm>
#include <cmath>

#include "loggp/simulator/engine.h"
#include "loggp/simulator/noise.h"

namespace scalediag::loggp {
namespace {

constexpr uint32_t kStepsAtOnce = 8;

// Of transfers at the same time, the one that began first comes first.
void sort_by_time(std::vector<Settling>& transfers) {
  constexpr size_t kFew = 32;  // that are sorted faster without allocating memory
  const auto earlier = [](const Settling& a, const Settling& b) { return a.over_s < b.over_s; };
  if (transfers.size() > kFew) {
    if (!std::is_sorted(transfers.begin(), transfers.end(), earlier)) {
      std::stable_sort(transfers.begin(), transfers.end(), earlier);
    }
    return;
  }
  for (size_t i = 1; i < transfers.size(); ++i) {
    const Settling one = transfers[i];
    size_t at = i;
    for (; at > 0 && earlier(one, transfers[at - 1]); --at) transfers[at] = transfers[at - 1];
    transfers[at] = one;
  }
}

}  // namespace

void Simulator::fail(uint32_t r, const Op& op, const std::string& what) {
  if (failure_) return;
  failure_ = core::Error{core::ErrorCode::kInput,
                         "rank " + std::to_string(r) + ", event " + std::to_string(ranks_[r].event) + " (" +
                             name_of(program_.labels(), op) + "): " + what,
                         "", ""};
}

bool Simulator::is_rank(uint32_t r, const Op& op) {
  if (op.peer >= 0 && static_cast<size_t>(op.peer) < ranks_.size()) return true;
  fail(r, op, "there is no rank " + std::to_string(op.peer) + " among " + std::to_string(ranks_.size()));
  return false;
}

void Simulator::add_outstanding(SimulatedRank& rank, uint32_t transfer) {
  TransferPool& pool = transport_.pool();
  pool[transfer].next_of_owner = kNoTransfer;
  if (rank.first_outstanding == kNoTransfer) {
    rank.first_outstanding = transfer;
  } else {
    pool[rank.last_outstanding].next_of_owner = transfer;
  }
  rank.last_outstanding = transfer;
}

void Simulator::became_known(uint32_t transfer) {
  const Transfer& t = transport_.pool()[transfer];
  SimulatedRank& owner = ranks_[t.owner];
  if (!owner.waiting || !in_group(owner.waiting_group, t.group)) return;
  if (--owner.missing == 0) ready_.push_back(t.owner);
}

void Simulator::compute(uint32_t r, const Op& op, double seconds) {
  SimulatedRank& me = ranks_[r];
  const double begin_s = me.clock_s;
  me.clock_s += seconds;
  me.times.computation_s += me.clock_s - begin_s;
  if (options_.observer != nullptr && seconds > 0) {
    options_.observer->on_span({r, SpanKind::kComputation, &op, me.event, begin_s, me.clock_s});
  }
}

void Simulator::send(uint32_t r, const Op& op, uint32_t to, uint64_t bytes, int32_t tag, uint32_t communicator,
                     uint32_t group) {
  SimulatedRank& me = ranks_[r];
  const SendPosted posted =
      transport_.send(me, ranks_[to], {r, to, tag, communicator, bytes, group, me.event, me.path}, me.clock_s);
  if (options_.observer != nullptr && posted.cpu_free_s > me.clock_s) {
    options_.observer->on_span({r, SpanKind::kTransfer, &op, me.event, me.clock_s, posted.cpu_free_s});
  }
  me.times.transfer_s += posted.cpu_free_s - me.clock_s;
  me.clock_s = posted.cpu_free_s;
  if (posted.own != kNoTransfer) add_outstanding(me, posted.own);
  if (posted.receive != kNoTransfer) became_known(posted.receive);
}

void Simulator::receive(uint32_t r, uint32_t from, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group) {
  SimulatedRank& me = ranks_[r];
  __builtin_prefetch(&ranks_[from]);  // the rank often sends there next
  const ReceivePosted posted =
      transport_.receive(me, ranks_[from], {r, from, tag, communicator, bytes, group, me.event, me.path}, me.clock_s);
  add_outstanding(me, posted.own);
  if (posted.send != kNoTransfer) became_known(posted.send);
}

// False: the rank has to wait; it returns to the same operation once all transfers are known.
bool Simulator::await(uint32_t r, const Op& op, uint32_t group) {
  SimulatedRank& me = ranks_[r];
  if (!me.waiting) {
    const TransferPool& pool = transport_.pool();
    uint32_t missing = 0;
    for (uint32_t i = me.first_outstanding; i != kNoTransfer; i = pool[i].next_of_owner) {
      if (!pool[i].known && in_group(group, pool[i].group)) ++missing;
    }
    if (missing > 0) {
      me.missing = missing;
      me.waiting_group = group;
      me.waiting = true;
      return false;
    }
  }
  me.waiting = false;
  settle(r, op, group);
  return true;
}

// Settles transfers in the order in which they happen, so that none waits for a later one.
void Simulator::settle(uint32_t r, const Op& op, uint32_t group) {
  SimulatedRank& me = ranks_[r];
  TransferPool& pool = transport_.pool();
  const uint32_t first = me.first_outstanding;
  if (first == kNoTransfer) return;
  if (first == me.last_outstanding && in_group(group, pool[first].group)) {
    me.first_outstanding = me.last_outstanding = kNoTransfer;
    settle_one(r, op, arrived(me, first));
    return;
  }
  settling_.clear();
  uint32_t kept = kNoTransfer;
  for (uint32_t i = me.first_outstanding; i != kNoTransfer;) {
    const uint32_t next = pool[i].next_of_owner;
    if (in_group(group, pool[i].group)) {
      (kept == kNoTransfer ? me.first_outstanding : pool[kept].next_of_owner) = next;
      settling_.push_back({pool[i].known_s, 0, i});
    } else {
      kept = i;
    }
    i = next;
  }
  me.last_outstanding = kept;
  sort_by_time(settling_);
  // Messages that shared their senders' adapters can end in another order than they began in.
  for (Settling& one : settling_) one = arrived(me, one.transfer);
  sort_by_time(settling_);
  for (const Settling& one : settling_) settle_one(r, op, one);
}

Settling Simulator::arrived(SimulatedRank& rank, uint32_t transfer) {
  const Transfer& t = transport_.pool()[transfer];
  if (t.kind != Transfer::Kind::kReceive) return {t.known_s, 0, transfer};
  const MessageCost& cost = transport_.cost_of(t);
  return {Transport::take_in(rank, t, cost), cost.receive_cpu_s, transfer};
}

void Simulator::settle_one(uint32_t r, const Op& op, const Settling& settling) {
  SimulatedRank& me = ranks_[r];
  const Transfer& t = transport_.pool()[settling.transfer];
  const double over_s = settling.over_s;
  const bool received = t.kind == Transfer::Kind::kReceive;
  const double begin_s = me.clock_s;
  const double idle_s = std::max(0.0, over_s - begin_s);
  const double late_s = std::clamp(t.posted_s - begin_s, 0.0, idle_s);
  me.clock_s = std::max(begin_s, over_s) + settling.cpu_s;
  SpanKind kind = received ? SpanKind::kLateSender : SpanKind::kLateReceiver;
  if (op.kind == OpKind::kCollective) kind = SpanKind::kCollectiveWait;
  (kind == SpanKind::kLateSender     ? me.times.late_sender_s
   : kind == SpanKind::kLateReceiver ? me.times.late_receiver_s
                                     : me.times.collective_wait_s) += late_s;
  me.times.transfer_s += me.clock_s - begin_s - late_s;
  if (options_.observer != nullptr) {
    const double awake_s = std::min(begin_s + late_s, me.clock_s);
    if (late_s > 0) options_.observer->on_span({r, kind, &op, me.event, begin_s, awake_s});
    if (me.clock_s > awake_s) {
      options_.observer->on_span({r, SpanKind::kTransfer, &op, me.event, awake_s, me.clock_s});
    }
  }
  if (options_.record_path && idle_s > 0 && t.path != kOwnPath) {
    me.path = path_.add(t.peer, t.posted_s, over_s, t.path);
  }
  transport_.pool().give_back(settling.transfer);
}

Algorithm Simulator::algorithm(const Op& op, uint32_t ranks) {
  if (last_choice_.ranks != ranks || last_choice_.collective != op.collective || last_choice_.bytes != op.bytes) {
    last_choice_ = {op.collective, ranks, op.bytes, choice_.choose(op.collective, ranks, op.bytes)};
  }
  return last_choice_.algorithm;
}

bool Simulator::perform_collective(uint32_t r, const Op& op) {
  SimulatedRank& me = ranks_[r];
  if (op.communicator >= communicators_.count()) {
    fail(r, op, "there is no communicator " + std::to_string(op.communicator));
    return false;
  }
  const uint32_t size = communicators_.size(op.communicator);
  const uint32_t rank = communicators_.rank_in(op.communicator, r);
  if (rank == CommunicatorIndex::kNotIn) {
    fail(r, op, "the rank is not in communicator " + std::to_string(op.communicator));
    return false;
  }
  if (has_root(op.collective) && (op.peer < 0 || static_cast<uint32_t>(op.peer) >= size)) {
    fail(r, op, "the root " + std::to_string(op.peer) + " is not a rank of the communicator");
    return false;
  }
  if (me.waiting) await(r, op, me.waiting_group);  // all transfers are known now
  const uint32_t root = has_root(op.collective) ? static_cast<uint32_t>(op.peer) : 0;
  const CollectiveCall call{op.collective, algorithm(op, size), size, root, op.bytes};
  const auto tag = static_cast<int32_t>(op.collective);
  const uint32_t context = op.communicator | kCollectiveContext;
  Step steps[kStepsAtOnce];
  while (const uint32_t n = next_steps(call, rank, me.collective_state, steps, kStepsAtOnce)) {
    for (const Step* step = steps; step < steps + n; ++step) {
      const uint32_t group = kCollectiveGroup + step->lane;
      switch (step->kind) {
        case Step::Kind::kSend:
          send(r, op, communicators_.world_rank(op.communicator, step->peer), step->bytes, tag, context, group);
          break;
        case Step::Kind::kReceive:
          receive(r, communicators_.world_rank(op.communicator, step->peer), step->bytes, tag, context, group);
          break;
        case Step::Kind::kReduce:
          compute(r, op, transport_.costs().reduction_s(step->bytes));
          break;
        case Step::Kind::kWait:  // the last of them
          if (!await(r, op, group)) return false;
          break;
      }
    }
  }
  me.collective_state = 0;
  return true;
}

// False: the operation is not over.
bool Simulator::perform(uint32_t r, const Op& op) {
  SimulatedRank& me = ranks_[r];
  const bool blocking = op.kind == OpKind::kSend || op.kind == OpKind::kRecv;
  const uint32_t group = blocking ? kBlockingGroup : op.group;
  switch (op.kind) {
    case OpKind::kEnd:
      me.done = true;
      return false;
    case OpKind::kCompute: {
      if (!(op.seconds >= 0) || !std::isfinite(op.seconds)) {
        fail(r, op, "a computation cannot take " + std::to_string(op.seconds) + " s");
        return false;
      }
      double seconds = op.seconds * options_.compute_factor;
      if (options_.noise > 0) seconds *= noise_factor(options_.noise, options_.seed, r, me.event);
      compute(r, op, seconds);
      ++n_local_events_;
      return true;
    }
    case OpKind::kSend:
    case OpKind::kIsend:
      if (!is_rank(r, op)) return false;
      if (!me.waiting) {
        send(r, op, static_cast<uint32_t>(op.peer), op.bytes, op.tag, op.communicator, group);
      }
      return !blocking || await(r, op, group);
    case OpKind::kRecv:
    case OpKind::kIrecv:
      if (!is_rank(r, op)) return false;
      if (!me.waiting) receive(r, static_cast<uint32_t>(op.peer), op.bytes, op.tag, op.communicator, group);
      return !blocking || await(r, op, group);
    case OpKind::kWait:
      if (!me.waiting) ++n_local_events_;
      return await(r, op, op.group);
    case OpKind::kAsk:
      return ask(r, op);
    case OpKind::kNotYet:
      me.starved = true;
      return false;
    case OpKind::kCollective:  // advance() does it
      break;
  }
  return false;
}

// Most of the time of a simulation is spent waiting for memory, and therefore operations are looked at one ahead. A
// collective is mostly waited for.
void Simulator::advance(uint32_t r) {
  SimulatedRank& me = ranks_[r];
  uint64_t next = me.position;
  Op op = program_.next(static_cast<int>(r), next);
  for (;;) {
    if (op.kind == OpKind::kCollective) {
      if (!perform_collective(r, op)) return;
      me.position = next;
      ++me.event;
      op = program_.next(static_cast<int>(r), next);
      continue;
    }
    uint64_t after = next;
    const Op following = program_.next(static_cast<int>(r), after);
    const bool sends = following.kind == OpKind::kSend || following.kind == OpKind::kIsend;
    if (sends && static_cast<size_t>(following.peer) < ranks_.size()) {
      transport_.prefetch(ranks_[static_cast<size_t>(following.peer)]);
    }
    if (!perform(r, op)) return;
    me.position = next;
    ++me.event;
    op = following;
    next = after;
  }
}

void Simulator::run_ready() {
  while (!ready_.empty() && !failure_) {
    const uint32_t next = ready_.back();
    ready_.pop_back();
    advance(next);
  }
}

// Precondition: a message passes, and nothing is posted any more before its next step.
void Simulator::pass_next() {
  if (const auto passed = transport_.next()) {
    became_known(passed->send);
    became_known(passed->receive);
  }
  run_ready();
}

void Simulator::begin() {
  for (uint32_t r = 0; r < ranks_.size() && !failure_; ++r) {
    advance(r);
    run_ready();
  }
}

core::Result<Simulation> Simulator::run() {
  begin();
  // All ranks wait, so that the end of the first large message is the next event.
  while (!failure_ && !transport_.none_passes()) pass_next();
  return end();
}

core::Result<Simulation> Simulator::end() {
  if (!failure_) failure_ = find_trouble();
  if (failure_) return *failure_;

  Simulation result;
  result.n_messages = transport_.n_messages();
  result.n_events = 3 * result.n_messages + n_local_events_;
  if ((result.n_truncated = transport_.n_truncated()) > 0) {
    const Truncation& t = transport_.first_truncation();
    result.first_truncated =
        "rank " + std::to_string(t.to) + ", event " + std::to_string(t.receive_event) + ": " + to_string(t);
  }
  result.ranks.reserve(ranks_.size());
  for (SimulatedRank& rank : ranks_) {
    rank.times.end_s = rank.clock_s;
    result.ranks.push_back(rank.times);
    result.total_s = std::max(result.total_s, rank.clock_s);
  }
  if (options_.record_path) trace_path(result);
  return result;
}

// Follows the path backwards from the rank that ends last, the lowest of those that end together.
void Simulator::trace_path(Simulation& result) const {
  if (ranks_.empty()) return;
  uint32_t rank = 0;
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].clock_s > ranks_[rank].clock_s) rank = r;
  }
  result.path = path_.stretches(rank, ranks_[rank].clock_s, ranks_[rank].path);
}

std::string Simulator::describe(uint32_t r) const {
  const SimulatedRank& rank = ranks_[r];
  if (rank.done) return "rank " + std::to_string(r) + " has ended";
  if (rank.starved) {
    return "rank " + std::to_string(r) + ", after event " + std::to_string(rank.event) + ", computes";
  }
  uint64_t position = rank.position;
  const Op op = program_.next(static_cast<int>(r), position);
  std::string text = "rank " + std::to_string(r) + ", event " + std::to_string(rank.event) + " (" +
                     name_of(program_.labels(), op) + "), waits for ";
  if (rank.asks) return text + "a message from any rank";
  const TransferPool& pool = transport_.pool();
  for (uint32_t i = rank.first_outstanding; i != kNoTransfer; i = pool[i].next_of_owner) {
    const Transfer& t = pool[i];
    if (t.known || !in_group(rank.waiting_group, t.group)) continue;
    const bool inside = (t.communicator & kCollectiveContext) != 0;
    const std::string with = inside ? " inside the collective" : ", tag " + std::to_string(t.tag);
    const uint32_t communicator = t.communicator & ~kCollectiveContext;
    text += t.kind == Transfer::Kind::kReceive
                ? "a message from rank " + std::to_string(t.peer) + with
                : "rank " + std::to_string(t.peer) + " to receive " + std::to_string(t.bytes) + " B" + with;
    if (communicator != 0) text += ", communicator " + std::to_string(communicator);
    return text;
  }
  return text + "nothing";
}

core::Error Simulator::deadlock() const {
  constexpr size_t kShown = 4;
  std::string text;
  size_t n_stuck = 0;
  const TransferPool& pool = transport_.pool();
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].done || n_stuck++ >= kShown) continue;
    text += (text.empty() ? "" : "; ") + describe(r);
    for (uint32_t i = ranks_[r].first_outstanding; i != kNoTransfer; i = pool[i].next_of_owner) {
      if (pool[i].known || !in_group(ranks_[r].waiting_group, pool[i].group)) continue;
      if (ranks_[pool[i].peer].done) text += ", and " + describe(pool[i].peer);
      break;
    }
  }
  return {core::ErrorCode::kInput,
          "deadlock: " + std::to_string(n_stuck) + " of " + std::to_string(ranks_.size()) +
              " ranks cannot go on: " + text + (n_stuck > kShown ? "; ..." : ""),
          "check that the input is complete and that sends and receives agree in rank, tag and communicator; of a "
          "scaled trace `scalediag phases` names the events whose partners are not certain",
          ""};
}

std::optional<core::Error> Simulator::find_trouble() const {
  for (const SimulatedRank& rank : ranks_) {
    if (!rank.done) return deadlock();
  }
  const TransferPool& pool = transport_.pool();
  uint32_t left = kNoTransfer;
  const auto note = [&left](uint32_t i) { left = left == kNoTransfer ? i : left; };
  for (const SimulatedRank& rank : ranks_) {
    rank.messages.each(pool, note);
    rank.receives.each(pool, note);
    if (left != kNoTransfer) break;
  }
  if (left == kNoTransfer) return std::nullopt;
  const Transfer& t = pool[left];
  const bool received = t.kind == Transfer::Kind::kReceive;
  const bool sender_owns = t.kind == Transfer::Kind::kSend;
  const uint32_t by = received || sender_owns ? t.owner : t.peer;
  const uint32_t other = by == t.owner ? t.peer : t.owner;
  return core::Error{core::ErrorCode::kInput,
                     "rank " + std::to_string(by) + ", event " + std::to_string(t.unmatched.event) + ": " +
                         (received ? "receives from rank " : "sends " + std::to_string(t.bytes) + " B to rank ") +
                         std::to_string(other) + ", tag " + std::to_string(t.tag) + ", which never " +
                         (received ? "sends" : "receives") + " it",
                     "check that the input is complete", ""};
}

core::Status check_simulation(const Network& network, int ranks, const SimulationOptions& options) {
  const std::string name = network.name.empty() ? "network" : "network \"" + network.name + "\"";
  if (auto valid = validate(network, name); !valid) return valid.error();
  if (auto fits = check_size(network, name, ranks); !fits) return fits.error();
  if (!std::isfinite(options.compute_factor) || options.compute_factor < 0 || !std::isfinite(options.noise) ||
      options.noise < 0) {
    return core::Error{core::ErrorCode::kUsage, "the factor of computations and the noise must be at least 0", "", ""};
  }
  return core::Done{};
}

core::Result<Simulation> simulate(const Program& program, const Network& network, const SimulationOptions& options) {
  if (auto checked = check_simulation(network, program.ranks(), options); !checked) return checked.error();
  auto choice = AlgorithmChoice::of(network);
  if (!choice) return choice.error();
  return Simulator(program, network, std::move(choice.value()), options).run();
}

}  // namespace scalediag::loggp
