// Finds that a run does not go on because its ranks only poll: each one that has not ended tests or probes for what
// does not come, again and again, or is in a call that waits for another rank.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "collector/emulate/event_channel.h"

namespace scalediag::emulate {

class PollWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  PollWatch(double patience_s, Time now) : patience_s_(patience_s), since_(now) {}

  // Called after the channel was read. `told`: a rank has told something. Returns which ranks poll with what, once it
  // has been so for as long as the patience; empty: the run may go on. Ranks that compute or do something else between
  // their polls may go on.
  std::string look(const EventChannel& channel, bool told, Time now);

 private:
  static constexpr uint64_t kFewPolls = 50;  // of a rank, within the patience
  static constexpr double kLongestBetween_s =
      2e-6;  // computation between polls, beyond which a rank does something else

  bool only_polls(const EventChannel& channel, uint32_t rank) const;

  const double patience_s_;
  Time since_;
  std::vector<Polls> before_;  // by rank, soon after since_; empty: not looked at yet
};

}  // namespace scalediag::emulate
