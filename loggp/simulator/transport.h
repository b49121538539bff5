// Posts sends and receives of all ranks, matches them, and gives the times at which they end. It does not know the
// computations of ranks.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "loggp/network/message_cost.h"
#include "loggp/simulator/connections.h"
#include "loggp/simulator/match_table.h"
#include "loggp/simulator/shared_adapter.h"

namespace scalediag::loggp {

// The state of a rank's messages. What other ranks look at comes first, in one line of the cache.
struct alignas(64) Port {
  MatchQueue receives;   // that no message has met
  uint32_t missing = 0;  // for whoever runs the rank: the number of transfers it waits for that are not known yet
  uint32_t waiting_group = 0;
  MatchQueue messages;  // that no receive has met
  Adapter in;
  Adapter out;
};

struct SendRequest {
  uint32_t from;
  uint32_t to;
  int32_t tag;
  uint32_t communicator;
  uint64_t bytes;
  uint32_t group;
  uint32_t event;
  uint32_t path;
};

struct SendPosted {
  double cpu_free_s = 0;           // time at which the sender's CPU goes on
  uint32_t own = kNoTransfer;      // the transfer that the sender has to wait for; none: the send is over
  uint32_t receive = kNoTransfer;  // a receive that has become known by it
};

struct ReceiveRequest {
  uint32_t to;
  uint32_t from;
  int32_t tag;
  uint32_t communicator;
  uint64_t bytes;
  uint32_t group;
  uint32_t event;
  uint32_t path;
};

struct ReceivePosted {
  uint32_t own = kNoTransfer;   // the transfer that the receiver has to wait for
  uint32_t send = kNoTransfer;  // a send that has become known by it
};

// A bit of a communicator's number for messages inside its collectives, which no other receives match. The sizes of
// their two sides may differ: ranks pass arguments that count on the root only.
constexpr uint32_t kCollectiveContext = 0x80000000;

// A message that is larger than the receive that it matched.
struct Truncation {
  uint32_t from = 0;
  uint32_t to = 0;
  int32_t tag = 0;
  uint32_t communicator = 0;
  uint64_t bytes = 0;
  uint64_t room = 0;
  uint32_t receive_event = 0;  // of `to`
};

// A send and its receive, both of which have become known.
struct Passed {
  uint32_t send;
  uint32_t receive;
};

class Transport {
 public:
  // `network` outlives it.
  explicit Transport(const Network& network) : costs_(network), adapters_(network.other_node.exchange) {}

  // Fetch what a send will look at into the cache: first of the receiver's state, and once that is there, of the receive
  // that the message meets, or else of where it waits.
  static void prefetch(const Port& to) { __builtin_prefetch(&to.receives, 1); }
  void prefetch_match(const Port& to, const MatchKey& key) const {
    if (!to.receives.prefetch(pool_, key)) __builtin_prefetch(&to.messages, 1);
  }

  SendPosted send(Port& from, Port& to, const SendRequest& request, double now_s);
  ReceivePosted receive(Port& to, Port& from, const ReceiveRequest& request, double now_s);

  // Messages that both sides have agreed on and whose end depends on their sender's other messages: whether there are
  // none, the time before which none ends, and the next step towards an end, which may be one. Precondition of the
  // latter two: there are some; of next(), also: nothing can be posted before next_s().
  bool none_passes() const { return adapters_.empty(); }
  double next_s() { return adapters_.next_s(); }
  std::optional<Passed> next();

  // Passes a known receive, which costs `cost`, through its rank's adapter; returns the time at which its last byte has
  // arrived. Precondition: called once for each receive; receives of a rank come in the order of known_s as far as that
  // is possible (otherwise see Adapter).
  static double take_in(Port& to, const Transfer& receive, const MessageCost& cost) {
    return std::max(to.in.take(receive.known_s, cost.stream_s, cost.gap_s) + cost.stream_s, receive.last_byte_s);
  }
  // Valid until the next call.
  const MessageCost& cost_of(const Transfer& transfer) {
    return costs_.message(costs_.link(static_cast<int>(transfer.peer), static_cast<int>(transfer.owner)),
                          transfer.bytes);
  }

  // Messages that were larger than their receives, and the first of them.
  uint64_t n_truncated() const { return n_truncated_; }
  const Truncation& first_truncation() const { return first_truncation_; }

  TransferPool& pool() { return pool_; }
  const TransferPool& pool() const { return pool_; }
  CostModel& costs() { return costs_; }
  uint64_t n_messages() const { return n_messages_; }

 private:
  bool agree(Port& sender, uint32_t send, uint32_t receive);
  // Called when a message of `bytes` has matched its receive.
  void hold_against_room(const MatchKey& key, uint64_t bytes, uint64_t room, uint32_t receive_event) {
    if (bytes <= room || (key.communicator & kCollectiveContext) != 0) return;
    if (n_truncated_++ > 0) return;
    first_truncation_ = {key.peer, key.owner, key.tag, key.communicator, bytes, room, receive_event};
  }
  // Both sides' ends are known: the times at which bytes leave, and how long each is under way.
  void pass(Transfer& send, Transfer& receive, double first_byte_s, double last_byte_s, double flight_s);
  double flight_of(const MessageCost& cost, int from, int to) const {
    return cost.latency_s + costs_.hops_latency_s(from, to);
  }
  uint32_t new_transfer(Transfer::Kind kind, double now_s);

  CostModel costs_;
  TransferPool pool_;
  SharedAdapters adapters_;
  Connections connections_;
  uint64_t n_messages_ = 0;
  uint64_t n_truncated_ = 0;
  Truncation first_truncation_;
};

// The text that follows the place of the receive.
std::string to_string(const Truncation& truncation);

}  // namespace scalediag::loggp
