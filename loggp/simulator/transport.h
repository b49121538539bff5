// Posts sends and receives of all ranks, matches them, and gives the times at which they end. It does not know the
// computations of ranks.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "loggp/network/message_cost.h"
#include "loggp/simulator/connections.h"
#include "loggp/simulator/handshakes.h"
#include "loggp/simulator/memory/match_table.h"
#include "loggp/simulator/path_trace.h"
#include "loggp/simulator/shared_adapter.h"
#include "loggp/simulator/windows/remote_accesses.h"

namespace scalediag::loggp {

// The state of a rank's messages. What other ranks look at comes first, in one line of the cache.
struct alignas(64) Port {
  MatchQueue<6> receives;  // that no message has met
  uint32_t missing = 0;    // for whoever runs the rank: the number of transfers it waits for that are not known yet
  uint32_t waiting_group = 0;
  MatchQueue<10> messages;  // that no receive has met
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
  uint16_t operation;  // operation_of() what sends it
};

// A message whose receiver has not heard of it yet.
struct Delivery {
  MatchKey key;
  uint32_t event;  // of the sender
  uint64_t bytes;
  double posted_s;
  double first_byte_s;  // eager: when it reaches the receiver
  uint32_t own;         // the sender's transfer of a rendezvous; kNoTransfer: eager
  uint32_t path;
  uint16_t operation;
};

struct SendPosted {
  double cpu_free_s;  // time at which the sender's CPU goes on
  uint32_t own;       // the transfer that the sender has to wait for; kNoTransfer: the send is over
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

// Of a rank's clock that waits for a transfer from begin_s on.
struct Waited {
  double late_s = 0;  // for the other side to begin
  double end_s = 0;
};
// The transfer is over at over_s, which takes the rank cpu_s more; its other side began at posted_s.
inline Waited wait_until(double over_s, double cpu_s, double posted_s, double begin_s) {
  const double idle_s = std::max(0.0, over_s - begin_s);
  return {std::clamp(posted_s - begin_s, 0.0, idle_s), std::max(begin_s, over_s) + cpu_s};
}

class Transport {
 public:
  // `network` outlives it.
  explicit Transport(const Network& network)
      : costs_(network),
        adapters_(network.other_node.exchange),
        reads_in_calls_(network.progress == Progress::kInCalls) {}

  // Fetch what deliver() will look at into the cache: first of the receiver's state, and once that is there, of the
  // receive that the message meets, or else of where it waits.
  static void prefetch(const Port& to) { __builtin_prefetch(&to.receives, 1); }
  void prefetch_match(const Port& to, const MatchKey& key) const {
    if (!to.receives.prefetch(pool_, key)) __builtin_prefetch(&to.messages, 1);
  }

  // A send is posted, and then delivered: messages of a rank in the order in which they were posted.
  SendPosted post(Port& from, const SendRequest& request, double now_s, Delivery& delivery);
  // Returns a receive that has become known by it, or kNoTransfer.
  uint32_t deliver(Port& to, Port& from, const Delivery& delivery);
  ReceivePosted receive(Port& to, Port& from, const ReceiveRequest& request, double now_s);

  // An access to the memory of another rank; returns the transfer that its rank has to wait for.
  SendPosted access(Port& from, const SendRequest& request, trace::Remote what, double now_s);
  // Whether the next step is that of an access at its target. Precondition: as of next_s().
  bool access_is_next() {
    return !accesses_.empty() && (adapters_.empty() || accesses_.next_s() <= adapters_.next_s()) &&
           (handshakes_.empty() || accesses_.next_s() <= handshakes_.top().at_s);
  }
  // Takes it; returns the transfers that have become known, valid until the next call. Precondition: as of next().
  const std::vector<AnsweredAccess>& take_access();

  // Messages that both sides have agreed on and whose end depends on their sender's other messages, control
  // messages that wait for a call, and accesses to other ranks' memory: whether there are none, and the time before
  // which none ends or arrives. Precondition of next_s(): there are some.
  bool none_passes() const { return adapters_.empty() && handshakes_.empty() && accesses_.empty(); }
  double next_s() {
    if (access_is_next()) return accesses_.next_s();
    return handshake_is_next() ? handshakes_.top().at_s : adapters_.next_s();
  }
  // The next step towards an end, which may be one. Precondition: there are some, it is not a control message, and
  // nothing can be posted before next_s().
  std::optional<Passed> next();

  // Whether the next step is a control message. Precondition: as of next_s(), and it is no access.
  bool handshake_is_next() {
    return !handshakes_.empty() && (adapters_.empty() || handshakes_.top().at_s <= adapters_.next_s());
  }
  // Removes it. Precondition: as of next(), but it is one.
  Handshake take_handshake();
  // Puts it back with the time at which it is read. Precondition: is_read.
  void put_back(const Handshake& handshake) { handshakes_.push(handshake); }
  // Goes on with one that is read, now. `sender` is the port of the message's sender.
  std::optional<Passed> go_on(Port& sender, const Handshake& handshake);

  // Passes a known receive, which costs `cost`, through its rank's adapter; returns the time at which its last byte has
  // arrived. Precondition: called once for each receive; receives of a rank come in the order of known_s as far as that
  // is possible (otherwise see Adapter).
  static double take_in(Port& to, const Transfer& receive, const MessageCost& cost) {
    return std::max(last_byte_s(to.in, cost, receive.known_s), receive.last_byte_s);
  }
  // The same from and to adapters: an eager message that is sent at now_s, where the connection is there at
  // connected_s, has its first byte at the receiver at first_byte_s(); one whose first byte is there has its last byte
  // in at last_byte_s(). All are in seconds.
  static double first_byte_s(Adapter& out, const MessageCost& cost, double now_s, double connected_s, double hops_s) {
    return out.take(std::max(now_s + cost.send_overhead_s, connected_s), cost) + cost.latency_s + hops_s;
  }
  static double last_byte_s(Adapter& in, const MessageCost& cost, double first_byte_s) {
    return in.take(first_byte_s, cost) + cost.stream_s;
  }
  // Valid until the next call.
  const MessageCost& cost_of(const Transfer& transfer) {
    return costs_.message(costs_.link(static_cast<int>(transfer.peer), static_cast<int>(transfer.owner)),
                          transfer.bytes);
  }

  // Adds to the critical path that `rank`, on `path`, waited from begin_s to over_s for its transfer; returns its path
  // from now on.
  uint32_t add_to(PathTrace& trace, const Transfer& transfer, double begin_s, double over_s, uint32_t rank,
                  uint32_t path) {
    const bool is_own = transfer.path == kOwnPath;
    const PathMessage message = message_on_path(transfer, begin_s, over_s);
    return is_own ? trace.add(rank, over_s, over_s, path, message)
                  : trace.add(transfer.peer, transfer.posted_s, over_s, transfer.path, message);
  }

  // Messages that were larger than their receives, and the first of them.
  uint64_t n_truncated() const { return n_truncated_; }
  const Truncation& first_truncation() const { return first_truncation_; }

  TransferPool& pool() { return pool_; }
  const TransferPool& pool() const { return pool_; }
  CostModel& costs() { return costs_; }
  uint64_t n_messages() const { return n_messages_; }
  // Messages that were passed without the transport.
  void count_messages(uint64_t n) { n_messages_ += n; }

 private:
  // The handshake of message_cost.h, once both sides are posted, where it is answered at once. False: the message's end
  // depends on the sender's other messages.
  bool agree(Port& sender, uint32_t send, uint32_t receive);
  // The same where control messages are read in calls, once the request has been read. `path`: that of the receiver if
  // it was late to read it, otherwise nothing.
  void acknowledge(uint32_t send, std::optional<uint32_t> path);
  // Notes that the receiver, which was ready at ready_s, agrees; `receiver_path`: its path where it was the last one.
  // Returns the time at which the acknowledgement is at the sender.
  double note_agreement(Transfer& send, Transfer& receive, double ready_s, std::optional<uint32_t> receiver_path);
  const MessageCost& cost_of_send(const Transfer& send);
  PathMessage message_on_path(const Transfer& transfer, double begin_s, double over_s);
  PathMessage access_on_path(const Transfer& transfer, double begin_s, double over_s);
  // The sender knows at told_s that the receiver has agreed. False: as of agree().
  bool begin_data(Port& sender, uint32_t send, uint32_t receive, double told_s);
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
  const bool reads_in_calls_;
  Handshakes handshakes_;
  RemoteAccesses accesses_;
  std::vector<AnsweredAccess> answered_;
  Connections connections_;
  uint64_t n_messages_ = 0;
  uint64_t n_truncated_ = 0;
  Truncation first_truncation_;
};

// The text that follows the place of the receive.
std::string to_string(const Truncation& truncation);

}  // namespace scalediag::loggp
