// A pass that counts only the first iterations of the main loop and is ended then.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/counters/callgrind/counted_ranks.h"
#include "collector/launch/plan/pass_cost.h"
#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "core/raw/counted_loop.h"
#include "core/result.h"

namespace scalediag::launch {

struct CountedPart {
  counters::RankChoice ranks;
  std::vector<raw::CountedLoop> plans;  // of these ranks; empty: the whole run is to be counted
  double part = 1;                      // of the computation that is counted
  std::string why_whole = {};           // the reason why there are no plans
};

struct PartRequest {
  const core::Run* measured = nullptr;  // a timed run of the configuration
  counters::RankChoice ranks;           // as for a whole pass
  bool may_take_fewer_ranks = true;     // nobody has named them
  std::optional<uint64_t> iterations;   // besides the first, as asked for
  double most_behind = 0;               // of the computation: with more after the loop the whole run is counted
  double budget_s = 0;
  std::function<double(size_t ranks, double part)> expected_s;  // a pass takes
};

// The part that fits the budget, as choose_part() does. Errors are reasons to count the whole run.
CountedPart choose_counted_part(const core::ExperimentFolder& folder, const PartRequest& request);

// Writes the plans into the pass's folder, where its ranks find them.
core::Status write_plans(const CountedPart& part, const std::string& folder);

// Whether these ranks have counted what their plans ask for.
bool have_counted(const std::vector<int>& ranks, const std::string& folder);

}  // namespace scalediag::launch
