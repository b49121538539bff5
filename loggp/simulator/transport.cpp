#include "loggp/simulator/transport.h"

#include <algorithm>

namespace scalediag::loggp {
namespace {

// No meaningful time is as long, and sums of shorter times are finite.
constexpr double kForEver_s = 1e100;

}  // namespace

uint32_t Transport::new_transfer(Transfer::Kind kind, double now_s) {
  const uint32_t i = pool_.take();
  Transfer& t = pool_[i];
  t.kind = kind;
  t.posted_s = now_s;
  t.known = t.matched = t.seen = false;
  t.unmatched = {kNoTransfer, 0};
  t.awaited = false;
  t.n_control = 0;
  return i;
}

SendPosted Transport::post(Port& from, const SendRequest& q, double now_s, Delivery& d) {
  ++n_messages_;
  const auto link = costs_.link(static_cast<int>(q.from), static_cast<int>(q.to));
  const MessageCost& cost = costs_.message(link, q.bytes);
  const double connected_s = connections_.ready_s(q.from, q.to, now_s, costs_.connect_s(link));
  const double hops_s = costs_.hops_latency_s(static_cast<int>(q.from), static_cast<int>(q.to));
  d = {{q.to, q.from, q.tag, q.communicator}, q.event, q.bytes, now_s, 0, kNoTransfer, q.path, q.operation};
  if (!cost.rendezvous) {
    d.first_byte_s = first_byte_s(from.out, cost, now_s, connected_s, hops_s);
    return {now_s + cost.send_cpu_s, kNoTransfer};
  }
  d.own = new_transfer(Transfer::Kind::kSend, now_s);
  Transfer& send = pool_[d.own];
  send.known_s = std::max(now_s + cost.control_send_s, connected_s) + cost.control_latency_s + cost.handshake * hops_s;
  send.bytes = q.bytes;
  send.owner = q.from;
  send.peer = q.to;
  send.tag = q.tag;
  send.communicator = q.communicator;
  send.group = q.group;
  send.unmatched.event = q.event;
  send.path = q.path;
  send.operation = q.operation;
  return {now_s + cost.control_send_s, d.own};
}

SendPosted Transport::access(Port& from, const SendRequest& q, trace::Remote what, double now_s) {
  using trace::Remote;
  const bool brings = what == Remote::kGet || what == Remote::kFetch;
  n_messages_ += brings ? 2 : 1;
  const auto link = costs_.link(static_cast<int>(q.from), static_cast<int>(q.to));
  const MessageCost cost = costs_.message(link, what == Remote::kGet ? 0 : q.bytes);
  const double connected_s = connections_.ready_s(q.from, q.to, now_s, costs_.connect_s(link));
  const double leaves_s = from.out.take(std::max(now_s + cost.send_overhead_s, connected_s), cost);
  const uint32_t own =
      new_transfer(brings ? Transfer::Kind::kAnswer : Transfer::Kind::kAccess, now_s + cost.send_cpu_s);
  Transfer& t = pool_[own];
  t.owner = q.from;
  t.peer = q.to;
  t.bytes = q.bytes;
  t.group = q.group;
  t.operation = q.operation;
  t.path = kOwnPath;
  t.n_control = what == Remote::kPutLeft ? 0 : what == Remote::kPut || brings ? 1 : 2;
  t.communicator = q.communicator;
  if (what == Remote::kPutLeft) {
    t.known = true;
    t.known_s = leaves_s + cost.stream_s;
  } else {
    const double at_s = leaves_s + flight_of(cost, static_cast<int>(q.from), static_cast<int>(q.to));
    accesses_.post({at_s, 0, own, q.from, q.to, q.communicator, what});
  }
  return {now_s + cost.send_cpu_s, own};
}

const std::vector<AnsweredAccess>& Transport::take_access() {
  const RemoteAccess access = accesses_.take();
  const int origin = static_cast<int>(access.origin), target = static_cast<int>(access.target);
  const auto link = costs_.link(target, origin);
  const MessageCost cost = costs_.message(link, pool_[access.transfer].bytes), answer = costs_.message(link, 0);
  answered_.clear();
  accesses_.arrive(access, cost, answer, costs_.hops_latency_s(target, origin), answered_);
  for (const AnsweredAccess& one : answered_) {
    Transfer& t = pool_[one.transfer];
    t.known = true;
    t.known_s = one.over_s;
    t.posted_s += one.waited_s;
    t.last_byte_s = 0;
  }
  return answered_;
}

uint32_t Transport::deliver(Port& to, Port& from, const Delivery& d) {
  const uint32_t receive = to.receives.take(pool_, d.key);
  if (receive != kNoTransfer) hold_against_room(d.key, d.bytes, pool_[receive].bytes, pool_[receive].unmatched.event);
  if (d.own != kNoTransfer) {
    if (reads_in_calls_) handshakes_.push({pool_[d.own].known_s, d.key.owner, d.own});
    if (receive == kNoTransfer) {
      to.messages.append(pool_, d.key, d.own);
      return kNoTransfer;
    }
    if (reads_in_calls_) {
      pool_[d.own].unmatched.next = receive;
      pool_[d.own].matched = true;
      return kNoTransfer;
    }
    return agree(from, d.own, receive) ? receive : kNoTransfer;
  }
  const uint32_t i = receive != kNoTransfer ? receive : new_transfer(Transfer::Kind::kEagerMessage, d.posted_s);
  Transfer& t = pool_[i];
  t.known_s = d.first_byte_s;
  t.bytes = d.bytes;
  t.path = d.path;
  t.operation = d.operation;
  if (receive != kNoTransfer) {
    t.known = true;
    t.last_byte_s = 0;
    t.posted_s = d.posted_s;
    return receive;
  }
  t.owner = d.key.owner;
  t.peer = d.key.peer;
  t.tag = d.key.tag;
  t.communicator = d.key.communicator;
  t.unmatched.event = d.event;
  to.messages.append(pool_, d.key, i);
  return kNoTransfer;
}

ReceivePosted Transport::receive(Port& to, Port& from, const ReceiveRequest& q, double now_s) {
  const MatchKey key{q.to, q.from, q.tag, q.communicator};
  const uint32_t message = to.messages.take(pool_, key);
  if (message != kNoTransfer) hold_against_room(key, pool_[message].bytes, q.bytes, q.event);
  const bool eager = message != kNoTransfer && pool_[message].kind == Transfer::Kind::kEagerMessage;
  const uint32_t own = eager ? message : new_transfer(Transfer::Kind::kReceive, now_s);
  Transfer& t = pool_[own];
  t.kind = Transfer::Kind::kReceive;
  t.group = q.group;
  if (eager) {  // the message becomes the receive: its data of the sender stay
    t.known = true;
    t.last_byte_s = 0;
    return {own, kNoTransfer};
  }
  t.unmatched.event = q.event;
  t.owner = q.to;
  t.peer = q.from;
  t.tag = q.tag;
  t.communicator = q.communicator;
  t.bytes = q.bytes;
  t.path = q.path;
  if (message == kNoTransfer) {
    to.receives.append(pool_, key, own);
    return {own, kNoTransfer};
  }
  if (reads_in_calls_) {
    Transfer& send = pool_[message];
    send.unmatched.next = own;
    send.matched = true;
    if (send.seen) acknowledge(message, std::nullopt);
    return {own, kNoTransfer};
  }
  return {own, agree(from, message, own) ? message : kNoTransfer};
}

double Transport::note_agreement(Transfer& send, Transfer& receive, double ready_s,
                                 std::optional<uint32_t> receiver_path) {
  const int from = static_cast<int>(send.owner);
  const int to = static_cast<int>(receive.owner);
  const MessageCost& cost = costs_.message(costs_.link(from, to), send.bytes);
  const double agreed_s = std::max(send.known_s, receive.posted_s) + cost.control_receive_s;
  receive.path = receiver_path ? kOwnPath : send.path;
  send.path = receiver_path.value_or(kOwnPath);
  receive.n_control = send.n_control = receiver_path ? 1 : 2;
  receive.operation = send.operation;
  receive.bytes = send.bytes;
  receive.posted_s = send.posted_s;
  send.posted_s = ready_s;
  return agreed_s + cost.control_send_s + cost.control_latency_s + cost.handshake * costs_.hops_latency_s(from, to);
}

bool Transport::begin_data(Port& sender, uint32_t send_index, uint32_t receive_index, double told_s) {
  Transfer& send = pool_[send_index];
  Transfer& receive = pool_[receive_index];
  const int from = static_cast<int>(send.owner);
  const int to = static_cast<int>(receive.owner);
  const auto link = costs_.link(from, to);
  const MessageCost& cost = costs_.message(link, send.bytes);
  send.known_s = told_s + cost.send_cpu_s;
  const double ready_s = told_s + cost.send_overhead_s;
  const double work_s = cost.stream_s + cost.gap_s;
  if (link == CostModel::kOtherNode && ready_s + work_s < kForEver_s) {
    adapters_.begin(send.owner, receive.owner, ready_s, work_s, send_index, receive_index);
    return false;
  }
  const double leaves_s = sender.out.take(ready_s, cost);
  receive.last_byte_s = 0;
  pass(send, receive, leaves_s, leaves_s + cost.stream_s, flight_of(cost, from, to));
  return true;
}

const MessageCost& Transport::cost_of_send(const Transfer& send) {
  return costs_.message(costs_.link(static_cast<int>(send.owner), static_cast<int>(send.peer)), send.bytes);
}

bool Transport::agree(Port& sender, uint32_t send_index, uint32_t receive_index) {
  Transfer& send = pool_[send_index];
  Transfer& receive = pool_[receive_index];
  const auto path = receive.posted_s > send.known_s ? std::optional(receive.path) : std::nullopt;
  const double acknowledged_s = note_agreement(send, receive, receive.posted_s, path);
  return begin_data(sender, send_index, receive_index, acknowledged_s + cost_of_send(send).control_receive_s);
}

void Transport::acknowledge(uint32_t send_index, std::optional<uint32_t> path) {
  Transfer& send = pool_[send_index];
  Transfer& receive = pool_[send.unmatched.next];
  const bool is_posted_later = receive.posted_s > send.known_s;
  if (is_posted_later) path = receive.path;
  const double ready_s = path && !is_posted_later ? send.known_s : receive.posted_s;
  Handshake answer;
  answer.at_s = note_agreement(send, receive, ready_s, path);
  answer.rank = send.owner;
  answer.send = send_index;
  answer.is_request = false;
  answer.is_read = cost_of_send(send).handshake == 0;  // the receiver takes the data by itself
  handshakes_.push(answer);
}

std::optional<Passed> Transport::go_on(Port& sender, const Handshake& handshake) {
  Transfer& send = pool_[handshake.send];
  if (handshake.is_request) {
    send.known_s = handshake.at_s;
    send.seen = true;
    if (send.matched) acknowledge(handshake.send, handshake.is_late ? std::optional(handshake.path) : std::nullopt);
    return std::nullopt;
  }
  const uint32_t receive_index = send.unmatched.next;
  if (handshake.is_late) {
    Transfer& receive = pool_[receive_index];
    receive.path = handshake.path;
    receive.posted_s = handshake.at_s;
    receive.n_control = send.n_control = 0;
    send.path = kOwnPath;
  }
  const double told_s = handshake.at_s + cost_of_send(send).control_receive_s;
  if (!begin_data(sender, handshake.send, receive_index, told_s)) return std::nullopt;
  return Passed{handshake.send, receive_index};
}

// What lies between the post that determined the end and the end: overheads and latencies, whose numbers are known, and
// what is left is bytes. Of an operation that the rank waited for by itself no more counts than it waited: it may have
// been posted long before.
PathMessage Transport::message_on_path(const Transfer& t, double begin_s, double over_s) {
  if (t.is_access()) return access_on_path(t, begin_s, over_s);
  const bool is_receive = t.kind == Transfer::Kind::kReceive;
  const bool is_own = t.path == kOwnPath;
  const MessageCost& cost = is_receive ? cost_of(t) : cost_of_send(t);
  if (!cost.passes_adapters) return {t.operation, 0, 0};
  const double hops_s = costs_.hops_latency_s(static_cast<int>(t.owner), static_cast<int>(t.peer));
  double latency_s = t.n_control * (cost.control_latency_s + cost.handshake * hops_s);
  if (is_receive) latency_s += cost.latency_s + hops_s;
  double overhead_s = cost.send_overhead_s + t.n_control * (cost.control_send_s + cost.control_receive_s);
  if (cost.rendezvous && t.n_control < 2) overhead_s += cost.control_receive_s;  // more are read than sent
  // A blocking send was posted before the rank began to wait.
  const double since_s = !is_own ? t.posted_s : is_receive ? begin_s : begin_s - cost.control_send_s;
  if (is_receive != is_own) {  // it began with the sender, who may have waited for the connection
    const double made_s = connections_.made_s(t.owner, t.peer);
    latency_s += std::clamp(made_s - since_s - cost.send_overhead_s, 0.0, std::max(0.0, over_s - since_s));
  }
  double bytes_s = std::max(0.0, over_s - since_s - latency_s - overhead_s);
  if (!is_receive && cost.send_cpu_s >= cost.send_overhead_s + cost.stream_s) bytes_s = 0;  // the CPU was slower
  if (is_own) {
    latency_s = std::min(latency_s, over_s - begin_s);
    bytes_s = std::min(bytes_s, over_s - begin_s);
  }
  return {t.operation, static_cast<float>(latency_s), static_cast<float>(bytes_s)};
}

// An access is the rank's own, and has no handshake: requests and answers without bytes, and data.
PathMessage Transport::access_on_path(const Transfer& t, double begin_s, double over_s) {
  const auto owner = static_cast<int>(t.owner), peer = static_cast<int>(t.peer);
  const auto link = costs_.link(owner, peer);
  if (!costs_.message(link, t.bytes).passes_adapters) return {t.operation, 0, 0};
  double latency_s = t.n_control * flight_of(costs_.message(link, 0), owner, peer);
  if (t.kind == Transfer::Kind::kAnswer) latency_s += flight_of(costs_.message(link, t.bytes), owner, peer);
  const double waited_s = std::max(0.0, over_s - begin_s);
  const double bytes_s = t.bytes > 0 ? std::max(0.0, waited_s - latency_s) : 0;
  return {t.operation, static_cast<float>(std::min(latency_s, waited_s)), static_cast<float>(bytes_s)};
}

Handshake Transport::take_handshake() {
  const Handshake next = handshakes_.top();
  handshakes_.pop();
  return next;
}

void Transport::pass(Transfer& send, Transfer& receive, double first_byte_s, double last_byte_s, double flight_s) {
  send.known_s = std::max(send.known_s, last_byte_s);
  send.known = true;
  receive.known_s = first_byte_s + flight_s;
  receive.known = true;
}

std::optional<Passed> Transport::next() {
  const auto end = adapters_.step();
  if (!end) return std::nullopt;
  Transfer& send = pool_[end->send];
  Transfer& receive = pool_[end->receive];
  const int from = static_cast<int>(send.owner);
  const int to = static_cast<int>(receive.owner);
  const MessageCost& cost = costs_.message(costs_.link(from, to), send.bytes);
  const double flight_s = flight_of(cost, from, to);
  const double last_byte_s = end->end_s - cost.gap_s;
  receive.last_byte_s = last_byte_s + flight_s;
  pass(send, receive, end->begin_s, last_byte_s, flight_s);
  return Passed{end->send, end->receive};
}

std::string to_string(const Truncation& truncation) {
  return "has room for " + std::to_string(truncation.room) + " B, but rank " + std::to_string(truncation.from) +
         " sends " + std::to_string(truncation.bytes) + " B, tag " + std::to_string(truncation.tag) +
         (truncation.communicator != 0 ? ", communicator " + std::to_string(truncation.communicator) : "");
}

}  // namespace scalediag::loggp
