#include "collector/inject/counting/loop_rounds.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/raw/own_descriptor.h"
#include "pmpi-comm/loaded_module.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::inject {

std::optional<raw::CountedLoop> LoopRounds::read_plan(const std::string& folder, int rank) {
  const raw::OwnDescriptor file(open((folder + raw::plan_file(rank)).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; (n = read(file.get(), piece, sizeof piece)) > 0;) text.append(piece, static_cast<size_t>(n));
  return raw::counted_loop_of(text);
}

LoopRounds::LoopRounds(raw::CountedLoop plan, uintptr_t origin)
    : plan_(std::move(plan)), repeated_(1, origin), calls_(plan_.sites.size(), 0) {
  known_.reserve(pmpi::RepeatedCalls::kMostSites);
}

// Of several sites of the plan that are near, the nearest.
size_t LoopRounds::site_of(const raw::RepeatedCall& call) {
  const auto known = std::find_if(known_.begin(), known_.end(), [&call](const Known& k) { return k.call == &call; });
  if (known != known_.end()) return known->site;
  const uint64_t address = call.address - pmpi::loaded_module_of(call.address).load_bias;
  size_t best = kNoSite;
  for (size_t i = 0; i < plan_.sites.size(); ++i) {
    const raw::LoopSite& site = plan_.sites[i];
    if (!site.is_at(call.operation, address, call.depth)) continue;
    if (best == kNoSite || site.distance(call.depth) < plan_.sites[best].distance(call.depth)) best = i;
  }
  known_.push_back({&call, best});
  return best;
}

std::optional<std::string> LoopRounds::called(uint32_t routine, pmpi::Caller caller) {
  if (is_over()) return std::nullopt;
  const uint64_t now = pmpi::ticks();
  repeated_.leave(routine, caller.address, caller.stack, now, now, 0);
  const raw::RepeatedCall* call = repeated_.last();
  const size_t site = call != nullptr ? site_of(*call) : kNoSite;
  std::optional<std::string> trigger;
  if (site == 0 && (!plan_.by_visits || call->visits != visits_)) {
    visits_ = call->visits;
    const bool stretch = rounds_ > 1 && all_calls_ == all_calls_before_;
    trigger = raw::round_trigger(++rounds_, calls_, stretch);
    std::fill(calls_.begin(), calls_.end(), 0);
    all_calls_before_ = std::exchange(all_calls_, 0);
  } else if (rounds_ > 1 && all_calls_ + 1 == all_calls_before_) {
    trigger = raw::pause_trigger(rounds_ + 1);
  }
  ++all_calls_;
  if (site != kNoSite) ++calls_[site];
  return trigger;
}

}  // namespace scalediag::inject
