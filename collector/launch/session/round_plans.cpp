#include "collector/launch/session/round_plans.h"

#include <algorithm>
#include <cmath>

#include "collector/launch/plan/profile_plan.h"
#include "collector/merge/merge.h"
#include "core/raw/rounds_request.h"
#include "core/text/quantities.h"

namespace scalediag::launch {
namespace {

constexpr char kOtherwise[] = "leave out --iterations, or try another number of rounds";

// Without the start and end of MPI, of which ended runs have the start only. With the CPU clock it is computation,
// since what ranks burn in MPI while they wait varies from run to run.
double compared_s(const core::Run& run) {
  return run.clock == core::Clock::kCpu ? run.times.computation_s.mean
                                        : run.times.total_s.mean - run.times.others_s.mean;
}

double mean_compared_s(const std::vector<const core::Run*>& runs) {
  double sum_s = 0;
  for (const core::Run* run : runs) sum_s += compared_s(*run);
  return sum_s / static_cast<double>(runs.size());
}

}  // namespace

const core::Run* RoundPlans::whole_run(const Parameters& parameters) const {
  for (const core::Run& run : measured_.runs()) {  // by np
    if (run.parameters == parameters && !run.cut) return &run;
  }
  return nullptr;
}

std::optional<size_t> RoundPlans::fewest_processes(const Parameters& parameters) const {
  std::optional<size_t> fewest;
  const auto np = [this](size_t i) { return preparation_.configurations[i].configuration.np; };
  for (size_t i = 0; i < preparation_.configurations.size(); ++i) {
    if (preparation_.configurations[i].configuration.parameters != parameters) continue;
    if (!fewest || np(i) < np(*fewest)) fewest = i;
  }
  return fewest;
}

RunChoice RoundPlans::first_missing(size_t configuration) const {
  const core::Configuration& at = preparation_.configurations[configuration].configuration;
  RunChoice choice{configuration, 0};
  for (const core::Run* run : measured_.repeats_of(at)) choice.repeat = std::max(choice.repeat, run->repeat + 1);
  return choice;
}

void RoundPlans::refuse(Plan& plan, const std::string& reason, const std::string& hint) {
  plan.is_refused = true;
  notices_.warn("runs are made to their ends, in spite of --iterations: " + reason, hint);
}

Status RoundPlans::learn(const core::Run& whole, Plan& plan) {
  plan.whole = core::Configuration{whole.np, whole.parameters};
  const auto entry = std::ranges::find_if(store_.experiment().runs, [&whole](const core::RunEntry& e) {
    return core::run_id(e.configuration, e.repeat) == whole.id;
  });
  plan.is_refused = entry == store_.experiment().runs.end();
  if (plan.is_refused) return Done{};
  plan.site = TRY(merge::main_loop_site_of(store_.folder(), *entry));
  plan.rounds = request_.all_iterations.value_or(plan.site.rounds);
  const std::string label = label_of(*plan.whole);
  if (plan.site.rounds == 0) {
    refuse(plan, "the run of " + label + " has no main loop: " + plan.site.why_not, "leave out --iterations");
    return Done{};
  }
  if (plan.site.module.empty()) {
    refuse(plan, "the code that calls MPI in the main loop is in no file", "leave out --iterations");
    return Done{};
  }
  const auto run = static_cast<double>(request_.iterations + 1), all = static_cast<double>(plan.rounds);
  if (run > (1 - kLeastSaved) * all) {
    refuse(plan,
           std::to_string(request_.iterations) + " and a first of " + std::to_string(plan.rounds) +
               " rounds leave less than half of them out",
           plan.rounds >= 8 ? "--iterations " + std::to_string(plan.rounds / 4) + ", or leave it out"
                            : "leave out --iterations: the program has too few rounds");
    return Done{};
  }
  std::string said =
      label + " has " + std::to_string(plan.site.rounds) + " rounds of its main loop, calls of " + plan.site.operation;
  if (!request_.all_iterations) {
    said += "; other runs are taken to have as many (--iterations " + std::to_string(request_.iterations) +
            "/N says how many)";
  }
  notices_.note(said + "; " + core::spaced_percent(plan.site.after) +
                " of its time is after the loop, and missing from runs that are ended");
  return Done{};
}

Result<std::optional<RunChoice>> RoundPlans::next() {
  if (request_.iterations == 0) return std::optional<RunChoice>();
  for (const PlannedConfiguration& planned : preparation_.configurations) {
    const Parameters& parameters = planned.configuration.parameters;
    const size_t fewest = *fewest_processes(parameters);
    const core::Run* const whole = whole_run(parameters);
    if (whole == nullptr) return std::optional(first_missing(fewest));
    Plan& plan = plans_[parameters];
    if (!plan.whole) TRY(learn(*whole, plan));
    if (plan.is_refused || plan.is_checked) continue;
    plan.is_checked = true;
    if (preparation_.configurations[fewest].configuration != *plan.whole) continue;
    const auto repeats = measured_.repeats_of(*plan.whole);
    if (std::ranges::any_of(repeats, [](const core::Run* run) { return run->cut.has_value(); })) continue;
    plan.is_being_checked = true;
    return std::optional(first_missing(fewest));
  }
  return std::optional<RunChoice>();
}

std::string RoundPlans::request_of(const core::Configuration& configuration) const {
  const auto found = plans_.find(configuration.parameters);
  if (found == plans_.end()) return "";
  const Plan& plan = found->second;
  if (!plan.whole || plan.is_refused) return "";
  raw::RoundsRequest request;
  request.measured = static_cast<uint64_t>(request_.iterations);
  request.rounds = configuration == *plan.whole ? plan.site.rounds : plan.rounds;
  request.is_visited = plan.site.is_visited;
  request.depth = plan.site.depth;
  request.address = plan.site.address;
  request.operation = plan.site.operation;
  request.module = plan.site.module;
  return raw::text_of(request);
}

bool RoundPlans::accept(const core::Run& run) {
  Plan& plan = plans_[run.parameters];
  const core::Configuration at{run.np, run.parameters};
  if (!run.cut) {
    notices_.note(label_of(at) + " was run to its end: its rounds are not counted as those of the first run");
    return true;
  }
  if (!plan.is_being_checked || at != plan.whole) return true;
  plan.is_being_checked = false;
  std::vector<const core::Run*> whole;
  for (const core::Run* repeat : measured_.repeats_of(at)) {
    if (!repeat->cut) whole.push_back(repeat);
  }
  if (whole.empty()) return true;
  const double whole_s = mean_compared_s(whole), ended_s = compared_s(run);
  const double apart = whole_s > 0 ? std::abs(ended_s / whole_s - 1) : 0;
  const std::string compared = std::to_string(request_.iterations) + " rounds of " + label_of(at) + " give " +
                               core::time_text(ended_s) + (run.clock == core::Clock::kCpu ? " of computation" : "") +
                               " for the whole run, which took " + core::time_text(whole_s);
  if (apart > kMostApart) {
    refuse(plan, compared + ": its rounds are not alike, or it has more than one loop", kOtherwise);
    return false;
  }
  notices_.note(compared + " (" + core::spaced_percent(apart) + " apart)");
  return true;
}

}  // namespace scalediag::launch
