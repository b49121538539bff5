// The steps of a collective by their number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "loggp/collectives/step.h"

namespace scalediag::loggp {

// Picks a few steps of an algorithm by the number of the first: the algorithm names all steps of a rank in order, and
// the Picker keeps those that were asked for, up to a kWait. Naming steps is cheap, and there are few of them but in
// repeats, which many(), rounds() and doubling() skip.
class Picker {
 public:
  // `steps` has room for `most`.
  Picker(const CollectiveCall& call, uint32_t rank, uint32_t wanted, Step* steps, uint32_t most)
      : call_(call), rank_(rank), wanted_(wanted), steps_(steps), most_(most) {}

  const CollectiveCall& call() const { return call_; }
  uint32_t ranks() const { return call_.ranks; }
  uint64_t bytes() const { return call_.bytes; }
  uint32_t rank() const { return rank_; }
  // The rank's number counted from the root.
  uint32_t from_root() const { return (rank_ + call_.ranks - call_.root) % call_.ranks; }
  // The number of steps that were picked.
  uint32_t picked() const { return n_picked_; }

  // These functions return true once all is picked. The *_v forms count peers from the root.
  bool send(uint64_t peer, uint64_t bytes) { return at({Step::Kind::kSend, 0, wrap(peer), bytes}); }
  bool receive(uint64_t peer, uint64_t bytes, uint8_t lane = 0) {
    return at({Step::Kind::kReceive, lane, wrap(peer), bytes});
  }
  bool send_v(uint64_t v, uint64_t bytes) { return send(v + call_.root, bytes); }
  bool receive_v(uint64_t v, uint64_t bytes, uint8_t lane = 0) { return receive(v + call_.root, bytes, lane); }
  bool wait(uint8_t lane = 0) { return at({Step::Kind::kWait, lane, 0, 0}); }
  bool reduce(uint64_t bytes) { return at({Step::Kind::kReduce, 0, 0, bytes}); }
  bool copy(uint64_t bytes) { return at({Step::Kind::kCopy, 0, 0, bytes}); }
  bool exchange(uint64_t to, uint64_t from, uint64_t sent, uint64_t received) {
    return receive(from, received) || send(to, sent) || wait();
  }
  // `count` steps, the i-th of which is make(i).
  bool many(uint32_t count, auto make) {
    return rounds(count, 1, [&](uint32_t i) { return at(make(i)); });
  }
  // Repeats of `width` steps each: goes straight to the right one. body(i) names its steps.
  bool rounds(uint32_t count, uint32_t width, auto body) {
    const uint32_t skipped = n_ < wanted_ ? std::min((wanted_ - n_) / width, count) : 0;
    n_ += skipped * width;
    for (uint32_t i = skipped; i < count; ++i) {
      if (body(i)) return true;
    }
    return false;
  }
  // Rounds for the powers of two 1, 2, 4, ... below `end`, and for the same in falling order.
  bool doubling(uint32_t end, uint32_t width, auto body) {
    return rounds(powers_below(end), width, [&](uint32_t i) { return body(1U << i); });
  }
  bool halving(uint32_t end, uint32_t width, auto body) {
    const uint32_t n = powers_below(end);
    return rounds(n, width, [&](uint32_t i) { return body(1U << (n - 1 - i)); });
  }

 private:
  bool at(const Step& step) {
    if (n_++ < wanted_) return false;
    steps_[n_picked_++] = step;
    return n_picked_ == most_ || step.kind == Step::Kind::kWait;
  }
  static uint32_t powers_below(uint32_t end) { return end < 2 ? 0 : static_cast<uint32_t>(std::bit_width(end - 1)); }
  uint32_t wrap(uint64_t peer) const {
    return static_cast<uint32_t>(peer < call_.ranks                 ? peer
                                 : peer < 2 * uint64_t{call_.ranks} ? peer - call_.ranks
                                                                    : peer % call_.ranks);
  }

  const CollectiveCall& call_;
  uint32_t rank_;
  uint32_t wanted_;
  Step* steps_;
  uint32_t most_;
  uint32_t n_ = 0;
  uint32_t n_picked_ = 0;
};

}  // namespace scalediag::loggp
