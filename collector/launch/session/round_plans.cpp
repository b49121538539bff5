#include "collector/launch/session/round_plans.h"

#include <algorithm>
#include <limits>

#include "collector/launch/plan/profile_plan.h"
#include "collector/launch/process/log_tail.h"
#include "collector/merge/merge.h"
#include "core/profile/repeats/ended_runs.h"
#include "core/raw/rounds_request.h"
#include "core/text/quantities.h"

namespace scalediag::launch {
namespace {

constexpr char kWhole[] = "runs are made to their ends, in spite of --iterations: ";
constexpr char kRounds[] = "iterations";  // ExperimentStore::refusal()

}  // namespace

RoundPlans::RoundPlans(const ProfilePreparation& preparation, ExperimentStore& store, const MeasuredRuns& measured,
                       Notices& notices)
    : preparation_(preparation), store_(store), measured_(measured), notices_(notices) {
  if (const std::string before = store.refusal(kRounds); preparation.iterations && !before.empty()) {
    notices.note(kWhole + before);
  }
}

bool RoundPlans::is_asked() const {
  return preparation_.iterations && !check_failed_ && store_.refusal(kRounds).empty();
}

std::optional<size_t> RoundPlans::planned(const core::Configuration& configuration) const {
  const auto& all = preparation_.configurations;
  const auto found = std::ranges::find(all, configuration, &PlannedConfiguration::configuration);
  return found != all.end() ? std::optional(static_cast<size_t>(found - all.begin())) : std::nullopt;
}

size_t RoundPlans::fewest_processes(const Parameters& parameters) const {
  const auto& all = preparation_.configurations;
  const auto ranks = [&parameters](const PlannedConfiguration& p) {
    return p.configuration.parameters == parameters ? p.configuration.np : std::numeric_limits<int>::max();
  };
  return static_cast<size_t>(std::ranges::min_element(all, {}, ranks) - all.begin());
}

bool RoundPlans::has_ended_run(const core::Configuration& configuration, int but_for) const {
  return std::ranges::any_of(measured_.repeats_of(configuration),
                             [but_for](const core::Run* run) { return run->cut && run->repeat != but_for; });
}

const core::Run* RoundPlans::whole_run(const Parameters& parameters) const {
  for (const core::Run& run : measured_.runs()) {  // by np
    const core::Configuration at{run.np, run.parameters};
    if (run.parameters == parameters && !run.cut && (planned(at) || has_ended_run(at))) return &run;
  }
  return nullptr;
}

RunChoice RoundPlans::first_missing(size_t configuration) const {
  RunChoice choice{configuration, 0};
  for (const core::Run* run : measured_.repeats_of(preparation_.configurations[configuration].configuration)) {
    choice.repeat = std::max(choice.repeat, run->repeat + 1);
  }
  return choice;
}

Status RoundPlans::refuse(const std::string& reason, const std::string& hint) {
  notices_.warn(kWhole + reason, hint);
  return store_.note_refusal(kRounds, reason);
}

Status RoundPlans::learn(const core::Run& whole) {
  Plan plan{{whole.np, whole.parameters}, {}, 0};
  plan.site = TRY(merge::main_loop_site_of(store_.folder(), store_.entry(plan.whole, whole.repeat)));
  const Iterations& asked = *preparation_.iterations;
  plan.rounds = asked.all.value_or(plan.site.rounds);
  const std::string label = label_of(plan.whole);
  if (plan.site.rounds == 0) {
    return refuse("the run of " + label + " has no main loop: " + plan.site.why_not, "leave out --iterations");
  }
  if (plan.site.module.empty()) {
    return refuse("the code that calls MPI in the main loop is in no file", "leave out --iterations");
  }
  // The run that is held to the whole one has as many rounds as that.
  const uint64_t fewest = std::min(plan.rounds, plan.site.rounds);
  const std::string of_all = asked.all ? "/" + std::to_string(*asked.all) : "";
  if (static_cast<double>(asked.measured + 1) > (1 - kLeastSaved) * static_cast<double>(fewest)) {
    return refuse(std::to_string(asked.measured) + " and a first of " + std::to_string(fewest) +
                      " rounds leave less than half of them out",
                  fewest >= 8 ? "--iterations " + std::to_string(fewest / 4) + of_all + ", or leave it out"
                              : "leave out --iterations: the program has too few rounds");
  }
  std::string said =
      label + " has " + std::to_string(plan.site.rounds) + " rounds of its main loop, calls of " + plan.site.operation;
  if (!asked.all) {
    said +=
        "; other runs are taken to have as many (--iterations " + std::to_string(asked.measured) + "/N says how many)";
  }
  if (plan.rounds != plan.site.rounds) {
    notices_.warn(label + " keeps the " + std::to_string(plan.site.rounds) +
                      " rounds that it has, and other runs are extended to " + std::to_string(plan.rounds),
                  "leave out " + of_all + " where all have as many");
  }
  notices_.note(said + "; " + core::spaced_percent(plan.site.after) +
                " of its time is after the loop, and missing from runs that are ended");
  plans_.emplace(whole.parameters, std::move(plan));
  return Done{};
}

Result<std::optional<RunChoice>> RoundPlans::next(const std::optional<RunChoice>& scheduled) {
  if (!scheduled) return scheduled;
  for (const PlannedConfiguration& each : preparation_.configurations) {
    if (!is_asked()) break;
    const Parameters& parameters = each.configuration.parameters;
    if (!plans_.contains(parameters)) {
      const core::Run* const whole = whole_run(parameters);
      if (whole == nullptr) return std::optional(first_missing(fewest_processes(parameters)));
      TRY(learn(*whole));
      if (!is_asked()) break;
    }
    const core::Configuration& at = plans_.at(parameters).whole;
    if (!has_ended_run(at)) return std::optional(first_missing(planned(at).value()));
  }
  return scheduled;
}

std::string RoundPlans::request_of(const core::Configuration& configuration) const {
  const auto found = plans_.find(configuration.parameters);
  if (found == plans_.end() || !is_asked()) return "";
  const Plan& plan = found->second;
  raw::RoundsRequest request;
  request.measured = preparation_.iterations->measured;
  request.rounds = configuration == plan.whole ? plan.site.rounds : plan.rounds;
  request.is_visited = plan.site.is_visited;
  request.depth = plan.site.depth;
  request.address = plan.site.address;
  request.operation = plan.site.operation;
  request.module = plan.site.module;
  return raw::text_of(request);
}

bool RoundPlans::has_ended(const core::RunEntry& entry) const {
  if (request_of(entry.configuration).empty()) return false;
  const auto end = merge::look_at_end(store_.folder(), entry);
  return end && end.value().after_rounds;
}

Result<bool> RoundPlans::accept(const core::RunEntry& entry, bool is_complete) {
  const core::Configuration& at = entry.configuration;
  if (request_of(at).empty()) return true;
  const bool is_check = at == plans_.at(at.parameters).whole && !has_ended_run(at, entry.repeat);
  if (!is_complete) return accept_failed(entry, is_check);
  const auto run = std::ranges::find(measured_.runs(), core::run_id(at, entry.repeat), &core::Run::id);
  if (run->cut) return is_check ? compare_with_whole(*run) : Result<bool>(true);
  const std::string what = label_of(at) + " was run to its end: its rounds are not counted as those of the first run";
  if (is_check) TRY(refuse(what, "leave out --iterations"));
  if (!is_check) notices_.note(what);
  return true;
}

Result<bool> RoundPlans::accept_failed(const core::RunEntry& entry, bool is_check) {
  const std::string label = label_of(entry.configuration);
  const std::string run_folder = store_.folder().run_folder(core::run_id(entry.configuration, entry.repeat));
  for (const char* log : {"/stderr.log", "/stdout.log"}) {
    const std::string said = tail_of_log(run_folder + log);
    for (const char* why : {raw::kRanksApart, raw::kCannotMeet}) {
      if (said.find(why) == std::string::npos) continue;
      TRY(refuse(std::string(why) + " (" + label + ")", "leave out --iterations"));
      return false;
    }
  }
  if (is_check) {
    check_failed_ = true;
    notices_.warn(kWhole + ("the run that was to show whether rounds of " + label + " are alike failed"), "");
  }
  return true;
}

Result<bool> RoundPlans::compare_with_whole(const core::Run& ended) {
  const core::EndedAndWhole times = core::ended_and_whole(measured_.runs(), ended).value();
  const std::string compared = std::to_string(preparation_.iterations->measured) + " rounds of " +
                               label_of({ended.np, ended.parameters}) + " give " + core::time_text(times.ended_s) +
                               (ended.clock == core::Clock::kCpu ? " of computation" : "") +
                               " for the whole run, which took " + core::time_text(times.whole_s);
  if (times.apart() <= kMostApart) {
    notices_.note(compared + " (" + core::spaced_percent(times.apart()) +
                  " apart); averages and models leave the whole run out, since no other has what comes after the loop");
    return true;
  }
  TRY(refuse(compared + ": its rounds are not alike, or it has more than one loop",
             "leave out --iterations, or try another number of rounds"));
  return false;
}

}  // namespace scalediag::launch
