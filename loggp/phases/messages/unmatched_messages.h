// Which messages of scaled traces have no partner, and which operations are left out for that.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "loggp/phases/messages/message_balance.h"
#include "loggp/phases/scaling_model.h"

namespace scalediag::loggp {

struct ScaledMessage {
  int slot = 0;  // Slot::id of the operation that sends or receives it
  int rank = 0;  // that executes the operation
  int from = 0, to = 0, tag = 0;
  uint32_t communicator = 0;
  int64_t n = 0;  // how often it is sent or, below 0, received
};
// Calls what it is given with every message of ranks from `begin` to `end`, in their order.
// It can be called by several threads at the same time.
using EachMessage = std::function<void(const std::function<void(const ScaledMessage&)>&, int begin, int end)>;

class UnmatchedMessages {
 public:
  // Balances the messages of the traces that `model` makes of `ranks` ranks. `model` has to outlive it.
  UnmatchedMessages(const ScalingModel& model, int ranks, EachMessage each_message);

  const Unmatched& unmatched() const { return unmatched_; }
  // Adds the operations that are to be left out, by Slot::id and rank, to `operations`, and their messages without a
  // partner to `left_out`, which has those of earlier rounds: of the messages between two ranks with a tag those that
  // are too many, irregular ones first. False where nothing is left out; unmatched() then says why.
  bool leave_out(std::set<std::pair<int, int>>& operations, Unmatched& left_out);

 private:
  bool is_regular(int slot) const { return model_.equations.at(slot).why_not.empty(); }
  std::string with_most() const;

  const ScalingModel& model_;
  int ranks_;
  EachMessage each_message_;
  MessageBalance balance_;
  uint64_t sent_ = 0;  // messages
  Unmatched unmatched_;
};

}  // namespace scalediag::loggp
