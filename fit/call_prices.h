// What MPI calls cost where only CPU time tells what anything costs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile.h"
#include "fit/application_data.h"

namespace scalediag::fit {

// Ranks shared cores, and how long even the shortest call of a run took depends on how many of them had to get a core
// first. So a call counts as much as the fastest of its operation and message size in any run; one of a collective as
// much per level of a binary tree, one of an all-to-all per other rank. Within one host messages are copied by the CPU,
// so that calls take no longer than the CPU time that they were seen to use.
class CallPrices {
 public:
  // Runs that are complete, of all configurations.
  explicit CallPrices(const std::vector<std::vector<const core::Run*>>& runs);

  // A rank's mean time in the operation, in seconds.
  double transfer_time(const core::MpiOperation& o, const core::Run& run) const;
  // That of one rank, at least: where a class does not say how many of its calls are the rank's, the fewest of any are.
  double transfer_time_of(int rank, const core::MpiOperation& o, const core::Run& run) const;
  // What a message of the operation costs for itself and for its bytes: by its calls of different sizes; where it has
  // only one, a message for itself costs as much as the cheapest short one from rank to rank. Nothing: there are none.
  std::optional<MessageCost> message_cost(const std::string& operation) const;
  // How many times the fastest of all runs a middling run's fastest calls took, at most over message sizes.
  double uncertainty(const std::string& operation) const;

 private:
  void learn(const core::MpiOperation& o, const core::MpiClass& c);

  double price_of(const core::MpiOperation& o, const core::MpiClass& c, const core::Run& run) const;

  // Seconds a step, by operation and least message size of the class; and the mean size of the messages in its run.
  std::map<std::pair<std::string, double>, double> fastest_, message_bytes_;
  std::map<std::pair<std::string, double>, std::vector<double>> all_;
};

}  // namespace scalediag::fit
