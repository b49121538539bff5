// The counting of a configuration in part, from recorded ranks that are replayed: whoever starts a session may offer
// it, since launching knows no recordings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collector/launch/plan/profile_preparation.h"
#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::launch {

struct PartCountingRequest {
  const core::Configuration& configuration;
  const std::vector<const core::Run*>& repeats;  // complete, at least one
  const std::string& valgrind;
  const std::vector<std::string>& valgrind_options;
  const std::string& folder;  // of the pass, empty; gets callgrind's files and a file of parts of each rank
  double most_s = 0;          // that it may take, by an estimate, with the recorded run; it is ended at kBudgetOverrun
                              // times that (pass_cost.h)
  double whole_s = 0;         // about what counting whole takes
  // Called before the recorded run: what is to be counted, a clause, and about how long that takes.
  std::function<void(const std::string& what, double expected_s)> announce;
};

struct CountedInPart {
  std::vector<int> ranks, stands_for;  // as CountingPass has them
  std::string said;                    // what was counted, a clause
  int interrupted_by = 0;
};

// Errors: the configuration cannot be counted in part, or not in `most_s`, or hardly faster than whole; the message is
// a clause.
using PartCounting = std::function<Result<CountedInPart>(const PartCountingRequest&)>;

}  // namespace scalediag::launch
