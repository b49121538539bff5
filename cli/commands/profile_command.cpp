// scalediag profile -n LIST ... -- APP ARGS
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/answers/prediction_answer.h"
#include "cli/answers/report_answer.h"
#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/machine_option.h"
#include "cli/network/host_network.h"
#include "cli/number_checks.h"
#include "cli/options/program_options.h"
#include "cli/options/written_files.h"
#include "cli/replays/counts_in_part.h"
#include "cli/replays/lone_replays.h"
#include "cli/standard_output.h"
#include "cli/submission/submitted_profile.h"
#include "cli/terminal_text.h"
#include "collector/launch/host/machine_store.h"
#include "collector/launch/plan/profile_plan.h"
#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/profile_request.h"
#include "collector/launch/session/profile_session.h"
#include "collector/launch/session/profile_summary.h"
#include "collector/launch/store/experiment_store.h"
#include "core/atomic_file.h"
#include "core/debug_log.h"
#include "core/experiment/output_file.h"
#include "core/most_ranks.h"
#include "core/profile/sampling_gaps.h"
#include "core/text/function_name.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "fit/data/measurement_set.h"
#include "fit/data/scales_needed.h"

namespace scalediag::cli {
namespace {

constexpr const char* kProfileList =
    R"(LIST is values separated by commas. a..b doubles from a to b (2..16 is 2,4,8,16); a..b:s goes in steps of s
(10..50:20 is 10,30,50). {np} and {NAME} in ARGS are replaced, and every combination runs; {{ is a literal {. TABLE is
NP:WORDS, separated by commas or line breaks; WORDS are split as a shell does.
)";
constexpr const char* kProfileFooter = R"(

Examples:
  scalediag profile -n 2,4,8,16 -- ./app input.nml
  scalediag profile -n 2,4,8,16 --at np=64,256 --network network.json --report app.html -- ./app input.nml
  scalediag profile -n 2..16 --param grid=64,128 -- ./app --size {grid} --out result.{np}
  scalediag profile -n 2,4,8 --words grid='2:2 1 1,4:2 2 1,8:2 2 2' -- ./app -grid {grid}
  scalediag profile -n 4..32 --scaling weak -- ./app --size-per-rank 64
  scalediag profile -n 4..32 --repeat 3 --timeout 600 -o run1 -- ./app < input.dat
  scalediag profile -n 4..32 --launcher 'srun -n {np} --cpu-bind=cores {command}' -- ./app

Run the same command again to go on with what is missing or failed, or with more process counts to extend the
experiment. With --at it ends with the prediction that `scalediag predict` prints, also where all runs exist. The
application's output goes into the run's folder (runs/*/stdout.log); --show-output also passes it on unchanged.

Exit status: 0 success; 2 usage or input; 3 environment, or a run whose data are incomplete; 124 a run exceeded
--timeout; 128 + the signal if interrupted; otherwise the exit status of the application's first failing run.)";

// Says of which share of the time too few samples are known, and what brings more.
void note_sampling_gaps(const launch::ProfileRequest& request, const launch::ProfileSession& session) {
  const std::vector<core::SamplingGap> gaps = core::sampling_gaps(session.measured().runs());
  const auto worst = std::ranges::max_element(gaps, {}, &core::SamplingGap::share);
  if (worst == gaps.end() || worst->share <= 0) return;
  const double needed_s = session.seconds_for_samples(gaps);
  std::string remedy = "let the application run longer";
  if (request.repeat) {
    remedy = "leave out --repeat, so that runs are repeated for them";
  } else if (needed_s > 0) {
    remedy = "the same command with --budget " + core::fixed(std::ceil(needed_s), 0) + "s repeats the runs for them";
  }
  const size_t more = worst->functions.size() - 1;
  const std::string others = more == 0 ? "" : " and " + std::to_string(more) + " more";
  note("too few samples: functions with " + core::spaced_percent(worst->share) + " of the time at " +
       launch::label_of({worst->np, worst->parameters}) + " (" + core::plain_function(worst->functions.front()) +
       others + ") cannot be followed; " + remedy);
}

void print_summary(const launch::ProfileRequest& request, const launch::ProfilePreparation& preparation,
                   const launch::ProfileSession& session) {
  const auto& runs = session.measured().runs();
  if (runs.empty()) return;
  say("\n" + launch::configuration_table(runs) + "\n" + launch::measurement_line(runs) + "\n");
  for (const std::string& text : launch::collect_warnings(runs)) warn(text);
  note_sampling_gaps(request, session);
  if (const std::string few = launch::few_scales_text(runs); !few.empty()) note(few);
  for (size_t i = 0; i < preparation.configurations.size(); ++i) {
    const auto repeats = session.measured().repeats_of(preparation.configurations[i].configuration);
    const core::Stability stability = session.stability_of(i);
    if (repeats.size() < 2 || stability.stable) continue;
    const std::string more_repeats =
        request.repeat ? "leave out --repeat, so that runs are repeated until they are stable"
        : static_cast<int>(repeats.size()) < request.max_repeat
            ? "allow more time for repeats with --budget"
            : "allow more repeats with --max-repeat " + std::to_string(2 * request.max_repeat);
    warn(launch::describe_noise({preparation.configurations[i].label, stability, static_cast<int>(repeats.size())},
                                request.target_cv),
         "leave the machine to it, let the application run longer, or " + more_repeats);
  }
}

// Says which configurations have no trace, and why.
void note_untraced(const launch::ProfilePreparation& preparation, const launch::ProfileSession& session) {
  std::string labels, reason;
  for (size_t i = 0; i < preparation.configurations.size(); ++i) {
    const std::string why = session.why_untraced(i);
    if (why.empty()) continue;
    if (reason.empty()) reason = why;
    labels += (labels.empty() ? "" : ", ") + preparation.configurations[i].label;
  }
  if (reason.empty()) return;
  note("no traces of " + labels + ": " + reason +
       "; --trace, into another folder (-o), records them whatever it costs, and --no-trace asks for none");
}

void print_failures(const launch::ProfileRequest& request, const launch::SessionOutcome& outcome,
                    const launch::ProfilePreparation& preparation) {
  if (outcome.interrupted_by != 0) {
    warn("interrupted", "run the same command again: it goes on with what is missing");
    return;
  }
  constexpr size_t kShown = 10;
  for (size_t i = 0; i < outcome.failures.size() && i < kShown; ++i) say("failed: " + outcome.failures[i] + "\n");
  if (outcome.failures.empty()) return;
  const std::string first_failed =
      preparation.folder + "/runs/" + outcome.failures[0].substr(0, outcome.failures[0].find(':'));
  if (!request.passes_output_on) say(launch::last_output(first_failed));
  std::string hint = "see " + first_failed + "/stderr.log; the same command again repeats only these runs";
  if (outcome.stopped_early && outcome.exit_status == core::kExitEnvironment) {
    hint = "check that " + preparation.experiment.command[0] +
           " calls MPI_Init, that the launcher passes its command on to the ranks (" + preparation.experiment.launcher +
           "), and that the program is not set-user-ID or started through a wrapper that clears LD_PRELOAD";
  }
  if (outcome.other_build) {
    report({ErrorCode::kInput, "runs of two builds do not belong into one experiment", outcome.hint});
    return;
  }
  const std::string n = std::to_string(outcome.failures.size());
  if (!outcome.hint.empty()) hint = outcome.hint;
  report({ErrorCode::kInput,
          outcome.stopped_early ? "the first run failed, and the others would too"
          : !outcome.stopped_at.empty()
              ? outcome.stopped_at + " failed: nothing was run after it"
              : n + (outcome.failures.size() == 1 ? " run" : " runs") + " failed and will not be used",
          hint});
}

// Reports output that was lost; the runs are valid all the same.
int report_lost_output(const launch::SessionOutcome& outcome, const launch::ProfilePreparation& preparation) {
  if (outcome.stdout_error == 0) return core::kExitSuccess;
  Error lost = core::write_error("standard output", outcome.stdout_error);
  lost.hint = "all that the application printed is in " + preparation.folder + "/runs/*/stdout.log";
  return report(lost);
}

// Times of two machines do not belong into one model, but only the user knows whether they are alike.
void warn_of_other_host(const core::Host& before, const core::Host& now) {
  if (before.cpu == now.cpu && before.cores == now.cores) return;
  warn("earlier runs were measured on " + before.name + " (" + before.cpu + ", " + std::to_string(before.cores) +
           " cores), this is " + now.name + " (" + now.cpu + ", " + std::to_string(now.cores) + " cores)",
       "if the machines differ, begin again with --fresh or use another folder");
}

struct ProfileOptions {
  launch::ProfileRequest request;
  SubmitOptions submit;
  PredictionRequest answer;  // with which it ends; without targets: with none
  std::string report;        // the answer's page; empty: none
};

Status check_folder(const ProfileOptions& options, const launch::ProfilePreparation& preparation) {
  const launch::ProfileRequest& request = options.request;
  std::vector<std::string> read = preparation.argument_paths;
  read.insert(read.end(), {preparation.stdin_source.file, preparation.experiment.executable, options.answer.network});
  if (request.machine != launch::kNoMachine) read.push_back(request.machine);
  if (!options.report.empty()) {
    TRY(core::check_output_files({options.report}, read));
    std::error_code failed;
    const auto page = std::filesystem::weakly_canonical(std::filesystem::absolute(options.report, failed), failed);
    if (page == std::filesystem::weakly_canonical(preparation.folder, failed)) {
      return Error{ErrorCode::kUsage, "--report " + options.report + " is the experiment's folder",
                   "name an HTML file"};
    }
  }
  return core::check_experiment_folder(preparation.folder, request.fresh, read);
}

// The configurations that the folder will have.
MeasuredParameters planned_parameters(const launch::ProfileRequest& request,
                                      const launch::ProfilePreparation& preparation) {
  const std::vector<std::string>& others = preparation.experiment.parameter_names;
  std::vector<std::set<double>> values(1 + others.size());
  const auto add = [&](const core::Configuration& configuration) {
    values[0].insert(configuration.np);
    for (size_t p = 0; p < others.size(); ++p) {
      const auto value = configuration.parameters.find(others[p]);
      if (value != configuration.parameters.end()) values[p + 1].insert(value->second);
    }
  };
  for (const launch::PlannedConfiguration& plan : preparation.configurations) add(plan.configuration);
  if (const auto held = core::ExperimentFolder(preparation.folder).load(); held && !request.fresh) {
    for (const core::RunEntry& run : held.value().runs) {
      if (run.state == core::RunState::kComplete) add(run.configuration);
    }
  }
  MeasuredParameters planned;
  planned.names = {"np"};
  planned.names.insert(planned.names.end(), others.begin(), others.end());
  for (const auto& some : values) planned.values.emplace_back(some.begin(), some.end());
  planned.whole_processes = true;
  return planned;
}

// Checks the question before runs that may take hours.
Status check_answer(const ProfileOptions& options, const launch::ProfilePreparation& preparation) {
  if (options.answer.at.empty()) return Done{};
  const MeasuredParameters planned = planned_parameters(options.request, preparation);
  const std::vector<double>& scales = planned.values.front();
  if (scales.size() < fit::kScalesForTrend && planned.names.size() == 1) {
    return Error{ErrorCode::kUsage,
                 "--at: runs of " + core::to_text(scales.front()) + " processes alone predict nothing",
                 fit::scales_rule() + " Give them with -n 2,4,8,16"};
  }
  return check_request(options.answer, planned);
}

// Prints the prediction and writes its page. Returns the exit status.
int print_answer(const ProfileOptions& options, const launch::SessionOutcome& outcome) {
  if (options.answer.at.empty()) return core::kExitSuccess;
  if (outcome.interrupted_by != 0) return core::kExitSuccess;  // the runs' own exit status says so
  const bool have_runs_failed = outcome.exit_status != core::kExitSuccess;
  const auto refused = [have_runs_failed](const Error& error) {
    if (!have_runs_failed) return report(error);
    warn("there is no prediction: " + error.message, error.hint);
    return core::kExitSuccess;
  };
  // The page has findings that predict leaves out, and other sentences with them: each is asked for by itself.
  PredictOptions predict;
  predict.prediction = options.answer;
  const Result<std::string> text = prediction_text(predict);
  if (!text) return refused(text.error());
  const int printed = print(text.value());
  if (printed != core::kExitSuccess || options.report.empty()) return printed;
  ReportOptions page;
  page.prediction = options.answer;
  page.html = options.report;
  auto findings = reported_findings(page);
  if (!findings) return refused(findings.error());
  const auto verdict = write_report(page, std::move(findings).value());
  return verdict ? core::kExitSuccess : refused(verdict.error());
}

// Makes the runs that are missing, and prints how they went. The experiment is closed when it returns.
Result<launch::SessionOutcome> measure(const launch::ProfileRequest& request,
                                       const launch::ProfilePreparation& preparation) {
  auto store = TRY(launch::ExperimentStore::open(preparation.folder, preparation.experiment, request.fresh));
  warn_of_other_host(store.experiment().host, preparation.experiment.host);

  launch::Progress progress(STDERR_FILENO, isatty(STDERR_FILENO) != 0);
  launch::ProfileSession session(request, preparation, store, progress, notices());
  if (request.count_in_part) session.count_in_part(part_counting(request, store));
  auto outcome = TRY(session.run());
  if (outcome.n_run == 0) note("nothing to do: every run is complete already; --repeat or --fresh measure more");
  if (auto known = session.use_machine(outcome.n_run > 0); !known) {
    warn("counts are not turned into memory times: " + known.error().message, known.error().hint);
  }
  if (!request.no_network && outcome.interrupted_by == 0) {
    keep_host_network(preparation, session, store, outcome.n_run > 0);
  }
  if (!request.no_replays && outcome.interrupted_by == 0 && outcome.failures.empty()) {
    keep_lone_replays(request, session, store, outcome.n_run > 0);
  }
  print_summary(request, preparation, session);
  print_failures(request, outcome, preparation);
  if (outcome.n_run > 0 && outcome.interrupted_by == 0) note_untraced(preparation, session);
  if (!session.measured().runs().empty()) {
    const std::string folder = core::quote_shell_word(request.output.empty() ? preparation.folder : request.output);
    say("data: " + preparation.folder + "\nnext: scalediag show " + folder + "\n");
  }
  return outcome;
}

// Submits and collects jobs, and answers where all are collected.
Result<int> submit(ProfileOptions& options, const std::vector<std::string>& words) {
  const launch::ProfileRequest& request = options.request;
  const auto plan = TRY(launch::plan_profile(request));
  TRY(check_folder(options, plan));
  TRY(check_answer(options, plan));
  const auto outcome = TRY(advance_submission(request, plan, options.submit, words));
  if (!outcome.has_all || outcome.exit_status != core::kExitSuccess) return outcome.exit_status;
  options.answer.input = request.output.empty() ? plan.folder : request.output;
  return print_answer(options, {});
}

Result<int> profile(ProfileOptions options, const std::vector<std::string>& words) {
  const auto is_job = TRY(become_submitted_job(options.request));
  if (is_job) {
    options.answer = {};
    options.report.clear();
  } else if (options.submit.options) {
    return submit(options, words);
  }
  const launch::ProfileRequest& request = options.request;
  TRY(launch::check_machine_file(request.machine));
  const launch::ProfilePreparation preparation = TRY(launch::prepare_profile(request));
  TRY(check_folder(options, preparation));
  TRY(check_answer(options, preparation));
  for (const std::string& text : preparation.notes) note(text);
  const core::Experiment& asked = preparation.experiment;
  core::log_debug(asked.executable + ": " + asked.mpi_flavour + " by " + asked.mpi_library + ", launcher " +
                  asked.launcher + ", library " + preparation.installation.library);
  const auto outcome = TRY(measure(request, preparation));
  options.answer.input = request.output.empty() ? preparation.folder : request.output;
  const int answered = print_answer(options, outcome);
  const int passed_on = report_lost_output(outcome, preparation);
  if (outcome.exit_status != core::kExitSuccess) return outcome.exit_status;
  return passed_on != core::kExitSuccess ? passed_on : answered;
}

}  // namespace

void add_profile_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ProfileOptions>();
  launch::ProfileRequest* request = &options->request;
  request->no_trace = false;
  request->passes_output_on = false;
  CLI::App* command = app.add_subcommand("profile", "Measure an unmodified MPI program at several process counts");
  set_usage(*command, "profile [-n LIST] [OPTIONS]");
  command->footer(kProfileList + fit::scales_rule() + kProfileFooter);
  command
      ->add_option("-n,--np", request->np_list,
                   "Numbers of processes (default: four, doubling up to the cores or 16, as in 2,4,8,16)")
      ->type_name("LIST");
  command->add_option("-o,--output", request->output, "Experiment folder (default: APP.scalediag)")->type_name("DIR");
  command->add_option("--repeat", request->repeat, "Exactly R runs a configuration (default: until stable, 2 to M)")
      ->type_name("R");
  const CLI::Option* max_repeat =
      command->add_option("--max-repeat", request->max_repeat, "At most M runs a configuration until it is stable")
          ->type_name("M")
          ->capture_default_str();
  command
      ->add_option("--budget", request->budget_s,
                   "Repeat runs only within this time in all, such as 90s or 10min (default: three times that of one "
                   "run of each configuration, at least 30s)")
      ->type_name("TIME")
      ->transform(time_as_seconds());
  command->add_flag("--show-output", request->passes_output_on, "Show the application's output while it runs");
  command
      ->add_option("--target-cv", request->target_cv,
                   "Stable means that the repeats' coefficient of variation is below X")
      ->type_name("X")
      ->capture_default_str();
  command->add_option("--rate", request->rate_hz, "Samples a second of CPU time and thread")
      ->type_name("HZ")
      ->capture_default_str();
  command->add_option("--sampler", request->sampler, "How samples are taken")
      ->check(CLI::IsMember({"auto", "cpus", "perf", "timer", "none"}))
      ->capture_default_str();
  command->add_option("--clock", request->clock, "What a second is; auto takes CPU time where ranks share cores")
      ->check(CLI::IsMember({"auto", "cpu", "wall"}))
      ->capture_default_str();
  command
      ->add_option("--scaling", request->scaling,
                   "How the problem grows with the processes: not at all (strong), with them (weak), or auto")
      ->check(CLI::IsMember({"auto", "strong", "weak"}));
  command->add_option("--counters", request->counters, "Where counts of instructions and cache hits come from")
      ->check(CLI::IsMember({"auto", "papi", "simulated", "none"}))
      ->capture_default_str();
  command->add_option("--events", request->events, "Events that PAPI counts (default: the best of this processor)")
      ->type_name("LIST");
  command->add_flag("--events-precise", request->events_precise,
                    "Charge each event of PAPI by its own overflows, not by those of cycles");
  command
      ->add_option("--simulate-ranks", request->simulate_ranks,
                   "Ranks that are simulated, or all (default: a few that differ in communication)")
      ->type_name("LIST");
  command->add_flag("--count-in-part", request->count_in_part,
                    "Simulate counts of a few rounds of the main loop only, on ranks that are replayed, within 1.5 "
                    "times the time of the runs (implies --counters simulated)");
  command
      ->add_option("--counting-budget", request->counting_budget_s,
                   "Seconds that --counters auto may spend on simulating counts where no unit counts them (default: "
                   "what the runs leave of --budget, at most 120), or --count-in-part")
      ->type_name("S");
  add_machine_option(*command, request->machine);
  command
      ->add_flag(
          "--no-replays", request->no_replays,
          "Where ranks share cores, do not run a few of them again with a core each, to see how long they compute then")
      ->envname("SCALEDIAG_NO_REPLAYS");
  command
      ->add_flag("--no-network", request->no_network,
                 "Do not measure this host's network, which takes some two seconds once for a folder and is for "
                 "commands that need a network and are given none")
      ->envname("SCALEDIAG_NO_NETWORK");
  add_program_options(*command, *request, true);
  add_submit_options(*command, options->submit);
  command->add_option("--timeout", request->timeout_s, "End a run after S seconds")->type_name("S");
  command->add_option("--accept-status", request->accept_status, "Exit statuses that count as success besides 0")
      ->type_name("LIST");
  command->add_flag("--inline", request->resolve_inlined, "Show inlined functions by themselves");
  auto* call_paths = command->add_flag("--call-paths", request->call_paths,
                                       "Also record the call stack of each sample, for `scalediag show --call-paths`");
  command
      ->add_option("--stack-bytes", request->stack_bytes, "With --call-paths: copy at most N bytes of a sample's stack")
      ->type_name("N")
      ->check(CLI::Range(1024, 1 << 20))
      ->capture_default_str()
      ->needs(call_paths);
  command
      ->add_option("--rank-files", request->rank_files,
                   "In runs with more than N ranks, those of a node share one raw file")
      ->type_name("N")
      ->check(CLI::Range(0, core::kMostRanks))
      ->capture_default_str();
  command
      ->add_option("--scratch", request->scratch,
                   "Have ranks write to DIR on their node while they run, and to the experiment at their end; auto: "
                   "SLURM_TMPDIR, TMPDIR or /tmp")
      ->type_name("DIR");
  command
      ->add_option(
          "--gpu", request->gpu,
          "What is seen of GPUs: host, the calls of their libraries and the waiting in them; activity, also the "
          "device's time for each kernel and copy; none. auto is host")
      ->type_name("KIND")
      ->capture_default_str();
  auto* trace =
      command->add_flag("--trace", request->trace,
                        "Record every communication event in all runs, whatever that costs (default: in runs that are "
                        "slowed down by at most 1 %, up to 50 MB)");
  command->add_flag("--no-trace", request->no_trace, "Record no communication events")->envname("SCALEDIAG_NO_TRACE");
  command
      ->add_option("--count-calls", request->count_calls,
                   "With --trace and simulated counters: count the instructions before the first N calls of a rank")
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str()
      ->needs(trace);
  command->add_flag("--series", request->series, "With --trace: record every computation, not only the means in loops")
      ->needs(trace);
  CLI::Option* at = add_targets_option(*command, options->answer.at);
  at->description("When the runs are made, print what `scalediag predict` says of these scales; " +
                  at->get_description());
  add_size_option(*command, options->answer)->needs(at);
  add_network_option(*command, options->answer)->needs(at);
  writes_file(command->add_option("--report", options->report, "With --at: also write the page of `scalediag report`")
                  ->type_name("FILE")
                  ->needs(at));
  command->add_flag("--fresh", request->fresh, "Throw away what an earlier profile left in the folder");
  command->callback([options, request, max_repeat, &invocation] {
    request->command = invocation.application;
    request->max_repeat_given = max_repeat->count() > 0;
    if (request->trace) request->no_trace = false;  // which the environment may ask for
    if (request->count_in_part && request->counters == "auto") request->counters = "simulated";
    invocation.exit_status = profile(*options, invocation.words);
  });
}

}  // namespace scalediag::cli
