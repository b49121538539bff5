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
      std::ranges::stable_sort(transfers, earlier);
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
  failure_ = Error{ErrorCode::kInput, "rank " + std::to_string(r) + ", event " + std::to_string(ranks_[r].event) +
                                          " (" + name_of(program_.labels(), op) + "): " + what};
}

bool Simulator::is_rank(uint32_t r, const Op& op) {
  if (op.peer >= 0 && static_cast<size_t>(op.peer) < ranks_.size()) return true;
  fail(r, op, "there is no rank " + std::to_string(op.peer) + " among " + std::to_string(ranks_.size()));
  return false;
}

void Simulator::became_known(uint32_t transfer) {
  const Transfer& t = transport_.pool()[transfer];
  if (!t.awaited || --ranks_[t.owner].missing > 0) return;
  ready_.add(t.owner, [this](uint32_t r) { prefetch(r); });
}

void Simulator::compute(uint32_t r, const Op& op, double seconds) {
  SimulatedRank& me = ranks_[r];
  const double begin_s = me.clock_s;
  me.clock_s += seconds;
  (is_device_wait(op) ? me.times.device_wait_s : me.times.computation_s) += me.clock_s - begin_s;
  if (options_.observer != nullptr && seconds > 0) {
    options_.observer->on_span({r, SpanKind::kComputation, &op, me.event, begin_s, me.clock_s});
  }
}

void Simulator::send(uint32_t r, const Op& op, uint32_t to, uint64_t bytes, int32_t tag, uint32_t communicator,
                     uint32_t group) {
  SimulatedRank& me = ranks_[r];
  Delivery at_once;
  Delivery& delivery = is_large_ ? next_deferred() : at_once;
  const SendPosted posted = transport_.post(
      me, {r, to, tag, communicator, bytes, group, me.event, me.path, operation_of(op)}, me.clock_s, delivery);
  take_posted(r, op, posted);
  if (is_large_) {
    defer();
  } else {
    deliver(delivery);
  }
}

void Simulator::deliver(const Delivery& delivery) {
  const uint32_t received = transport_.deliver(ranks_[delivery.key.owner], ranks_[delivery.key.peer], delivery);
  if (received == kNoTransfer) return;
  became_known(received);
  // A message that was copied at once: its sender may have come to wait for it.
  if (delivery.own != kNoTransfer) became_known(delivery.own);
}

// The place for a message to be deferred.
Delivery& Simulator::next_deferred() {
  if (n_deferred_ - n_delivered_ == kDeliveriesAhead) deliver_next();
  return deferred_[n_deferred_ % kDeliveriesAhead];
}

void Simulator::defer() {
  Transport::prefetch(ranks_[deferred_[n_deferred_++ % kDeliveriesAhead].key.owner]);
  if (n_deferred_ - n_found_ > kDeliveriesAhead / 2) find_next();
}

void Simulator::find_next() {
  const MatchKey& key = deferred_[n_found_++ % kDeliveriesAhead].key;
  transport_.prefetch_match(ranks_[key.owner], key);
}

void Simulator::deliver_next() {
  if (n_found_ != n_deferred_) find_next();
  deliver(deferred_[n_delivered_++ % kDeliveriesAhead]);
}

void Simulator::receive(uint32_t r, uint32_t from, uint64_t bytes, int32_t tag, uint32_t communicator, uint32_t group) {
  SimulatedRank& me = ranks_[r];
  const ReceivePosted posted =
      transport_.receive(me, ranks_[from], {r, from, tag, communicator, bytes, group, me.event, me.path}, me.clock_s);
  me.outstanding.add(posted.own);
  if (posted.send != kNoTransfer) became_known(posted.send);
}

void Simulator::access(uint32_t r, const Op& op) {
  SimulatedRank& me = ranks_[r];
  const SendPosted posted = transport_.access(
      me,
      {r, static_cast<uint32_t>(op.peer), 0, op.communicator, op.bytes, op.group, me.event, me.path, operation_of(op)},
      static_cast<trace::Remote>(op.tag), me.clock_s);
  take_posted(r, op, posted);
}

void Simulator::take_posted(uint32_t r, const Op& op, const SendPosted& posted) {
  SimulatedRank& me = ranks_[r];
  if (options_.observer != nullptr && posted.cpu_free_s > me.clock_s) {
    options_.observer->on_span({r, SpanKind::kTransfer, &op, me.event, me.clock_s, posted.cpu_free_s});
  }
  me.times.transfer_s += posted.cpu_free_s - me.clock_s;
  me.clock_s = posted.cpu_free_s;
  if (posted.own != kNoTransfer) me.outstanding.add(posted.own);
}

// False: the rank has to wait; it returns to the same operation once all transfers are known.
bool Simulator::await(uint32_t r, const Op& op, uint32_t group) {
  SimulatedRank& me = ranks_[r];
  if (!me.waiting) {
    TransferPool& pool = transport_.pool();
    uint32_t missing = 0;
    bool any = false;
    for (const uint32_t i : me.outstanding) {
      if (!in_group(group, pool[i].group)) continue;
      any = true;
      if (pool[i].known) continue;
      pool[i].awaited = true;
      ++missing;
    }
    if (any) enter_reading_call(r);
    if (missing > 0) {
      me.missing = missing;
      me.waiting_group = group;
      me.waiting = true;
      return false;
    }
  }
  me.waiting = false;
  settle(r, op, group);
  leave_reading_call(r);
  return true;
}

void Simulator::enter_reading_call(uint32_t r) {
  if (calls_.empty()) return;
  calls_[r].enter(ranks_[r].clock_s, ranks_[r].path, [this](const Handshake& read) { transport_.put_back(read); });
}

void Simulator::leave_reading_call(uint32_t r) {
  if (calls_.empty() || !calls_[r].is_inside()) return;
  calls_[r].leave(ranks_[r].clock_s);
  if (calls_[r].n_kept() > most_kept_calls_) forget_calls(calls_[r]);
}

// What is sent later arrives after its sender's present time.
void Simulator::forget_calls(ReadingCalls& calls) {
  double first_s = transport_.none_passes() ? kNever : transport_.next_s();
  for (const SimulatedRank& rank : ranks_) {
    if (!rank.done) first_s = std::min(first_s, rank.clock_s);
  }
  calls.forget_before(first_s);
  most_kept_calls_ = std::max(most_kept_calls_, 2 * calls.n_kept());
}

// Precondition: the next step is a control message's.
void Simulator::read_handshake() {
  const Handshake handshake = transport_.take_handshake();
  if (!handshake.is_read) {
    if (const auto read = calls_[handshake.rank].read(handshake)) transport_.put_back(*read);
    return;
  }
  if (const auto passed = transport_.go_on(ranks_[transport_.pool()[handshake.send].owner], handshake)) {
    became_known(passed->send);
    became_known(passed->receive);
  }
}

// Settles transfers in the order in which they happen, so that none waits for a later one.
void Simulator::settle(uint32_t r, const Op& op, uint32_t group) {
  SimulatedRank& me = ranks_[r];
  TransferPool& pool = transport_.pool();
  if (me.outstanding.empty()) return;
  const uint32_t first = *me.outstanding.begin();
  if (me.outstanding.size() == 1 && in_group(group, pool[first].group)) {
    me.outstanding.shorten(0);
    settle_one(r, op, arrived(me, first));
    return;
  }
  settling_.clear();
  uint32_t* kept = me.outstanding.begin();
  for (const uint32_t i : me.outstanding) {
    if (in_group(group, pool[i].group)) {
      settling_.push_back({pool[i].known_s, 0, i});
    } else {
      *kept++ = i;
    }
  }
  me.outstanding.shorten(static_cast<uint32_t>(kept - me.outstanding.begin()));
  sort_by_time(settling_);
  // Messages that shared their senders' adapters can end in another order than they began in.
  for (Settling& one : settling_) one = arrived(me, one.transfer);
  sort_by_time(settling_);
  for (const Settling& one : settling_) settle_one(r, op, one);
}

Settling Simulator::arrived(SimulatedRank& rank, uint32_t transfer) {
  const Transfer& t = transport_.pool()[transfer];
  if (t.kind != Transfer::Kind::kReceive && t.kind != Transfer::Kind::kAnswer) return {t.known_s, 0, transfer};
  const MessageCost& cost = transport_.cost_of(t);
  return {Transport::take_in(rank, t, cost), cost.receive_cpu_s, transfer};
}

void Simulator::settle_one(uint32_t r, const Op& op, const Settling& settling) {
  SimulatedRank& me = ranks_[r];
  const Transfer& t = transport_.pool()[settling.transfer];
  const double over_s = settling.over_s;
  const bool received = t.kind == Transfer::Kind::kReceive;
  const double begin_s = me.clock_s;
  const auto [late_s, end_s] = wait_until(over_s, settling.cpu_s, t.posted_s, begin_s);
  me.clock_s = end_s;
  SpanKind kind = received ? SpanKind::kLateSender : t.is_access() ? SpanKind::kLockWait : SpanKind::kLateReceiver;
  if (op.kind == OpKind::kCollective) kind = SpanKind::kCollectiveWait;
  me.times.*part_of(kind) += late_s;
  me.times.transfer_s += me.clock_s - begin_s - late_s;
  if (options_.observer != nullptr) {
    const double awake_s = std::min(begin_s + late_s, me.clock_s);
    if (late_s > 0) options_.observer->on_span({r, kind, &op, me.event, begin_s, awake_s});
    if (me.clock_s > awake_s) {
      options_.observer->on_span({r, SpanKind::kTransfer, &op, me.event, awake_s, me.clock_s});
    }
    if (received) {
      options_.observer->on_arrival(
          {t.peer, r, t.tag, t.communicator, me.event, t.posted_s, over_s, me.clock_s, t.bytes});
    }
  }
  if (options_.record_path && over_s > begin_s) me.path = transport_.add_to(path_, t, begin_s, over_s, r, me.path);
  transport_.pool().give_back(settling.transfer);
}

Algorithm Simulator::algorithm(const Op& op, uint32_t ranks) {
  if (const auto own = own_algorithm(op, ranks)) return *own;
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
  if (joins_ && !me.waiting && me.collective_state == 0) {
    if (me.joint == Joint::kOver) {
      me.joint = Joint::kNone;
      return true;
    }
    if (me.joint == Joint::kNone && RecursiveDoubling::does(call, transport_.costs())) return join(r, op, call);
  }
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
        case Step::Kind::kCopy: compute(r, op, transport_.costs().copy_s(step->bytes)); break;
        case Step::Kind::kReduce: compute(r, op, transport_.costs().reduction_s(step->bytes)); break;
        case Step::Kind::kWait:  // the last of them
          if (!await(r, op, group)) return false;
          break;
      }
    }
  }
  me.collective_state = 0;
  me.joint = Joint::kNone;
  return true;
}

// False: the operation is not over.
bool Simulator::perform(uint32_t r, const Op& op) {
  SimulatedRank& me = ranks_[r];
  const bool blocking = op.kind == OpKind::kSend || op.kind == OpKind::kRecv;
  const uint32_t group = blocking ? kBlockingGroup : op.group;
  switch (op.kind) {
    case OpKind::kEnd:
      enter_reading_call(r);  // MPI_Finalize
      me.done = true;
      return false;
    case OpKind::kCompute: {
      if (!(op.seconds >= 0) || !std::isfinite(op.seconds)) {
        fail(r, op, "a computation cannot take " + std::to_string(op.seconds) + " s");
        return false;
      }
      double seconds = op.seconds * (is_device_wait(op) ? options_.device_factor : options_.compute_factor);
      if (options_.noise > 0) seconds *= noise_factor(options_.noise, options_.seed, r, me.event);
      compute(r, op, seconds);
      ++n_local_events_;
      return true;
    }
    case OpKind::kSend:
    case OpKind::kIsend:
      if (!is_rank(r, op)) return false;
      if (!me.waiting) send(r, op, static_cast<uint32_t>(op.peer), op.bytes, op.tag, op.communicator, group);
      return !blocking || await(r, op, group);
    case OpKind::kRecv:
    case OpKind::kIrecv:
      if (!is_rank(r, op)) return false;
      if (!me.waiting) receive(r, static_cast<uint32_t>(op.peer), op.bytes, op.tag, op.communicator, group);
      return !blocking || await(r, op, group);
    case OpKind::kRemote:
      if (!is_rank(r, op)) return false;
      access(r, op);
      return true;
    case OpKind::kWait:
      if (!me.waiting) ++n_local_events_;
      return await(r, op, op.group);
    case OpKind::kAsk: return ask(r, op);
    case OpKind::kMark:
      if (options_.observer != nullptr) options_.observer->on_mark(r, op, me.clock_s);
      return true;
    case OpKind::kNotYet: me.starved = true; return false;
    case OpKind::kCollective:  // advance() does it
      break;
  }
  return false;
}

void Simulator::advance(uint32_t r) {
  SimulatedRank& me = ranks_[r];
  for (uint64_t next = me.position;; me.position = next, ++me.event) {
    const Op op = program_.next(static_cast<int>(r), next);
    if (!(op.kind == OpKind::kCollective ? perform_collective(r, op) : perform(r, op))) return;
  }
}

// Of many ranks a middle one stands for all, since all of them get ahead together.
void Simulator::tell_progress() {
  const auto middle = static_cast<uint32_t>(ranks_.size() / 2);
  if (n_operations_ == 0) {
    for (uint64_t at = 0; program_.next(static_cast<int>(middle), at).kind != OpKind::kEnd;) ++n_operations_;
    n_operations_ = std::max<uint64_t>(n_operations_, 1);
  }
  options_.on_progress(static_cast<double>(ranks_[middle].event) / static_cast<double>(n_operations_));
}

void Simulator::run_ready() {
  while (!failure_) {
    if (options_.on_progress && ++n_steps_ % kStepsUntold == 0) tell_progress();
    const uint64_t n_waiting = n_deferred_ - n_delivered_;
    if (n_waiting > kFewDeliveries) {
      deliver_next();
    } else if (!ready_.empty()) {
      advance_next();
    } else if (n_begun_ < ranks_.size()) {
      advance(n_begun_++);
    } else if (n_waiting > 0) {
      deliver_next();
    } else {
      return;
    }
  }
}

// Precondition: a message passes, and nothing is posted any more before its next step.
void Simulator::pass_next() {
  if (transport_.access_is_next()) {
    for (const AnsweredAccess& one : transport_.take_access()) became_known(one.transfer);
  } else if (transport_.handshake_is_next()) {
    read_handshake();
  } else if (const auto passed = transport_.next()) {
    became_known(passed->send);
    became_known(passed->receive);
  }
  run_ready();
}

void Simulator::begin() { run_ready(); }

Result<Simulation> Simulator::run() {
  begin();
  // All ranks wait, so that the end of the first large message is the next event.
  while (!failure_) {
    if (!transport_.none_passes()) {
      pass_next();
    } else if (leave_joint()) {
      run_ready();
    } else {
      break;
    }
  }
  return end();
}

Result<Simulation> Simulator::end() {
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
  for (const SimulatedRank& rank : ranks_) {
    result.ranks.push_back({rank.times, rank.clock_s, 1});
    result.total_s = std::max(result.total_s, rank.clock_s);
  }
  if (options_.record_path) trace_path(result);
  return result;
}

Status check_simulation(const Network& network, int ranks, const SimulationOptions& options) {
  const std::string name = network.name.empty() ? "network" : "network \"" + network.name + "\"";
  TRY(validate(network, name));
  TRY(check_size(network, name, ranks));
  if (!std::isfinite(options.compute_factor) || options.compute_factor < 0 || !std::isfinite(options.noise) ||
      options.noise < 0) {
    return Error{ErrorCode::kUsage, "the factor of computations and the noise must be at least 0"};
  }
  return Done{};
}

Result<Simulation> simulate(const Program& program, const Network& network, const SimulationOptions& options) {
  TRY(check_simulation(network, program.ranks(), options));
  auto choice = TRY(AlgorithmChoice::of(network));
  return Simulator(program, network, std::move(choice), options).run();
}

}  // namespace scalediag::loggp
