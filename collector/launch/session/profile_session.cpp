#include "collector/launch/session/profile_session.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "collector/launch/batch/batch_system.h"
#include "collector/launch/host/machine_store.h"
#include "collector/launch/process/job_end.h"
#include "collector/launch/process/run_guard.h"
#include "collector/launch/program/mpi_detection.h"
#include "collector/launch/session/counting_passes.h"
#include "collector/launch/session/time_estimate.h"
#include "core/debug_log.h"
#include "core/exit_status.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

using core::RunEntry;
using core::RunState;

// Whether a command could not be executed, by the exit statuses of shells, env and scalediag-rank.
bool could_not_start(int exit_status) { return exit_status == 126 || exit_status == 127; }

bool disk_is_full(const std::string& path) {
  struct statvfs info {};
  return statvfs(path.c_str(), &info) == 0 && info.f_bavail * info.f_frsize < (1u << 16);
}

Error disk_full_error(const std::string& path) {
  return {ErrorCode::kEnvironment, "the disk that holds " + path + " is full",
          "free space and run the same command again: it goes on with what is missing", path};
}

std::vector<std::string> watched_paths(const ProfilePreparation& preparation) {
  std::vector<std::string> paths = preparation.argument_paths;
  if (!preparation.stdin_source.file.empty()) paths.push_back(preparation.stdin_source.file);
  return paths;
}

// The batch system's reason for the end of a job: "; Slurm says TIMEOUT (TimeLimit) of job 12"; empty: it gives none.
std::string fate_of_job(const std::string& job) {
  const BatchSystem* system = current_batch_system();
  if (system == nullptr) system = installed_batch_system();
  if (job.empty() || system == nullptr) return "";
  const JobState state = state_of_job(*system, job);
  // A job that is being ended has its reason already.
  const bool has_ended = state.phase == JobState::Phase::kFailed || state.text.starts_with("COMPLETING (");
  return has_ended ? std::string("; ") + system->title + " says " + state.text + " of job " + job : "";
}

// The same for a job in which an earlier scalediag was killed.
std::string fate_of_earlier_job(const std::string& job) {
  if (!job.empty() && job == current_job()) return "; job " + job + " was started again";
  return fate_of_job(job);
}

void end_leftovers_of(const RunEntry& entry, Notices& notices) {
  const int ended = end_leftovers(entry);
  if (ended == 0) return;
  notices.warn(core::run_id(entry.configuration, entry.repeat) + ": " + std::to_string(ended) +
                   (ended == 1 ? " process of it was still running and was ended"
                               : " processes of it were still running and were ended"),
               "");
}

}  // namespace

ProfileSession::ProfileSession(const ProfileRequest& request, const ProfilePreparation& preparation,
                               ExperimentStore& store, Progress& progress, Notices& notices)
    : request_(request),
      preparation_(preparation),
      store_(store),
      measured_(store.folder(), store.experiment(), request.resolve_inlined),
      schedule_(preparation.configurations.size(), preparation.repeats),
      progress_(progress),
      notices_(notices),
      outputs_(watched_paths(preparation)) {}

core::Stability ProfileSession::stability_of(size_t configuration) const {
  core::StabilityOptions options;
  options.target_cv = request_.target_cv;
  return measured_.judge(preparation_.configurations[configuration].configuration, options);
}

double ProfileSession::budget_s() const {
  return request_.budget_s.value_or(
      usual_budget_s(store_.experiment().runs, preparation_.configurations, preparation_.repeats.minimum));
}

double ProfileSession::time_left_s() const {
  return std::max(0.0, budget_s() - spent_s(store_.experiment().runs, preparation_.configurations));
}

void ProfileSession::update_schedule() {
  const std::vector<core::SamplingGap> gaps = core::sampling_gaps(measured_.runs());
  for (size_t i = 0; i < preparation_.configurations.size(); ++i) {
    const core::Configuration& at = preparation_.configurations[i].configuration;
    const auto gap = std::ranges::find_if(
        gaps, [&at](const core::SamplingGap& g) { return g.np == at.np && g.parameters == at.parameters; });
    schedule_.note_stable(i, stability_of(i).stable);
    schedule_.note_repeats_for_samples(i, gap == gaps.end() ? 0 : gap->fewest_repeats);
    schedule_.note_duration(i, std::max(0.0, expected_duration_s(store_.experiment().runs, at)));
  }
  schedule_.note_time_left(time_left_s());
}

double ProfileSession::seconds_for_samples(const std::vector<core::SamplingGap>& gaps) const {
  double sum_s = 0;
  for (const core::SamplingGap& gap : gaps) {
    const core::Configuration at{gap.np, gap.parameters};
    const int n_complete = static_cast<int>(measured_.repeats_of(at).size());
    if (n_complete + gap.repeats > preparation_.repeats.maximum_for_samples) return 0;
    sum_s += gap.repeats * expected_duration_s(store_.experiment().runs, at);
  }
  return sum_s > 0 ? spent_s(store_.experiment().runs, preparation_.configurations) + sum_s : 0;
}

// Said when every configuration has run once, since nothing is known of the time before.
void ProfileSession::tell_budget() {
  if (budget_is_told_ || request_.repeat) return;
  budget_is_told_ = true;
  notices_.note("one run of each takes " +
                format_duration(once_s(store_.experiment().runs, preparation_.configurations)) +
                "; repeats and counting end within " + format_duration(budget_s()) + " in all (--budget)");
}

// Raw files are read again: they may have been damaged since.
Status ProfileSession::take_up_earlier_runs() {
  for (RunEntry& entry : store_.experiment().runs) {
    if (entry.state == RunState::kRunning) {
      end_leftovers_of(entry, notices_);
      entry.state = RunState::kFailed;
      entry.reason = "scalediag was killed while it ran" + fate_of_earlier_job(entry.job);
    }
    if (entry.state != RunState::kComplete) continue;
    const std::string missing = measured_.add(entry);
    if (missing.empty()) continue;
    entry.state = RunState::kIncomplete;
    entry.reason = missing;
    notices_.warn(core::run_id(entry.configuration, entry.repeat) + " was complete but is not any more: " + missing,
                  "");
  }
  TRY(measured_.settle_clock());
  for (size_t i = 0; i < preparation_.configurations.size(); ++i) {
    for (const core::Run* run : measured_.repeats_of(preparation_.configurations[i].configuration)) {
      schedule_.note_complete({i, run->repeat});
    }
  }
  update_schedule();
  return keep_results();
}

void ProfileSession::warn_of_nodes(const RunEntry& entry) {
  const auto asked = store_.experiment().nodes.find(entry.configuration.np);
  const std::string id = core::run_id(entry.configuration, entry.repeat);
  const auto run = std::ranges::find(measured_.runs(), id, &core::Run::id);
  if (asked == store_.experiment().nodes.end() || run == measured_.runs().end() || run->hosts.empty()) return;
  const auto n = static_cast<int>(run->hosts.size());
  if (n == asked->second) return;
  notices_.warn(id + " was on " + std::to_string(n) + (n == 1 ? " node" : " nodes") + ", and " +
                    std::to_string(asked->second) + " were asked for",
                "nodes per number of processes: --nodes LIST or --ranks-per-node R");
}

void ProfileSession::note_written_files(const RunEntry& entry) {
  const OutputWatch::Changes changes = outputs_.look();
  for (const std::string& path : changes.created) store_.note_written(path);
  const std::string when = " changed while " + core::run_id(entry.configuration, entry.repeat) + " was measured";
  for (const std::string& path : changes.changed) {
    if (path == preparation_.stdin_source.file) {
      notices_.warn("the standard input " + path + when,
                    "the runs do not belong together: begin again with --fresh, and leave the file alone meanwhile");
    } else if (store_.note_written(path)) {
      notices_.warn(path + when + "; it is taken for a file that the application writes",
                    "if it was edited meanwhile, the runs do not belong together: begin again with --fresh");
    }
  }
}

Status ProfileSession::keep_results() {
  store_.note_program(measured_.program());
  TRY(store_.save());
  if (measured_.runs().empty()) return Done{};
  return measured_.save_profile();
}

Status ProfileSession::use_machine(bool made_runs) {
  if (!measured_.counted() || request_.machine == kNoMachine) return Done{};
  const std::string before = !machine_failure_.empty() ? machine_failure_ : made_runs ? "" : store_.refusal(kMachine);
  auto machine = machine_of(store_.folder(), store_.experiment(), request_.machine, notices_, before);
  const bool is_refused = !machine && machine.error().code == ErrorCode::kEnvironment && request_.machine.empty();
  if (auto kept = store_.note_refusal(kMachine, is_refused ? machine.error().message : ""); !kept) return kept;
  if (!machine) return machine.error();
  measured_.use_machine(std::move(machine).value());
  return measured_.save_profile();
}

void ProfileSession::announce(const RunChoice& choice) {
  const auto& runs = store_.experiment().runs;
  double left_s = 0;
  for (size_t i = 0; i < preparation_.configurations.size(); ++i) {
    left_s += schedule_.left(i) * expected_duration_s(runs, preparation_.configurations[i].configuration);
  }
  const double expected_s = expected_duration_s(runs, preparation_.configurations[choice.configuration].configuration);
  if (!request_.repeat) left_s = std::min(left_s, std::max(expected_s, time_left_s()));
  progress_.begin_run(preparation_.configurations[choice.configuration].label, expected_s, left_s);
}

std::vector<std::string> ProfileSession::command_for(const PlannedConfiguration& plan, const RunEntry& entry,
                                                     const std::string& run_folder) const {
  std::vector<std::string> rank = {preparation_.installation.shim,
                                   "--library",
                                   preparation_.installation.library,
                                   "--directory",
                                   run_folder,
                                   "--stamp",
                                   entry.stamp,
                                   "--rate",
                                   core::to_text(request_.rate_hz),
                                   "--sampler",
                                   request_.sampler};
  if (preparation_.counters.source == "papi") {
    const auto counted = counters::rank_arguments(preparation_.counters.plan, entry.repeat, measured_.runs());
    rank.insert(rank.end(), counted.begin(), counted.end());
  }
  if (request_.call_paths) rank.insert(rank.end(), {"--call-paths", std::to_string(request_.stack_bytes)});
  if (request_.rank_files != raw::kUsualRankFiles)
    rank.insert(rank.end(), {"--rank-files", std::to_string(request_.rank_files)});
  if (!request_.scratch.empty()) rank.insert(rank.end(), {"--scratch", request_.scratch});
  if (request_.gpu == "none") rank.insert(rank.end(), {"--gpu", "none"});
  if (request_.gpu == "activity") rank.insert(rank.end(), {"--gpu", "activity"});
  if (is_recorded(entry)) {
    rank.insert(rank.end(), {"--trace", preparation_.experiment.traced_series ? "series" : "folded"});
  }
  rank.emplace_back("--");
  rank.insert(rank.end(), plan.command.begin(), plan.command.end());
  return launch_command(preparation_.launcher, plan.configuration.np, preparation_.experiment.host.cores, rank);
}

RecordedTraces ProfileSession::recorded_traces(const core::Configuration& configuration) const {
  RecordedTraces recorded;
  for (const core::Run& run : measured_.runs()) {
    const double bytes = trace_bytes(store_.folder().run_folder(run.id));
    if (!(bytes > 0)) continue;
    recorded.bytes += bytes;
    recorded.calls += calls_of(run);
    recorded.are_of_configuration |= run.np == configuration.np && run.parameters == configuration.parameters;
  }
  return recorded;
}

bool ProfileSession::is_recorded(const RunEntry& entry) const {
  // Rounds are found in a trace: one repeat is recorded, and not the first where there are several.
  const bool is_needed = request_.count_in_part && !recorded_traces(entry.configuration).are_of_configuration;
  if (is_needed && (entry.repeat > 0 || request_.repeat == 1)) return true;
  if (preparation_.experiment.traced) return true;
  if (request_.no_trace || !store_.refusal(kTraces).empty()) return false;
  return why_not_traced(measured_.runs(), entry.configuration.np, entry.configuration.parameters,
                        recorded_traces(entry.configuration), request_.repeat == 1)
      .empty();
}

// A trace that nobody asked for is removed where it turns out to have cost too much.
Status ProfileSession::keep_cheap_trace(const RunEntry& entry) {
  if (preparation_.experiment.traced || request_.count_in_part) return Done{};
  const std::string id = core::run_id(entry.configuration, entry.repeat);
  const std::string folder = store_.folder().run_folder(id);
  const auto run = std::ranges::find(measured_.runs(), id, &core::Run::id);
  if (run == measured_.runs().end() || !(trace_bytes(folder) > 0)) return Done{};
  const double bytes = recorded_traces(entry.configuration).bytes;
  const bool too_long = trace_share(*run) > kMostShareOfOne, too_large = bytes > kMostTraceBytes;
  if (too_long || too_large) remove_traces(folder);
  return too_large ? store_.note_refusal(kTraces, "they had " + core::bytes_text(bytes)) : Done{};
}

std::string ProfileSession::why_untraced(size_t configuration) const {
  const core::Configuration& at = preparation_.configurations[configuration].configuration;
  const auto repeats = measured_.repeats_of(at);
  if (repeats.empty() || preparation_.experiment.traced || request_.no_trace) return "";
  for (const core::Run* run : repeats) {
    if (trace_bytes(store_.folder().run_folder(run->id)) > 0) return "";
  }
  if (const std::string refused = store_.refusal(kTraces); !refused.empty()) return refused;
  const std::string why =
      why_not_traced(measured_.runs(), at.np, at.parameters, recorded_traces(at), request_.repeat == 1);
  return why.empty() ? "no repeat was made after their cost was known" : why;
}

Result<ProcessOutcome> ProfileSession::launch(const RunChoice& choice, RunEntry& entry) {
  const PlannedConfiguration& plan = preparation_.configurations[choice.configuration];
  const std::string id = core::run_id(entry.configuration, entry.repeat);
  const std::string run_folder = store_.folder().run_folder(id);
  entry.stamp = core::new_stamp(id);
  entry.job = current_job();
  entry.command = command_for(plan, entry, run_folder);
  core::log_debug("running " + core::join_shell_words(entry.command));
  TRY(store_.begin(entry));
  const auto stdin_fd = TRY(preparation_.stdin_source.open());

  ProcessRequest process;
  process.program = preparation_.launcher.words[0];
  process.command = entry.command;
  process.stamp = entry.stamp;
  process.stdin_fd = stdin_fd;
  process.stdout_log = run_folder + "/stdout.log";
  process.stderr_log = run_folder + "/stderr.log";
  process.timeout_s = request_.timeout_s;
  process.passes_output_on = request_.passes_output_on;
  process.before_output = [this] { progress_.make_way(); };
  process.after_output = [this](bool line_ended) { progress_.resume(line_ended); };
  process.on_tick = [this](double elapsed_s) { progress_.tick(elapsed_s); };
  auto outcome = run_process(process, interruption_);
  if (stdin_fd >= 0) close(stdin_fd);
  progress_.make_way();
  return outcome;
}

Status ProfileSession::run_one(const RunChoice& choice, SessionOutcome& outcome) {
  RunEntry& entry = store_.entry(preparation_.configurations[choice.configuration].configuration, choice.repeat);
  const auto process = launch(choice, entry);
  if (!process) {
    entry.state = RunState::kFailed;
    entry.reason = process.error().message;
    // The first error is the one to report.
    [[maybe_unused]] const Status ignored = store_.save();
    return process.error();
  }
  return settle(choice, process.value(), outcome);
}

Status ProfileSession::settle(const RunChoice& choice, const ProcessOutcome& process, SessionOutcome& outcome) {
  RunEntry& entry = store_.entry(preparation_.configurations[choice.configuration].configuration, choice.repeat);
  note_written_files(entry);
  const bool has_data = store_.has_raw_files(entry);
  entry.exit_status = process.exit_status;
  entry.elapsed_s = process.elapsed_s;
  const std::string run_folder = store_.folder().run_folder(core::run_id(entry.configuration, entry.repeat));
  const auto rank_signal = find_rank_signal_in_logs(run_folder + "/stdout.log", run_folder + "/stderr.log");
  const auto judge = [&](const std::string& missing) {
    return judge_run(process, preparation_.accepted_statuses, request_.timeout_s.value_or(0), rank_signal, missing);
  };
  RunOutcome run_outcome = judge("");
  if (run_outcome.state == RunState::kComplete) {
    entry.state = RunState::kComplete;  // to be checked by merge_run
    const bool has_sessions = !has_data && has_sessions_only(preparation_.experiment.executable);
    run_outcome = judge(has_data       ? measured_.add(entry)
                        : has_sessions ? std::string("no rank wrote data: ") + kSessionsOnly
                                       : "no rank wrote data: MPI_Init was never seen");
    if (has_sessions && run_outcome.state != RunState::kComplete) run_outcome.hint = kSessionsHint;
    outcome.other_build = has_data && measured_.is_other_build();
  }
  bool wrong_launcher = false;
  std::string job_end;
  if (run_outcome.state != RunState::kComplete) {
    job_end = find_job_end_in_logs(run_folder + "/stdout.log", run_folder + "/stderr.log");
    const std::string fate = fate_of_job(entry.job);
    if (job_end.empty() && !fate.empty()) job_end = "its job was ended";
    job_end += fate;
  }
  blame_resource_manager(run_outcome, process, job_end);
  if (run_outcome.state != RunState::kComplete && has_data && job_end.empty()) {
    if (const auto end = merge::look_at_end(store_.folder(), entry)) {
      explain_end(run_outcome, process, rank_signal, end.value(), entry.configuration.np, preparation_.launcher_hint);
      wrong_launcher = end.value().each_alone;
    }
  }
  entry.state = run_outcome.state;
  entry.reason = run_outcome.reason;
  const bool complete = run_outcome.state == RunState::kComplete;
  if (complete) {
    progress_.complete_run(process.elapsed_s, told_.insert(choice.configuration).second);
  } else {
    progress_.fail_run(process.elapsed_s, std::string(core::name_of(entry.state)) + ": " + run_outcome.reason);
  }
  ++outcome.n_run;
  if (outcome.stdout_error == 0) outcome.stdout_error = process.stdout_error;
  if (process.end == ProcessOutcome::End::kInterrupted) outcome.interrupted_by = process.signal;
  if (complete) {
    warn_of_nodes(entry);
    schedule_.note_complete(choice);
    TRY(measured_.settle_clock());
    TRY(keep_cheap_trace(entry));
    update_schedule();
    return keep_results();
  }

  schedule_.note_failed(choice);
  outcome.failures.push_back(core::run_id(entry.configuration, entry.repeat) + ": " + run_outcome.reason);
  if (outcome.failures.size() == 1) outcome.hint = run_outcome.hint;
  if (outcome.exit_status == 0) outcome.exit_status = run_outcome.exit_status;
  const bool nothing_works = !has_data && (process.exit_status == 0 || could_not_start(process.exit_status));
  if (outcome.other_build) {
    outcome.exit_status = core::kExitUsage;
    outcome.hint = kBeginAgain;
  }
  const PlannedConfiguration& plan = preparation_.configurations[choice.configuration];
  if (measured_.repeats_of(plan.configuration).empty()) outcome.stopped_at = plan.label;
  if (measured_.runs().empty() && (nothing_works || wrong_launcher)) outcome.stopped_early = true;
  // On a full disk every following run would be lost too.
  const bool full = disk_is_full(store_.folder().path());
  const Status kept = keep_results();
  if (full) return disk_full_error(store_.folder().path());
  return kept;
}

Result<SessionOutcome> ProfileSession::run() {
  SessionOutcome outcome;
  TRY(take_up_earlier_runs());
  if (schedule_.next()) {
    if (const std::string rebuilt = measured_.rebuilt_file(); !rebuilt.empty()) {
      return Error{ErrorCode::kInput,
                   store_.folder().path() + " holds runs of another experiment: " + rebuilt + " was rebuilt since",
                   kBeginAgain, store_.folder().path()};
    }
  }
  while (const auto choice = schedule_.next()) {
    if (choice->repeat > 0) tell_budget();
    announce(*choice);
    TRY(run_one(*choice, outcome));
    if (interruption_.signal() != 0 && outcome.interrupted_by == 0) outcome.interrupted_by = interruption_.signal();
    if (outcome.interrupted_by != 0) {
      outcome.exit_status = 128 + outcome.interrupted_by;
      return outcome;
    }
    if (outcome.stopped_early || outcome.other_build || !outcome.stopped_at.empty()) return outcome;
  }
  TRY(count(outcome));
  return outcome;
}

// Counts that were not requested by name may fail without making the runs invalid.
Status ProfileSession::count(SessionOutcome& outcome) {
  const double least_s = once_s(store_.experiment().runs, preparation_.configurations);
  const double budget_s =
      request_.counting_budget_s.value_or(std::min(kCountingBudget_s, std::max(least_s, time_left_s())));
  CountingPasses passes(request_, preparation_, store_, measured_, progress_, notices_, interruption_, budget_s);
  if (part_counting_) passes.count_in_part(part_counting_);
  const auto counted = TRY(passes.run());
  outcome.n_run += counted.n_run;
  machine_failure_ = counted.machine_failure;
  if (counted.interrupted_by != 0) {
    outcome.interrupted_by = counted.interrupted_by;
    outcome.exit_status = 128 + outcome.interrupted_by;
  }
  if (counted.failure.empty()) return Done{};
  if (request_.counters != "simulated") {
    notices_.warn("there are no counts: " + counted.failure, counted.hint);
    return Done{};
  }
  if (outcome.failures.empty()) outcome.hint = counted.hint;
  outcome.failures.push_back(counted.failure);
  if (outcome.exit_status == 0) outcome.exit_status = core::kExitEnvironment;
  return Done{};
}

}  // namespace scalediag::launch
