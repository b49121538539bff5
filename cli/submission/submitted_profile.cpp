#include "cli/submission/submitted_profile.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/commands/merge_command.h"
#include "cli/diagnostics.h"
#include "cli/standard_output.h"
#include "cli/terminal_text.h"
#include "collector/launch/batch/batch_system.h"
#include "collector/launch/batch/collection.h"
#include "collector/launch/batch/submission.h"
#include "collector/launch/plan/launcher_choice.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/program/placement.h"
#include "collector/launch/store/experiment_store.h"
#include "collector/launch/store/folder_lock.h"
#include "core/atomic_file.h"
#include "core/exit_status.h"
#include "core/experiment/experiment.h"
#include "core/text/join.h"
#include "core/text/shell_words.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;
using launch::JobSize;
using launch::Submission;
using launch::SubmittedJob;
using Phase = launch::JobState::Phase;

Result<const launch::BatchSystem*> choose_batch_system(const std::string& name) {
  const launch::BatchSystem* system =
      name.empty() ? launch::installed_batch_system() : launch::batch_system_called(name);
  if (system != nullptr) return system;
  const std::string commands =
      core::join(launch::batch_systems(), ", ", [](const launch::BatchSystem& row) { return row.submit.front(); });
  return Error{ErrorCode::kEnvironment, "no batch system is found: none of " + commands + " is in PATH",
               "run it where jobs are submitted, or leave out --submit inside an allocation; --batch-system NAME "
               "--dry-run shows the scripts anywhere",
               "PATH"};
}

Result<std::vector<JobSize>> sizes_of(const launch::ProfileRequest& request, const launch::ProfilePreparation& plan) {
  const std::vector<int> counts = launch::process_counts_of(plan.configurations);
  launch::Placement placement;
  TRY(ask_for_placement(request.nodes, request.ranks_per_node, counts, placement));
  std::vector<JobSize> sizes;
  for (const int np : counts) sizes.push_back({np, placement.nodes_for(np), placement.ranks_per_node_for(np)});
  return sizes;
}

// The program and what else decides what its runs are, but for the numbers of processes.
std::string text_of_measured(const launch::ProfileRequest& request) {
  std::string text = core::join_shell_words(request.command) + " in " + fs::current_path().string();
  for (const std::string& parameter : request.parameters) text += ", --param " + parameter;
  return text;
}

// This program with the words that it was called with.
std::vector<std::string> command_of_job(const std::vector<std::string>& words) {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  std::vector<std::string> command = {failed ? "scalediag" : program.string()};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

Status check_submit(const launch::ProfileRequest& request, const SubmitOptions& options,
                    const launch::BatchSystem& system) {
  const auto refused = [](const std::string& message, const std::string& hint, const std::string& option) {
    return Error{ErrorCode::kUsage, message, hint, option};
  };
  if (request.np_list.empty()) {
    return refused("--submit needs the numbers of processes", "give them with -n, as in -n 16,32,64,128", "-n");
  }
  if (options.as_array && *system.task_variable == '\0') {
    return refused(std::string("--array: arrays are made for Slurm only, not for ") + system.title,
                   "leave out --array: a job is then submitted for each number of processes", "--array");
  }
  return Done{};
}

bool is_under_way(const SubmittedJob& job) {
  const bool may_run =
      job.state.phase == Phase::kQueued || job.state.phase == Phase::kRunning || job.state.phase == Phase::kUnknown;
  return !job.collected && !job.job.empty() && may_run;
}

bool is_wanted(const SubmittedJob& job, const std::vector<JobSize>& sizes) {
  return std::ranges::any_of(sizes, [&](const JobSize& size) { return size.np == job.size.np; });
}

// A merge of an earlier call may have failed or been ended.
bool has_unmerged_runs(const core::ExperimentFolder& folder) {
  std::error_code failed;
  if (!fs::exists(folder.experiment_file(), failed)) return false;
  const auto collected = fs::last_write_time(folder.experiment_file(), failed);
  const auto merged = fs::last_write_time(folder.profile_file(), failed);
  return failed || merged < collected;
}

// Nothing of jobs that may still write is removed.
Status begin_afresh(const std::string& folder, const launch::BatchSystem& system) {
  auto earlier = TRY(Submission::load(folder, system));
  earlier.look(0);
  std::vector<std::string> under_way;
  for (const SubmittedJob& job : earlier.jobs()) {
    if (is_under_way(job)) under_way.push_back(job.job);
  }
  if (!under_way.empty()) {
    return Error{ErrorCode::kInput, "--fresh: jobs of " + folder + " are queued or running",
                 std::string(system.cancel) + " " + core::join(under_way, " ") + ", and then the same command again",
                 folder};
  }
  std::error_code failed;
  fs::remove_all(earlier.folder(), failed);
  if (failed) return core::write_error(earlier.folder(), failed.value());
  return launch::remove_experiment(core::ExperimentFolder(folder));
}

// A job whose experiment cannot be read has failed.
Status collect_ended(Submission& submission, const std::string& folder) {
  for (SubmittedJob& job : submission.jobs()) {
    if (job.collected || job.state.phase != Phase::kEnded) continue;
    const std::string measured = submission.experiment_of(job.size.np);
    if (const auto readable = core::ExperimentFolder(measured).load(); !readable) {
      job.state.phase = Phase::kFailed;
      job.fault = readable.error().message;
    } else if (auto collected = launch::collect_experiment(measured, folder); !collected) {
      return collected;
    } else {
      job.collected = true;
    }
    TRY(submission.save());
  }
  return Done{};
}

Status submit_missing(Submission& submission, const std::vector<JobSize>& sizes, const SubmitOptions& options,
                      const std::vector<std::string>& batch_options, const std::string& name,
                      const std::vector<std::string>& command) {
  std::vector<const SubmittedJob*> missing;
  for (const SubmittedJob& job : submission.jobs()) {
    if (is_wanted(job, sizes) && !job.collected && (job.job.empty() || job.state.phase == Phase::kFailed))
      missing.push_back(&job);
  }
  for (const SubmittedJob* job : missing) {
    if (job->fault.empty()) continue;
    warn("the job of " + std::to_string(job->size.np) + " processes (" + job->job + ") failed: " + job->fault,
         "see " + submission.log_of(job->size.np) + "; it is submitted again");
  }
  for (const launch::JobScript& script :
       submission.scripts(missing, options.as_array, name, fs::current_path().string(), command)) {
    TRY(submission.submit(script, batch_options));
  }
  return Done{};
}

void print_states(const Submission& submission) {
  for (const SubmittedJob& job : submission.jobs()) {
    std::string state = "collected";
    if (!job.collected && job.state.phase == Phase::kQueued) state = "queued: " + job.state.text;
    if (!job.collected && job.state.phase == Phase::kRunning) state = "running";
    if (!job.collected && job.state.phase == Phase::kUnknown) {
      state = "its state is not known: " + std::string(submission.system().title) + " does not answer";
    }
    if (!job.collected && job.state.phase == Phase::kFailed) state = "failed: " + job.fault;
    say(Submission::name_of(job.size.np) + "  job " + job.job + "  " + state + "\n");
  }
}

// Asks again now and then, less often the longer it takes.
Status wait_for_jobs(Submission& submission, const std::string& folder, const std::vector<JobSize>& sizes) {
  constexpr unsigned kFirstPause_s = 1, kLongestPause_s = 30;
  unsigned pause_s = kFirstPause_s;
  const auto is_awaited = [&](const SubmittedJob& job) { return is_wanted(job, sizes) && is_under_way(job); };
  while (std::ranges::any_of(submission.jobs(), is_awaited)) {
    sleep(pause_s);
    pause_s = std::min(kLongestPause_s, pause_s + 1);
    submission.look();
    TRY(collect_ended(submission, folder));
  }
  return Done{};
}

int print_scripts(const Submission& submission, const std::vector<JobSize>& sizes, const SubmitOptions& options,
                  const std::vector<std::string>& batch_options, const std::string& name,
                  const std::vector<std::string>& command) {
  std::vector<SubmittedJob> jobs;
  for (const JobSize& size : sizes) jobs.push_back({size, "", false, ""});
  std::vector<const SubmittedJob*> all;
  for (const SubmittedJob& job : jobs) all.push_back(&job);
  std::string text;
  for (const launch::JobScript& script :
       submission.scripts(all, options.as_array, name, fs::current_path().string(), command)) {
    const std::string file =
        script.sizes.size() > 1 ? submission.folder() + "/array.sh" : submission.script_of(script.sizes.front().np);
    text += "# " + core::join_shell_words(launch::submit_command(submission.system(), batch_options, file)) + "\n" +
            launch::text_of(script, submission.system()) + "\n";
  }
  return print(text);
}

}  // namespace

void add_submit_options(CLI::App& command, SubmitOptions& options) {
  std::vector<std::string> names;
  for (const launch::BatchSystem& system : launch::batch_systems()) names.emplace_back(system.name);
  auto* submit = command
                     .add_option("--submit", options.options,
                                 "On a login node: submit a job for each number of processes, with these options of "
                                 "the batch system ('' for none); the same command later collects what has ended")
                     ->type_name("'OPTIONS'");
  command
      .add_option("--batch-system", options.batch_system,
                  "With --submit: the batch system (default: the one whose command is in PATH)")
      ->check(CLI::IsMember(names))
      ->needs(submit);
  command
      .add_flag("--array", options.as_array,
                "With --submit: one array of jobs, each as large as the largest, instead of single jobs")
      ->needs(submit);
  command.add_flag("--dry-run", options.dry_run, "With --submit: print the scripts, and submit nothing")->needs(submit);
  command.add_flag("--wait", options.wait, "With --submit: wait until the jobs have ended")->needs(submit);
}

Result<bool> become_submitted_job(launch::ProfileRequest& request) {
  const char* text = std::getenv(launch::kJobProcesses);
  if (text == nullptr) return false;
  int np = 0;
  const char* end = text + std::strlen(text);
  if (const auto read = std::from_chars(text, end, np); read.ec != std::errc() || read.ptr != end || np < 1) {
    return Error{ErrorCode::kUsage, std::string(launch::kJobProcesses) + "=" + text + " is no number of processes",
                 std::string("unset ") + launch::kJobProcesses + ": scripts of --submit set it", launch::kJobProcesses};
  }
  unsetenv(launch::kJobProcesses);
  const auto plan = TRY(launch::plan_profile(request));
  request.output = plan.folder + "/jobs/" + Submission::name_of(np);
  if (!request.nodes.empty()) {
    // One number is all that the list of this job may have.
    const auto sizes = TRY(sizes_of(request, plan));
    for (const JobSize& size : sizes) {
      if (size.np == np) request.nodes = std::to_string(size.nodes);
    }
  }
  request.np_list = std::to_string(np);
  request.fresh = false;
  // These are of the largest run.
  const bool is_largest = std::ranges::none_of(
      plan.configurations, [np](const launch::PlannedConfiguration& other) { return other.configuration.np > np; });
  request.no_network |= !is_largest;
  request.no_replays |= !is_largest;
  return true;
}

Result<SubmissionOutcome> advance_submission(const launch::ProfileRequest& request,
                                             const launch::ProfilePreparation& plan, const SubmitOptions& options,
                                             const std::vector<std::string>& words) {
  const auto system = TRY(choose_batch_system(options.batch_system));
  TRY(check_submit(request, options, *system));
  const auto batch_options = TRY(core::split_shell_words(*options.options));
  const auto sizes = TRY(sizes_of(request, plan));
  TRY(launch::inspect_executable(request.command[0]));
  // The jobs' folder may be all that there is.
  std::error_code ignored;
  if (!fs::exists(plan.folder + "/jobs", ignored) && launch::is_foreign(core::ExperimentFolder(plan.folder))) {
    return launch::foreign_folder(plan.folder);
  }
  const std::string name = fs::path(request.command[0]).filename().string();
  const std::vector<std::string> command = command_of_job(words);
  if (request.fresh && !options.dry_run) TRY(begin_afresh(plan.folder, *system));
  std::optional<launch::FolderLock> lock;
  if (!options.dry_run) {
    // Not that of the experiment's folder, which collecting and merging take.
    const std::string jobs = plan.folder + "/jobs";
    std::error_code failed;
    fs::create_directories(jobs, failed);
    if (failed) return core::write_error(jobs, failed.value());
    auto held = TRY(launch::FolderLock::acquire(jobs));
    lock.emplace(std::move(held));
  }
  Submission submission = TRY(Submission::load(plan.folder, *system));
  if (options.dry_run) {
    return SubmissionOutcome{print_scripts(submission, sizes, options, batch_options, name, command)};
  }
  TRY(submission.set_measured(text_of_measured(request)));
  submission.add(sizes);
  submission.look();
  const auto merge = [&] {
    const core::ExperimentFolder folder(plan.folder);
    if (!has_unmerged_runs(folder)) return core::kExitSuccess;
    const auto merged =
        merge_folder({.folder = plan.folder, .machine = request.machine, .resolve_inlined = request.resolve_inlined});
    return merged ? merged.value() : report(merged.error());
  };
  Status advanced = collect_ended(submission, plan.folder);
  if (advanced) advanced = submit_missing(submission, sizes, options, batch_options, name, command);
  if (advanced && options.wait) advanced = wait_for_jobs(submission, plan.folder, sizes);
  const int merged = merge();
  if (!advanced) return advanced.error();
  print_states(submission);
  SubmissionOutcome outcome;
  outcome.has_all = std::ranges::all_of(
      submission.jobs(), [&](const SubmittedJob& job) { return job.collected || !is_wanted(job, sizes); });
  const bool has_failed = std::ranges::any_of(submission.jobs(), [&](const SubmittedJob& job) {
    return is_wanted(job, sizes) && !job.collected && job.state.phase == Phase::kFailed;
  });
  outcome.exit_status = has_failed ? core::kExitEnvironment : merged;
  if (!outcome.has_all) say("next: the same command again, which collects what has ended\n");
  return outcome;
}

}  // namespace scalediag::cli
