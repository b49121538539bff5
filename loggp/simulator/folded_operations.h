// The operations of a rank with their repetitions as loops: memory grows with the number of different operations, not
// of all. Nothing changes while it is read, so that several simulations and ranks can share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "loggp/simulator/program.h"

namespace scalediag::loggp {

class FoldedOperations {
 public:
  // In the order of the program; loops can contain one another. A loop without operations is none.
  void add(const Op& op) {
    ops_.push_back(op);
    if (ops_.size() > kMostOps) too_many_ = true;
    places_.emplace_back();
  }
  // The computation `op`, which takes `seconds[i]` when it is executed for the i-th time.
  void add_computations(std::vector<float> seconds, Op op = compute(0)) {
    series_.push_back(std::move(seconds));
    op.group = static_cast<uint32_t>(series_.size());
    add(op);
  }
  void begin_loop(uint64_t count) {
    const uint64_t around = open_.empty() ? 1 : open_.back().rounds;
    open_.push_back(
        {{static_cast<uint32_t>(ops_.size()), count}, around > kMostRounds / count ? kMostRounds + 1 : around * count});
  }
  void end_loop() {
    Loop loop = open_.back().loop;
    if (loop.first < ops_.size()) {
      if (open_.back().rounds > kMostRounds) too_many_ = true;
      // Of loops that begin or end together, the inner ones were closed before.
      loop.rounds_within = places_[loop.first].rounds_entered;
      places_[loop.first].rounds_entered *= loop.count;
      uint32_t* end = &places_.back().last_of;
      while (*end != kNone) end = &loops_[*end].outer;
      *end = static_cast<uint32_t>(loops_.size());
      loops_.push_back(loop);
    }
    open_.pop_back();
  }

  // Whether there are more operations, or rounds of loops within one another, than positions can tell apart.
  bool too_many() const { return too_many_; }
  const std::vector<Op>& distinct() const { return ops_; }

  // The operation at `position`, which moves on to the next one; nullptr after the last one. It starts at 0. A
  // computation with a time of its own for each execution (add_computations) has it in `*own_s`.
  const Op* next(uint64_t& position, double* own_s = nullptr) const {
    const uint64_t at = position & kMostOps;
    if (at >= ops_.size()) return nullptr;
    if (own_s != nullptr && ops_[at].kind == OpKind::kCompute && ops_[at].group != 0) {
      *own_s = static_cast<double>(series_[ops_[at].group - 1][position >> kOpBits]);
    }
    position =
        places_[at].last_of == kNone ? entering(at + 1, position >> kOpBits) : after_loops(at, position >> kOpBits);
    return &ops_[at];
  }

 private:
  // A position is the number of an operation, and above it the rounds of the loops around it in one number, in which
  // the innermost loop counts fastest.
  static constexpr uint32_t kOpBits = 26;
  static constexpr uint64_t kMostOps = (uint64_t{1} << kOpBits) - 1;
  static constexpr uint64_t kMostRounds = uint64_t{1} << (64 - kOpBits - 1);
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  struct Loop {
    uint32_t first = 0;
    uint64_t count = 0;
    uint64_t rounds_within = 1;  // the product of the counts of the loops within it that begin with it
    uint32_t outer = kNone;      // in loops_: the next larger loop that ends with it
  };
  struct OpenLoop {
    Loop loop;
    uint64_t rounds = 1;  // the product of its count and those of the loops around it
  };
  struct Place {
    uint64_t rounds_entered = 1;  // the product of the counts of the loops that begin with this operation
    uint32_t last_of = kNone;     // in loops_: the innermost loop that ends with this operation
  };

  uint64_t entering(uint64_t at, uint64_t round) const {
    if (at < places_.size()) round *= places_[at].rounds_entered;
    return round << kOpBits | at;
  }
  uint64_t after_loops(uint64_t at, uint64_t round) const {
    for (uint32_t i = places_[at].last_of; i != kNone; i = loops_[i].outer) {
      const Loop& loop = loops_[i];
      if (round % loop.count + 1 < loop.count) return (round + 1) * loop.rounds_within << kOpBits | loop.first;
      round /= loop.count;
    }
    return entering(at + 1, round);
  }

  std::vector<Op> ops_;
  std::vector<Place> places_;  // of ops_
  std::vector<Loop> loops_;
  std::vector<std::vector<float>> series_;  // by the group of a computation, less one; the round is the index
  std::vector<OpenLoop> open_;
  bool too_many_ = false;
};

}  // namespace scalediag::loggp
