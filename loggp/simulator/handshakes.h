// The control messages of handshakes that are under way, in the order of time, and the calls in which ranks read them:
// for networks on which they are read in calls only (Progress::kInCalls, message_cost.h).
//
// Ranks are simulated one after another, so that a rank may be further when a control message arrives. The stretches of
// time in which each was inside a call that waits are therefore kept as long as a message can still arrive in them, as
// in Lin et al. 2013, algorithm 3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "loggp/simulator/memory/match_table.h"

namespace scalediag::loggp {

// A request at its receiver, or an acknowledgement at its sender.
struct Handshake {
  double at_s = 0;    // of its arrival; is_read: when it is read
  uint32_t rank = 0;  // that reads it
  uint32_t send = kNoTransfer;
  bool is_request = true;
  bool is_read = false;
  bool is_late = false;            // is_read: it had to wait for the rank,
  uint32_t path = kPathFromStart;  // whose path was this when its call began

  // The later one; of those at the same time a rule decides, so that the order is the same each time.
  bool operator<(const Handshake& b) const {
    if (at_s != b.at_s) return at_s > b.at_s;
    return rank != b.rank ? rank > b.rank : send > b.send;
  }
};
using Handshakes = std::priority_queue<Handshake>;

// The calls of one rank in which it reads control messages.
class ReadingCalls {
 public:
  // A call begins; nothing where one has. visit(Handshake) for those that waited for it, as they are read.
  void enter(double now_s, uint32_t path, auto visit) {
    if (inside_) return;
    inside_ = true;
    present_ = {now_s, now_s, path};
    for (Handshake& one : std::exchange(unread_, {})) visit(read_at(one, present_));
  }
  bool is_inside() const { return inside_; }
  // Precondition: is_inside().
  void leave(double now_s) {
    inside_ = false;
    if (!past_.empty() && past_.back().end_s >= present_.begin_s) {
      past_.back().end_s = now_s;
    } else {
      past_.push_back({present_.begin_s, now_s, present_.path});
    }
  }
  // The handshake as it is read; nothing: the call in which it will be read has not begun. Precondition: not is_read.
  std::optional<Handshake> read(const Handshake& one) {
    const auto ends_before = [](const Stretch& stretch, double s) { return stretch.end_s < s; };
    const auto at = std::lower_bound(past_.begin(), past_.end(), one.at_s, ends_before);
    if (at != past_.end()) return read_at(one, *at);
    if (inside_) return read_at(one, present_);
    unread_.push_back(one);
    return std::nullopt;
  }

  size_t n_kept() const { return past_.size(); }
  // Nothing arrives before this time any more.
  void forget_before(double s) {
    const auto is_over = [s](const Stretch& stretch) { return stretch.end_s < s; };
    past_.erase(past_.begin(), std::find_if_not(past_.begin(), past_.end(), is_over));
  }

 private:
  struct Stretch {
    double begin_s, end_s;
    uint32_t path;
  };
  static Handshake read_at(Handshake one, const Stretch& call) {
    one.is_read = true;
    one.is_late = call.begin_s > one.at_s;
    one.at_s = std::max(one.at_s, call.begin_s);
    one.path = call.path;
    return one;
  }

  std::vector<Stretch> past_;  // by time
  std::vector<Handshake> unread_;
  Stretch present_ = {};
  bool inside_ = false;
};

}  // namespace scalediag::loggp
