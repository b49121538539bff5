// Accesses to the memory of other ranks, in the order of time: puts, gets, atomics, and locks of that memory.
//
// The rank whose memory it is takes part with its adapter alone. An access of n bytes of rank A, posted at time t, to
// memory of rank B; o_s, O, L, G and g as in message_cost.h, b = max(n, 1) - 1, and 0 with no bytes:
//   A's CPU is free again at                t + o_s + O b
//   the bytes begin to leave at             x = max(t + o_s, adapter free), which is free again at x + G b + g
//   put: the bytes have left at             x + G b
//   put: the last byte is in B's memory at  a = max(x + L, B's adapter free) + G b
//   put, answered: A knows at               a + L
//   get: its request, of no bytes, is at B at q = x + L; the bytes leave from B, are at A and are taken in as those of
//                                           a message that is sent at q without CPU
//   fetch: as get, but the request carries n bytes
//   lock: granted at                        h = max(x + L, released by those before it), A knows at h + L
//   unlock: released at                     x + L, A knows at x + 2 L
// Locks are granted in the order in which they arrive, shared ones together. Accesses neither wait for messages at B's
// adapter nor delay them, but one another. Of a put between Win_start and Win_complete no more is known than when its
// bytes have left (Transport::access()): it is not among them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "core/raw/trace_format.h"
#include "loggp/network/message_cost.h"

namespace scalediag::loggp {

struct RemoteAccess {
  double at_s = 0;     // of its first byte, or its request, at the rank whose memory it is
  uint64_t order = 0;  // in which accesses were posted
  uint32_t transfer = 0;
  uint32_t origin = 0, target = 0;
  uint32_t window = 0;  // its communicator
  trace::Remote what = trace::Remote::kPut;

  bool operator<(const RemoteAccess& b) const { return at_s != b.at_s ? at_s > b.at_s : order > b.order; }
};

// An access whose end has become known.
struct AnsweredAccess {
  uint32_t transfer = 0;
  double over_s = 0;    // for its origin; of one with data: when their first byte is there
  double waited_s = 0;  // of a lock, for those that held it
};

class RemoteAccesses {
 public:
  bool empty() const { return queue_.empty(); }
  double next_s() const { return queue_.top().at_s; }
  void post(RemoteAccess access) {
    access.order = n_posted_++;
    queue_.push(access);
  }
  // The first one. Precondition: none is posted before next_s() any more.
  RemoteAccess take() {
    const RemoteAccess first = queue_.top();
    queue_.pop();
    return first;
  }
  // It arrives. `cost`: of its bytes, and `answer` of a message without any, from its target to its origin; `hops_s`
  // between the two. Adds what becomes known by it.
  void arrive(const RemoteAccess& access, const MessageCost& cost, const MessageCost& answer, double hops_s,
              std::vector<AnsweredAccess>& known);

 private:
  struct Memory {
    Adapter in, out;
  };
  struct Waiting {
    RemoteAccess access;
    double answer_s;
  };
  struct Lock {
    uint32_t holders = 0;
    bool exclusive = false;
    std::deque<Waiting> waiting;
  };
  static void grant(Lock& lock, double now_s, std::vector<AnsweredAccess>& known);

  std::priority_queue<RemoteAccess> queue_;
  std::map<uint32_t, Memory> memories_;                  // by rank
  std::map<std::pair<uint32_t, uint32_t>, Lock> locks_;  // by window and rank
  uint64_t n_posted_ = 0;
};

}  // namespace scalediag::loggp
