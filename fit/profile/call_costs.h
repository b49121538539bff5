// The cost of MPI calls in runs whose ranks shared cores, where only CPU time is reliable.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/profile.h"
#include "fit/application/communication_cost.h"

namespace scalediag::fit {

// Ranks shared cores, so even the shortest call of a run depends on how many ranks had to get a core first. A call
// therefore costs as much as the fastest of its operation and message size in any run leaves it at most: a message and
// a byte cost the same in every run, so that a call costs no more than a fast one times the larger of what it has more
// of messages and of bytes (transfer_of_call()). The message size of an all-to-all is that of the block for one other
// rank. Within one host messages are copied by the CPU, so that calls take no longer than the CPU time that they were
// seen to use: messages from rank to rank, and those of an all-to-all, in the run where they used the least, since they
// cost the same at every scale and the rest is waiting; other collectives in each run.
class CallCosts {
 public:
  // `runs`: the complete runs of each configuration.
  explicit CallCosts(const std::vector<std::vector<const core::Run*>>& runs);

  // A rank's mean time in the operation, in seconds.
  double transfer_time(const core::MpiOperation& o, const core::Run& run) const;
  // The time of one rank, at least, in seconds. Where a class does not say how many of its calls are the rank's, it is
  // the smallest number of any rank.
  double transfer_time_of(int rank, const core::MpiOperation& o, const core::Run& run) const;
  // The cost of a message of the operation by itself and per byte, from its calls of different sizes. Where there is
  // only one size, a message by itself costs as much as the cheapest short one from rank to rank. Empty where there are
  // none.
  std::optional<MessageCost> message_cost(const std::string& operation) const;
  // Calls of each size and communicator, each with the time that all runs leave it at most.
  std::vector<FastestCall> fastest_calls(const std::string& operation) const;
  // The quotient of a middling run's fastest calls and of what all runs leave them; the largest over message sizes.
  double uncertainty(const std::string& operation) const;
  // The part of the fastest calls' cost that is left where messages used less CPU time than these calls took; else 1.
  double limit_of(const std::string& operation) const;

 private:
  using Key = std::pair<std::string, double>;  // operation, and the least message size of its class
  static Key key_of(const core::MpiOperation& o, const core::MpiClass& c);
  static Transfer transfer_of(const core::MpiOperation& o, const core::MpiClass& c);

  void learn(const core::MpiOperation& o, const core::MpiClass& c);
  void limit(const core::MpiOperation& o, const core::Run& run);
  double cost_of(const core::MpiOperation& o, const core::MpiClass& c, const core::Run& run) const;
  // The least that the fastest calls leave for a transfer of that class, and at most `otherwise`.
  double bounded(const Key& key, const Transfer& transfer, double otherwise) const;

  std::map<Key, std::map<int, FastestCall>> fastest_;  // by size of the communicator
  std::map<Key, std::vector<FastestCall>> all_;
  // By operation, not of collectives but for all-to-alls: least CPU time of a run / its costs.
  std::map<std::string, double> limits_;
};

}  // namespace scalediag::fit
