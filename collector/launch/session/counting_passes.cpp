#include "collector/launch/session/counting_passes.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "collector/counters/callgrind/counted_parts.h"
#include "collector/counters/callgrind/valgrind.h"
#include "collector/launch/host/machine_store.h"
#include "collector/launch/process/rank_failure.h"
#include "collector/launch/session/run_outcome.h"
#include "core/atomic_file.h"
#include "core/debug_log.h"
#include "core/steady_time.h"
#include "core/text/formatted.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"

namespace scalediag::launch {
namespace {

using core::CountingPass;
using core::RunState;

std::string ranks_text(const std::vector<int>& ranks, int np) {
  if (ranks.size() == static_cast<size_t>(np)) return "all ranks";
  return (ranks.size() == 1 ? "rank " : "ranks ") + core::list_of(ranks);
}

// The first log in the folder that names an instruction that could not be run.
std::string unsupported_instruction(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    const std::string path = it->path().string();
    if (path.size() < 13 || path.compare(path.size() - 13, 13, ".valgrind.log") != 0) continue;
    const auto text = core::read_file(path);
    if (!text) continue;
    const std::string found = counters::find_unsupported_instruction(text.value());
    if (!found.empty()) return found;
  }
  return "";
}

// The share of all samples that fell into functions written in Python.
double share_in_python(const std::vector<core::Run>& runs) {
  double all = 0, python = 0;
  for (const core::Run& run : runs) {
    for (const core::Kernel& kernel : run.kernels) {
      all += static_cast<double>(kernel.samples);
      if (kernel.module.ends_with(".py")) python += static_cast<double>(kernel.samples);
    }
  }
  return all > 0 ? python / all : 0;
}

}  // namespace

CountingPasses::CountingPasses(const ProfileRequest& request, const ProfilePreparation& preparation,
                               ExperimentStore& store, MeasuredRuns& measured, Progress& progress, Notices& notices,
                               const InterruptionGuard& interruption, double budget_s)
    : request_(request),
      preparation_(preparation),
      store_(store),
      measured_(measured),
      progress_(progress),
      notices_(notices),
      interruption_(interruption),
      budget_s_(budget_s) {}

counters::RankChoice CountingPasses::ranks_for(const core::Configuration& configuration) const {
  const auto repeats = measured_.repeats_of(configuration);
  const core::Run* run = repeats.empty() ? nullptr : repeats.front();
  const CounterChoice& choice = preparation_.counters;
  if (!choice.simulate_all && !choice.simulate_ranks) return counters::choose_ranks(configuration.np, run);
  std::vector<int> ranks;
  for (int rank = 0; rank < configuration.np; ++rank) {
    const bool wanted =
        choice.simulate_all || std::binary_search(choice.simulate_ranks->begin(), choice.simulate_ranks->end(), rank);
    if (wanted) ranks.push_back(rank);
  }
  if (ranks.empty()) return {};  // no rank could stand for the others
  return counters::assign_ranks(configuration.np, run, ranks);
}

// Whether the pass's ranks have recorded their events.
bool CountingPasses::has_traces(const CountingPass& pass) const {
  const std::string folder = store_.folder().run_folder(core::counting_pass_id(pass.configuration));
  return std::ranges::all_of(pass.ranks, [&](int rank) {
    const std::string name = core::formatted("/rank%06d.trace", rank);
    std::error_code failed;
    return std::filesystem::exists(folder + name, failed);
  });
}

bool CountingPasses::is_in_part(const CountingPass& pass) const {
  const std::string folder = store_.folder().run_folder(core::counting_pass_id(pass.configuration));
  std::error_code failed;
  return std::ranges::any_of(
      pass.ranks, [&](int rank) { return std::filesystem::exists(folder + "/" + counters::parts_file(rank), failed); });
}

// Whether the pass is complete, with readable files, and of the requested ranks if any were requested.
bool CountingPasses::is_usable(const CountingPass& pass) {
  if (pass.state != RunState::kComplete) return false;
  const CounterChoice& choice = preparation_.counters;
  if ((choice.simulate_all || choice.simulate_ranks) && pass.ranks != ranks_for(pass.configuration).ranks) return false;
  const bool is_part = is_in_part(pass);
  if (is_part && part_counting_ == nullptr && request_.counters == "simulated") return false;  // the whole is asked for
  std::string problem = measured_.problem_of(pass);
  if (problem.empty() && preparation_.experiment.traced && !is_part && !has_traces(pass))
    problem = "it has no instructions of events";
  if (problem.empty()) return true;
  notices_.warn(core::counting_pass_id(pass.configuration) + " was complete but is not any more: " + problem, "");
  return false;
}

std::vector<CountingPasses::Missing> CountingPasses::find_missing() {
  std::vector<Missing> all;
  for (const PlannedConfiguration& plan : preparation_.configurations) {
    const auto repeats = measured_.repeats_of(plan.configuration);
    if (repeats.empty()) continue;  // an application that fails by itself fails under valgrind too
    const int cores = preparation_.experiment.host.cores;
    const CountingPass* pass = find_pass(store_.experiment(), plan.configuration);
    if (pass != nullptr && is_usable(*pass)) {
      const double expected = expected_pass_s(repeats, static_cast<int>(pass->ranks.size()), cores);
      if (!is_in_part(*pass)) pace_.add(expected, pass->elapsed_s);
      continue;
    }
    Missing missing;
    missing.plan = &plan;
    missing.ranks = ranks_for(plan.configuration);
    if (missing.ranks.ranks.empty()) continue;  // --simulate-ranks names none of them
    missing.expected_s = expected_pass_s(repeats, static_cast<int>(missing.ranks.ranks.size()), cores);
    // A pass that was ended because of its duration would take as long again.
    if (pass != nullptr) missing.expected_s = std::max(missing.expected_s, kBudgetOverrun * pass->elapsed_s);
    all.push_back(std::move(missing));
  }
  return all;
}

double CountingPasses::expected_s(const std::vector<Missing>& missing, size_t begin) const {
  double sum = 0;
  for (size_t i = begin; i < missing.size(); ++i) sum += missing[i].expected_s;
  return pace_.value() * sum;
}

void CountingPasses::settle(const std::vector<Missing>& missing) {
  core::Experiment& experiment = store_.experiment();
  if (!is_unasked()) return;
  if (missing.empty() && experiment.counter_source == "simulated") return;
  constexpr double kMuchPython = 0.1;
  if (const double python = share_in_python(measured_.runs()); python > kMuchPython) {
    experiment.counter_source = "clock";
    experiment.counter_reason = preparation_.counters.reason + "; " + core::percent(python) +
                                " of the samples lie in functions written in Python, and their instructions would be "
                                "counted as the interpreter's: --counters simulated does it all the same";
    notices_.note("counters: " + core::counters_text(experiment.counter_source) + " (" + experiment.counter_reason +
                  ")");
    return;
  }
  const double takes_s = expected_s(missing, 0);
  const std::string expected = format_duration(takes_s);
  const std::string budget = format_duration(budget_s_);
  const bool cheap = pace_.fits(takes_s, budget_s_);
  const std::string factor = ", or up to " + core::to_text(pace_.margin()) + " times that,";
  experiment.counter_source = cheap ? "simulated" : "clock";
  experiment.counter_reason =
      preparation_.counters.reason +
      (cheap ? "; simulating them was expected to take " + expected + factor + " within --counting-budget of " + budget
             : "; simulating them would take about " + expected + factor + " more than --counting-budget of " + budget +
                   ": --counters simulated does it all the same");
  notices_.note("counters: " + core::counters_text(experiment.counter_source) + " (" + experiment.counter_reason + ")");
}

void CountingPasses::announce(const std::vector<Missing>& missing) const {
  const std::string which = core::join(missing, ", ", [](const Missing& m) {
    return ranks_text(m.ranks.ranks, m.plan->configuration.np) + " of " + m.plan->label;
  });
  const std::string why =
      pace_.is_known() ? "as long as the passes before, for their work"
                       : "code takes some " + core::to_text(counters::kCountingSlowdown) + " times as long there";
  notices_.note("counting instructions and cache hits takes " + std::to_string(missing.size()) +
                (missing.size() == 1 ? " run" : " runs") + " under valgrind, in all about " +
                format_duration(expected_s(missing, 0)) + " (" + why + "): " + which +
                (is_unasked() ? "; ended after " + format_duration(kBudgetOverrun * budget_s_) : std::string()) +
                "; --counters none leaves this out");
  tell_caches(missing);
}

void CountingPasses::tell_caches(const std::vector<Missing>& missing) const {
  std::vector<std::string> told;
  const auto tell = [&](const std::string& text) {
    if (std::find(told.begin(), told.end(), text) != told.end()) return;
    told.push_back(text);
    notices_.note(text);
  };
  for (const Missing& m : missing) {
    tell("simulated caches: " + m.caches.description +
         (m.llc_bytes > 0 ? " (a rank's share of what was measured; " + m.plan->label + ")" : std::string()));
    for (const std::string& text : m.caches.notes) tell(text);
  }
  if (std::ranges::any_of(missing, [](const Missing& m) { return !(m.llc_bytes > 0); })) {
    tell("the last level's size was not measured: whether memory contention shows will not be known");
  }
}

void CountingPasses::announce_parts(const std::vector<Missing>& missing) const {
  double most_s = request_.counting_budget_s.value_or(0);
  for (const Missing& m : missing) most_s += request_.counting_budget_s ? 0 : part_budget_s(m);
  notices_.note("counting a few rounds of the main loops may take " + format_duration(most_s) + " in all, " +
                (request_.counting_budget_s
                     ? "by --counting-budget"
                     : core::to_text(kMostPartCost) + " times the timed runs (--counting-budget says otherwise)") +
                "; --counters none leaves it out");
  tell_caches(missing);
}

std::string CountingPasses::choose_caches(std::vector<Missing>& missing) {
  constexpr const char* kCaches = "/sys/devices/system/cpu/cpu0/cache";
  double last_bytes = 0;
  int shared_by = 1;
  std::string failure;
  if (request_.machine != kNoMachine) {
    const auto machine = machine_of(store_.folder(), store_.experiment(), request_.machine, notices_);
    if (!machine) failure = machine.error().message;
    const core::MachineCache* last = machine ? machine.value().cache("llc") : nullptr;
    if (last != nullptr) {
      last_bytes = last->size_bytes.value > 0 ? std::min(last->step_bytes, last->size_bytes.value) : last->step_bytes;
      shared_by = last->shared_by;
    }
  }
  for (Missing& m : missing) {
    const core::Run* run = measured_.repeats_of(m.plan->configuration).front();
    const int hosts = std::max(1, static_cast<int>(run->hosts.size()));
    const int ranks = (m.plan->configuration.np + hosts - 1) / hosts;
    if (last_bytes > 0) {
      m.llc_bytes = counters::share_of_last_level(last_bytes, shared_by,
                                                  {ranks, run->threads_max, preparation_.experiment.host.cores});
    }
    m.caches = counters::callgrind_caches(kCaches, m.llc_bytes);
    if (m.caches.options.empty()) m.llc_bytes = 0;  // valgrind simulates its own guess
  }
  return failure;
}

CountingPasses::Limit CountingPasses::limit_of_next() const {
  Limit limit;
  if (request_.timeout_s) {
    limit.timeout_s = *request_.timeout_s * kPassTimeoutFactor;
    limit.reason = "it ran longer than " + core::to_text(kPassTimeoutFactor) + " times --timeout and was ended";
    limit.hint = "a larger --timeout or a smaller input; --counters none does without counts";
  }
  const bool is_limited = is_unasked() || part_counting_ != nullptr;
  const double most_s = is_unasked() ? budget_s_ : part_budget_s_;
  const double left_s = kBudgetOverrun * most_s - spent_s_;
  if (is_limited && (!limit.timeout_s || left_s < *limit.timeout_s)) {
    // The pass was not requested by name, so that it must not take hours where a minute was expected.
    limit.timeout_s = std::max(1.0, left_s);
    limit.reason = "counting took more than " + core::to_text(kBudgetOverrun) + " times " +
                   (is_unasked() || request_.counting_budget_s ? "--counting-budget" : "its limit") + " of " +
                   format_duration(most_s) + " and was ended";
    limit.hint = "--counters simulated takes as long as it needs, --counters none does without";
  }
  return limit;
}

std::vector<std::string> CountingPasses::command_for(const Missing& missing, const std::string& folder) const {
  std::vector<std::string> rank = {preparation_.installation.shim,
                                   "--library",
                                   preparation_.installation.library,
                                   "--simulate",
                                   core::list_of(missing.ranks.ranks),
                                   "--output",
                                   folder,
                                   "--valgrind",
                                   preparation_.counters.valgrind};
  if (preparation_.experiment.traced) rank.insert(rank.end(), {"--count-calls", std::to_string(request_.count_calls)});
  for (const std::string& option : counters::callgrind_options(missing.caches, preparation_.program_is_script)) {
    rank.emplace_back("--valgrind-option");
    rank.push_back(option);
  }
  rank.emplace_back("--");
  rank.insert(rank.end(), missing.plan->command.begin(), missing.plan->command.end());
  return launch_command(preparation_.launcher, missing.plan->configuration.np, preparation_.experiment.host.cores,
                        rank);
}

Result<ProcessOutcome> CountingPasses::launch(const Missing& missing, const Limit& limit, CountingPass& pass) {
  const std::string folder = store_.folder().run_folder(core::counting_pass_id(pass.configuration));
  pass.ranks = missing.ranks.ranks;
  pass.stands_for = missing.ranks.stands_for;
  pass.measured_llc_bytes = missing.llc_bytes;
  pass.command = command_for(missing, folder);
  core::log_debug("running " + core::join_shell_words(pass.command));
  TRY(store_.begin(pass));
  const auto stdin_fd = TRY(preparation_.stdin_source.open());
  ProcessRequest process;
  process.program = preparation_.launcher.words[0];
  process.command = pass.command;
  process.stamp = core::new_stamp(core::counting_pass_id(pass.configuration));
  process.stdin_fd = stdin_fd;
  process.stdout_log = folder + "/stdout.log";
  process.stderr_log = folder + "/stderr.log";
  process.passes_output_on = false;  // the timed runs have shown it already
  process.timeout_s = limit.timeout_s;
  process.on_tick = [this](double elapsed_s) { progress_.tick(elapsed_s); };
  auto outcome = run_process(process, interruption_);
  if (stdin_fd >= 0) close(stdin_fd);
  return outcome;
}

// The reason why the pass failed; empty where it has counts of every rank.
std::string CountingPasses::what_failed(const CountingPass& pass, const ProcessOutcome& process, const Limit& limit,
                                        std::string& hint) {
  const std::string folder = store_.folder().run_folder(core::counting_pass_id(pass.configuration));
  hint = "see " + folder + "/stderr.log; the same command again repeats only this, --counters none leaves it out";
  if (process.end == ProcessOutcome::End::kTimedOut) {
    if (!limit.hint.empty()) hint = limit.hint;
    return limit.reason;
  }
  const auto rank_signal = find_rank_signal_in_logs(folder + "/stdout.log", folder + "/stderr.log");
  const RunOutcome run_outcome = judge_run(process, preparation_.accepted_statuses, 0, rank_signal, "");
  std::string reason = run_outcome.reason;
  if (reason.empty()) reason = measured_.problem_of(pass);
  if (reason.empty()) return "";
  if (const std::string instruction = unsupported_instruction(folder); !instruction.empty()) {
    hint = counters::kUnsupportedInstructionHint;
    return instruction;
  }
  return reason;
}

Status CountingPasses::keep_results() {
  TRY(store_.save());
  return measured_.save_profile();
}

double CountingPasses::part_budget_s(const Missing& missing) const {
  double runs_s = 0;
  for (const core::RunEntry& entry : store_.experiment().runs) {
    const bool is_of_it = entry.state == RunState::kComplete && entry.configuration == missing.plan->configuration;
    if (is_of_it) runs_s += entry.elapsed_s;
  }
  return kMostPartCost * runs_s;
}

// Whether counting whole keeps to the limit, which is said. Else the pass's reason gets what it would take.
bool CountingPasses::may_be_whole(const Missing& missing, CountingPass& pass) {
  const double whole_s = pace_.value() * missing.expected_s, left_s = part_budget_s_ - spent_s_;
  const std::string about = "about " + format_duration(whole_s);
  if (whole_s <= left_s) {
    notices_.note(missing.plan->label + " is counted whole, in " + about + ": " + pass.reason);
    return true;
  }
  pass.reason += "; whole it would take " + about + ", and " + format_duration(std::max(0.0, left_s)) + " are left";
  return false;
}

void CountingPasses::note_failure(const CountingPass& pass, const std::string& hint, PassesOutcome& outcome) {
  if (!outcome.failure.empty()) return;
  outcome.failure = core::counting_pass_id(pass.configuration) + ": " + pass.reason;
  outcome.hint = hint;
}

Result<bool> CountingPasses::run_in_part(const Missing& missing, PassesOutcome& outcome) {
  const core::Configuration& configuration = missing.plan->configuration;
  const std::string& label = missing.plan->label;
  part_budget_s_ = request_.counting_budget_s.value_or(part_budget_s_ + part_budget_s(missing));
  CountingPass& pass = store_.counting_pass(configuration);
  measured_.forget_counts(pass);
  pass.ranks = missing.ranks.ranks;  // as of a whole pass, until it is known which ranks stand for all
  pass.stands_for = missing.ranks.stands_for;
  pass.command.clear();
  pass.measured_llc_bytes = missing.llc_bytes;
  TRY(store_.begin(pass));
  bool has_begun = false;
  const auto announce = [&](const std::string& what, double expected_s) {
    notices_.note(label + ": counting " + what + ", in about " + format_duration(expected_s));
    progress_.begin_run(label + " under valgrind, in part", expected_s, expected_s);
    has_begun = true;
  };
  const auto begin = std::chrono::steady_clock::now();
  const std::string folder = store_.folder().run_folder(core::counting_pass_id(configuration));
  const auto options = counters::callgrind_options(missing.caches, preparation_.program_is_script);
  const auto counted =
      (*part_counting_)({configuration, measured_.repeats_of(configuration), preparation_.counters.valgrind, options,
                         folder, part_budget_s_ - spent_s_, pace_.value() * missing.expected_s, announce});
  pass.elapsed_s = core::seconds_since(begin);
  spent_s_ += pass.elapsed_s;
  pass.state = RunState::kFailed;
  pass.reason = "it was interrupted";
  outcome.interrupted_by = counted ? counted.value().interrupted_by : InterruptionGuard::latest_signal();
  if (outcome.interrupted_by != 0) {
    if (has_begun) progress_.fail_run(pass.elapsed_s, "interrupted");
    return true;
  }
  pass.reason = counted ? "" : counted.error().message;
  if (counted) {
    pass.ranks = counted.value().ranks;
    pass.stands_for = counted.value().stands_for;
    pass.reason = measured_.problem_of(pass);
  }
  if (!pass.reason.empty()) {
    if (has_begun) progress_.fail_run(pass.elapsed_s, "not in part");
    if (may_be_whole(missing, pass)) return false;
    note_failure(
        pass, "--counting-budget S lets counting take S seconds; --counters simulated counts whole, whatever it takes",
        outcome);
    return true;
  }
  pass.state = RunState::kComplete;
  ++outcome.n_run;
  progress_.complete_run(pass.elapsed_s, true);
  notices_.note(label + ": counted " + counted.value().said + ", in " + format_duration(pass.elapsed_s) + " of " +
                format_duration(part_budget_s_ - spent_s_ + pass.elapsed_s));
  return true;
}

Status CountingPasses::run_one(const std::vector<Missing>& all, size_t i, PassesOutcome& outcome) {
  const Missing& missing = all[i];
  if (part_counting_ != nullptr) {
    const bool is_done = TRY(run_in_part(missing, outcome));
    if (is_done) return Done{};
  }
  CountingPass& pass = store_.counting_pass(missing.plan->configuration);
  measured_.forget_counts(pass);
  progress_.begin_run(
      missing.plan->label + " under valgrind, " + ranks_text(missing.ranks.ranks, missing.plan->configuration.np),
      pace_.value() * missing.expected_s, expected_s(all, i));
  const Limit limit = limit_of_next();
  const auto process = launch(missing, limit, pass);
  if (!process) {
    pass.state = RunState::kFailed;
    pass.reason = process.error().message;
    [[maybe_unused]] const Status ignored = store_.save();
    return process.error();
  }
  ++outcome.n_run;
  pass.exit_status = process.value().exit_status;
  pass.elapsed_s = process.value().elapsed_s;
  std::string hint;
  pass.reason = what_failed(pass, process.value(), limit, hint);
  pass.state = pass.reason.empty() ? RunState::kComplete : RunState::kFailed;
  spent_s_ += pass.elapsed_s;
  if (pass.reason.empty()) pace_.add(missing.expected_s, pass.elapsed_s);
  if (pass.reason.empty()) {
    progress_.complete_run(pass.elapsed_s, true);
  } else {
    progress_.fail_run(pass.elapsed_s, "failed: " + pass.reason);
  }
  if (process.value().end == ProcessOutcome::End::kInterrupted) {
    outcome.interrupted_by = process.value().signal;
  } else if (!pass.reason.empty()) {
    note_failure(pass, hint, outcome);
  }
  return Done{};
}

Result<PassesOutcome> CountingPasses::run() {
  PassesOutcome outcome;
  core::Experiment& experiment = store_.experiment();
  const bool may_count = preparation_.counters.source.empty() || preparation_.counters.source == "simulated";
  std::vector<Missing> missing;
  if (may_count) {
    missing = find_missing();
    settle(missing);
    if (experiment.counter_source != "simulated") missing.clear();
  }
  if (!missing.empty()) {
    outcome.machine_failure = choose_caches(missing);
    if (part_counting_ != nullptr) {
      announce_parts(missing);
    } else {
      announce(missing);
    }
  }
  // What one configuration has no time for in part another one may have.
  const bool goes_on = part_counting_ != nullptr;
  for (size_t i = 0; i < missing.size() && (goes_on || outcome.failure.empty()) && outcome.interrupted_by == 0; ++i) {
    TRY(run_one(missing, i, outcome));
    TRY(keep_results());
    if (interruption_.signal() != 0) outcome.interrupted_by = interruption_.signal();
  }
  if (measured_.runs().empty()) return outcome;
  TRY(keep_results());
  return outcome;
}

}  // namespace scalediag::launch
