// The cost of a message on a network. With b = max(bytes, 1) - 1 and the parameters of the message's segment:
//
// eager (bytes <= S_sync), sent at time t, received by a receive that was posted at time r:
//   the sender's CPU is free again at         t + o_s + O b
//   the first byte leaves at                  x = max(t + o_s, adapter free), which is free again at x + G b + g
//   the last byte is at the receiver at       a = max(x + L, its adapter free) + G b, which is free again at a + g
//   the receive is over at                    max(r, CPU free, a) + o_r + O b
//
// rendezvous (bytes > S_sync): the first segment's o_s, o_r and L, written o_s', o_r' and L', are those of the two
// control messages:
//   the request is at the receiver at         q = t + o_s' + L'
//   the receiver agrees at                    h = max(q, r) + o_r'
//   the sender knows at                       c = h + o_s' + L' + o_r'
//   and then sends as above, with x = max(c + o_s, adapter free); its send is over at max(x + G b, c + o_s + O b).
// Without waiting that is 2 (o_s' + L' + o_r') + o_s + L + G b + o_r from end to end (Zhai et al. 2016, figure 10b).
// With progress "in-calls" (Network::progress; Lin et al. 2013, algorithms 2 and 3) control messages are read in calls
// that wait for a message or for an agreement: with w(t) the first time from t on at which the rank is in such a call,
// h = max(w(q), r) + o_r' and c = w(h + o_s' + L') + o_r'. Calls that only begin a send or a receive, and sends that do
// not wait, read none. With handshake 0 the receiver takes the data by itself: c = h.
// Where o_s', L' and o_r' stand, they are multiplied by the segment's `handshake`: in shared memory a send may wait for
// its receiver although no control messages are sent (handshake 0).
// To another node, a message after a handshake shares the sender's adapter with all others that it sends there in this
// way at that time (shared_adapter.h): while n messages pass, each has 1/n of the bandwidth, and the last byte of one
// leaves g before the adapter is free again; while the rank receives such a message as well, all of them take
// `exchange` times as long. Within a node messages are copied one by one. (With placement block and one rank a node all
// pairs are of two nodes.)
//
// A message of a rank to itself is copied in memory: it takes no time and no adapter. Above S_sync (of the same node)
// its send waits for the receive.
//
// The first message between two ranks, in either direction, finds no connection. It, and all that is sent between them
// meanwhile, leaves `connect` later (an eager message's first byte, a rendezvous' request), while the CPU goes on.
//
// Assumptions. Eager messages leave in the order in which they were sent, and neither wait for those that share the
// adapter nor delay them. The adapter sends while the CPU goes on (an eager send is buffered, however many there are).
// Control messages do not occupy adapters. Both sides of a handshake answer at once, even while their rank computes
// (unless progress is "in-calls"), and data need no CPU once a message has been agreed on.
// Switches have no contention: only the sender's adapter and the receiver's are limits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "loggp/network/network.h"

namespace scalediag::loggp {

struct MessageCost {
  double send_overhead_s = 0;  // o_s
  double send_cpu_s = 0;       // o_s + O b
  double receive_cpu_s = 0;    // o_r + O b
  double stream_s = 0;         // G b
  double gap_s = 0;            // g
  double latency_s = 0;        // L, without hops
  bool rendezvous = false;
  double handshake = 1;          // it is already multiplied into the next three
  double control_send_s = 0;     // o_s'
  double control_latency_s = 0;  // L', without hops
  double control_receive_s = 0;  // o_r'
  bool passes_adapters = true;
};

// Costs of all pairs of a network that outlives it. Precondition: the network is valid.
class CostModel {
 public:
  explicit CostModel(const Network& network);

  enum LinkIndex : uint8_t { kSameNode = 0, kOtherNode = 1, kItself = 2 };
  LinkIndex link(int from, int to) const {
    if (from == to) return kItself;
    if (rank_per_node_) return kOtherNode;
    return network_.placement.node_of(from) == network_.placement.node_of(to) ? kSameNode : kOtherNode;
  }
  const MessageCost& message(LinkIndex link, uint64_t bytes) {
    Cached& cached = cache_[link][(bytes * 0x9e3779b97f4a7c15U) >> (64 - kCachedBits)];
    if (cached.bytes != bytes || !cached.known) fill(cached, link, bytes);
    return cached.cost;
  }
  double connect_s(LinkIndex link) const {
    if (link == kItself) return 0;
    return (link == kSameNode ? network_.same_node : network_.other_node).connect_s;
  }
  double hops_latency_s(int from, int to) const { return no_hops_ ? 0 : network_.extra_latency_s(from, to); }
  double copy_s(uint64_t bytes) const { return network_.copy_s_per_byte * static_cast<double>(bytes); }
  double reduction_s(uint64_t bytes) const { return network_.reduction_s_per_byte * static_cast<double>(bytes); }

 private:
  // The number of sizes whose segments are remembered: programs send few sizes, and looking a segment up costs more.
  static constexpr int kCachedBits = 5;
  struct Cached {
    uint64_t bytes = 0;
    bool known = false;
    MessageCost cost;
  };
  void fill(Cached& cached, LinkIndex link, uint64_t bytes) const;

  const Network& network_;
  bool rank_per_node_;
  bool no_hops_;
  std::array<std::array<Cached, size_t{1} << kCachedBits>, 3> cache_;
};

// The time during which an adapter is busy. It remembers the newest busy stretch: a message that is to pass before that
// stretch began still does, so that the order in which messages are looked at does not cause waiting.
class Adapter {
 public:
  // The first moment from `from_s` on at which a message can pass.
  double take(double from_s, const MessageCost& cost) {
    return cost.passes_adapters ? take(from_s, cost.stream_s, cost.gap_s) : from_s;
  }
  // The first moment from `from_s` on at which the adapter is free for stream_s; busy then for stream_s + gap_s.
  double take(double from_s, double stream_s, double gap_s) {
    const double busy_s = stream_s + gap_s;
    if (from_s >= busy_until_s_) {
      if (from_s > busy_until_s_) busy_from_s_ = from_s;
      busy_until_s_ = from_s + busy_s;
      return from_s;
    }
    if (from_s + busy_s <= busy_from_s_) return from_s;
    const double start_s = busy_until_s_;
    busy_until_s_ = start_s + busy_s;
    return start_s;
  }

 private:
  double busy_from_s_ = 0;
  double busy_until_s_ = 0;
};

}  // namespace scalediag::loggp
