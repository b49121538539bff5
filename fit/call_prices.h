// The cost of MPI calls in runs whose ranks shared cores, where only CPU time is reliable.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile.h"
#include "fit/application_data.h"

namespace scalediag::fit {

// Ranks shared cores, so even the shortest call of a run depends on how many ranks had to get a core first. A call
// therefore costs as much as the fastest of its operation and message size in any run: for a collective per level of a
// binary tree, for an all-to-all per other rank. Within one host messages are copied by the CPU, so that calls take no
// longer than the CPU time that they were seen to use: collectives in each run, messages from rank to rank in the run
// where they used the least, since they cost the same at every scale and the rest is waiting.
class CallPrices {
 public:
  // `runs`: the complete runs of each configuration.
  explicit CallPrices(const std::vector<std::vector<const core::Run*>>& runs);

  // A rank's mean time in the operation, in seconds.
  double transfer_time(const core::MpiOperation& o, const core::Run& run) const;
  // The time of one rank, at least, in seconds. Where a class does not say how many of its calls are the rank's, it is
  // the smallest number of any rank.
  double transfer_time_of(int rank, const core::MpiOperation& o, const core::Run& run) const;
  // The cost of a message of the operation by itself and per byte, from its calls of different sizes. Where there is
  // only one size, a message by itself costs as much as the cheapest short one from rank to rank. Empty where there are
  // none.
  std::optional<MessageCost> message_cost(const std::string& operation) const;
  // The quotient of a middling run's fastest calls and the fastest of all runs; the largest over message sizes.
  double uncertainty(const std::string& operation) const;
  // The part of the fastest calls' cost that is left where messages used less CPU time than these calls took; else 1.
  double limit_of(const std::string& operation) const;

 private:
  void learn(const core::MpiOperation& o, const core::MpiClass& c);

  void limit(const core::MpiOperation& o, const core::Run& run);

  double price_of(const core::MpiOperation& o, const core::MpiClass& c, const core::Run& run) const;

  // The cost of a step in seconds, by operation and least message size of the class; and the mean message size in the
  // run that it was measured in, in bytes.
  std::map<std::pair<std::string, double>, double> fastest_, message_bytes_;
  std::map<std::pair<std::string, double>, std::vector<double>> all_;
  std::map<std::string, double> limits_;  // by operation, not of collectives: least CPU time of a run / its prices
};

}  // namespace scalediag::fit
