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
};

struct CountedInPart {
  std::vector<int> ranks, stands_for;  // as CountingPass has them
  std::string said;                    // what was counted, one sentence without its end
  int interrupted_by = 0;
};

// Errors: the configuration cannot be counted in part, with the reason; it is then counted whole.
using PartCounting = std::function<Result<CountedInPart>(const PartCountingRequest&)>;

}  // namespace scalediag::launch
