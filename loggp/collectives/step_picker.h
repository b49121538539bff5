// The steps of a collective by their number.
#pragma once

#include <cstdint>

#include "loggp/collectives/step.h"

namespace scalediag::loggp {

// Picks one step of an algorithm by its number: the algorithm names all steps of a rank in order, and the Picker keeps
// the one that was asked for. Naming steps is cheap, and there are few of them except in the flat algorithms, which
// name theirs together with many().
class Picker {
 public:
  Picker(const CollectiveCall& call, uint32_t rank, uint32_t wanted, Step& step)
      : call_(call), rank_(rank), wanted_(wanted), step_(step) {}

  const CollectiveCall& call() const { return call_; }
  uint32_t ranks() const { return call_.ranks; }
  uint64_t bytes() const { return call_.bytes; }
  uint32_t rank() const { return rank_; }
  // The rank's number counted from the root.
  uint32_t from_root() const { return (rank_ + call_.ranks - call_.root) % call_.ranks; }

  // These functions return true at the step that was asked for. The *_v forms count peers from the root.
  bool send(uint64_t peer, uint64_t bytes) { return at({Step::Kind::kSend, 0, wrap(peer), bytes}); }
  bool receive(uint64_t peer, uint64_t bytes, uint8_t lane = 0) {
    return at({Step::Kind::kReceive, lane, wrap(peer), bytes});
  }
  bool send_v(uint64_t v, uint64_t bytes) { return send(v + call_.root, bytes); }
  bool receive_v(uint64_t v, uint64_t bytes, uint8_t lane = 0) { return receive(v + call_.root, bytes, lane); }
  bool wait(uint8_t lane = 0) { return at({Step::Kind::kWait, lane, 0, 0}); }
  bool reduce(uint64_t bytes) { return at({Step::Kind::kReduce, 0, 0, bytes}); }
  bool exchange(uint64_t to, uint64_t from, uint64_t sent, uint64_t received) {
    return receive(from, received) || send(to, sent) || wait();
  }
  // `count` steps, the i-th of which is make(i).
  template <class Make>
  bool many(uint32_t count, Make make) {
    if (wanted_ - n_ < count) {
      step_ = make(wanted_ - n_);
      return true;
    }
    n_ += count;
    return false;
  }
  // Repeats of `width` steps each: goes straight to the right one. body(i) names its steps.
  template <class Body>
  bool rounds(uint32_t count, uint32_t width, Body body) {
    const uint32_t round = (wanted_ - n_) / width;
    if (round < count) {
      n_ += round * width;
      return body(round);
    }
    n_ += count * width;
    return false;
  }

 private:
  bool at(const Step& step) {
    if (n_++ != wanted_) return false;
    step_ = step;
    return true;
  }
  uint32_t wrap(uint64_t peer) const { return static_cast<uint32_t>(peer % call_.ranks); }

  const CollectiveCall& call_;
  uint32_t rank_;
  uint32_t wanted_;
  Step& step_;
  uint32_t n_ = 0;
};

}  // namespace scalediag::loggp
