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
  t.known = false;
  t.awaited = false;
  t.unmatched = {kNoTransfer, 0};
  return i;
}

SendPosted Transport::send(Port& from, Port& to, const SendRequest& q, double now_s) {
  ++n_messages_;
  const auto link = costs_.link(static_cast<int>(q.from), static_cast<int>(q.to));
  const MessageCost& cost = costs_.message(link, q.bytes);
  const MatchKey key{q.to, q.from, q.tag, q.communicator};
  const uint32_t receive = to.receives.take(pool_, key);
  if (receive != kNoTransfer) hold_against_room(key, q.bytes, pool_[receive].bytes, pool_[receive].unmatched.event);
  const double connected_s = connections_.ready_s(q.from, q.to, now_s, costs_.connect_s(link));

  if (!cost.rendezvous) {
    const double leaves_s =
        from.out.take(std::max(now_s + cost.send_overhead_s, connected_s), cost.stream_s, cost.gap_s);
    const double first_byte_s =
        leaves_s + cost.latency_s + costs_.hops_latency_s(static_cast<int>(q.from), static_cast<int>(q.to));
    uint32_t i = receive;
    if (receive == kNoTransfer) {
      i = new_transfer(Transfer::Kind::kEagerMessage, now_s);
      Transfer& message = pool_[i];
      message.owner = q.to;
      message.peer = q.from;
      message.tag = q.tag;
      message.communicator = q.communicator;
      message.unmatched.event = q.event;
      to.messages.append(pool_, key, i);
    } else {
      pool_[i].known = true;
      pool_[i].last_byte_s = 0;
      pool_[i].posted_s = now_s;
    }
    Transfer& t = pool_[i];
    t.known_s = first_byte_s;
    t.bytes = q.bytes;
    t.path = q.path;
    return {now_s + cost.send_cpu_s, kNoTransfer, receive};
  }

  const uint32_t own = new_transfer(Transfer::Kind::kSend, now_s);
  Transfer& send = pool_[own];
  send.known_s = std::max(now_s + cost.control_send_s, connected_s) + cost.control_latency_s +
                 cost.handshake * costs_.hops_latency_s(static_cast<int>(q.from), static_cast<int>(q.to));
  send.bytes = q.bytes;
  send.owner = q.from;
  send.peer = q.to;
  send.tag = q.tag;
  send.communicator = q.communicator;
  send.group = q.group;
  send.unmatched.event = q.event;
  send.path = q.path;
  if (receive == kNoTransfer) {
    to.messages.append(pool_, key, own);
    return {now_s + cost.control_send_s, own, kNoTransfer};
  }
  return {now_s + cost.control_send_s, own, agree(from, own, receive) ? receive : kNoTransfer};
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
  return {own, agree(from, message, own) ? message : kNoTransfer};
}

// The rendezvous of message_cost.h, once both sides are posted. False: its end depends on the sender's other messages.
bool Transport::agree(Port& sender, uint32_t send_index, uint32_t receive_index) {
  Transfer& send = pool_[send_index];
  Transfer& receive = pool_[receive_index];
  const int from = static_cast<int>(send.owner);
  const int to = static_cast<int>(receive.owner);
  const auto link = costs_.link(from, to);
  const MessageCost& cost = costs_.message(link, send.bytes);
  const double hops_s = costs_.hops_latency_s(from, to);
  const double agreed_s = std::max(send.known_s, receive.posted_s) + cost.control_receive_s;
  const double told_s =
      agreed_s + cost.control_send_s + cost.control_latency_s + cost.handshake * hops_s + cost.control_receive_s;
  // The side that was posted last determines when the other one goes on.
  const uint32_t sender_path = send.path;
  const uint32_t receiver_path = receive.path;
  const bool receiver_was_last = receive.posted_s > send.known_s;
  send.known_s = told_s + cost.send_cpu_s;
  send.path = receiver_was_last ? receiver_path : kOwnPath;
  std::swap(send.posted_s, receive.posted_s);
  receive.bytes = send.bytes;
  receive.path = receiver_was_last ? kOwnPath : sender_path;
  const double ready_s = told_s + cost.send_overhead_s;
  const double work_s = cost.stream_s + cost.gap_s;
  if (link == CostModel::kOtherNode && ready_s + work_s < kForEver_s) {
    adapters_.begin(send.owner, receive.owner, ready_s, work_s, send_index, receive_index);
    return false;
  }
  const double leaves_s = sender.out.take(ready_s, cost.stream_s, cost.gap_s);
  receive.last_byte_s = 0;
  pass(send, receive, leaves_s, leaves_s + cost.stream_s, flight_of(cost, from, to));
  return true;
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
