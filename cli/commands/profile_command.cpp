// scalediag profile -n LIST ... -- APP ARGS
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/machine_option.h"
#include "cli/network/host_network.h"
#include "cli/terminal_text.h"
#include "collector/launch/host/machine_store.h"
#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/plan/profile_request.h"
#include "collector/launch/session/profile_session.h"
#include "collector/launch/session/profile_summary.h"
#include "collector/launch/store/experiment_store.h"
#include "core/atomic_file.h"
#include "core/experiment/output_file.h"
#include "core/text/shell_words.h"
#include "fit/data/scales_needed.h"

namespace scalediag::cli {
namespace {

constexpr const char* kProfileList =
    R"(LIST is values separated by commas. a..b doubles from a to b (2..16 is 2,4,8,16); a..b:s goes in steps of s
(10..50:20 is 10,30,50). {np} and {NAME} in ARGS are replaced, and every combination runs; {{ is a literal {.
)";
constexpr const char* kProfileFooter = R"(

Examples:
  scalediag profile -n 2,4,8,16 -- ./app input.nml
  scalediag profile -n 2..16 --param grid=64,128 -- ./app --size {grid} --out result.{np}
  scalediag profile -n 4..32 --scaling weak -- ./app --size-per-rank 64
  scalediag profile -n 4..32 --repeat 3 --timeout 600 -o run1 -- ./app < input.dat
  scalediag profile -n 4..32 --launcher 'srun -n {np} --cpu-bind=cores {command}' -- ./app

Run the same command again to go on with what is missing or failed, or with more process counts to extend the
experiment. The application's output goes to stdout and stderr unchanged, and into the run's folder.

Exit status: 0 success; 2 usage or input; 3 environment, or a run whose data are incomplete; 124 a run exceeded
--timeout; 128 + the signal if interrupted; otherwise the exit status of the application's first failing run.)";

// The help with the words after "--", which the option parser does not know.
class ProfileHelp : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: scalediag profile [-n LIST] [OPTIONS] -- APP ARGS\n";
  }
};

void print_summary(const launch::ProfileRequest& request, const launch::ProfilePreparation& preparation,
                   const launch::ProfileSession& session) {
  const auto& runs = session.measured().runs();
  if (runs.empty()) return;
  say("\n" + launch::configuration_table(runs) + "\n" + launch::measurement_line(runs) + "\n");
  for (const std::string& text : launch::collect_warnings(runs)) warn(text);
  if (const std::string few = launch::few_scales_text(runs); !few.empty()) note(few);
  const std::string more_repeats =
      request.repeat ? "leave out --repeat, so that runs are repeated until they are stable"
                     : "allow more repeats with --max-repeat " + std::to_string(2 * request.max_repeat);
  for (size_t i = 0; i < preparation.configurations.size(); ++i) {
    const auto repeats = session.measured().repeats_of(preparation.configurations[i].configuration);
    const core::Stability stability = session.stability_of(i);
    if (repeats.size() < 2 || stability.stable) continue;
    warn(launch::describe_noise({preparation.configurations[i].label, stability, static_cast<int>(repeats.size())},
                                request.target_cv),
         "leave the machine to it, let the application run longer, or " + more_repeats);
  }
}

void print_failures(const launch::SessionOutcome& outcome, const launch::ProfilePreparation& preparation) {
  if (outcome.interrupted_by != 0) {
    warn("interrupted", "run the same command again: it goes on with what is missing");
    return;
  }
  constexpr size_t kShown = 10;
  for (size_t i = 0; i < outcome.failures.size() && i < kShown; ++i) {
    say("failed: " + outcome.failures[i] + "\n");
  }
  if (outcome.failures.empty()) return;
  std::string hint = "see " + preparation.folder + "/runs/" +
                     outcome.failures[0].substr(0, outcome.failures[0].find(':')) +
                     "/stderr.log; the same command again repeats only these runs";
  if (outcome.stopped_early && outcome.exit_status == core::kExitEnvironment) {
    hint = "check that " + preparation.experiment.command[0] +
           " calls MPI_Init, that the launcher passes its command on to the ranks (" + preparation.experiment.launcher +
           "), and that the program is not set-user-ID or started through a wrapper that clears LD_PRELOAD";
  }
  if (outcome.other_build) {
    report({core::ErrorCode::kInput, "runs of two builds do not belong into one experiment", outcome.hint, ""});
    return;
  }
  const std::string n = std::to_string(outcome.failures.size());
  if (!outcome.hint.empty()) hint = outcome.hint;
  report({core::ErrorCode::kInput,
          outcome.stopped_early
              ? "the first run failed, and the others would too"
              : n + (outcome.failures.size() == 1 ? " run" : " runs") + " failed and will not be used",
          hint, ""});
}

// Reports output that was lost; the runs are valid all the same.
int report_lost_output(const launch::SessionOutcome& outcome, const launch::ProfilePreparation& preparation) {
  if (outcome.stdout_error == 0) return core::kExitSuccess;
  core::Error lost = core::write_error("standard output", outcome.stdout_error);
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

core::Status check_folder(const launch::ProfileRequest& request, const launch::ProfilePreparation& preparation) {
  std::vector<std::string> read = preparation.argument_paths;
  read.insert(read.end(), {preparation.stdin_source.file, preparation.experiment.executable});
  if (request.machine != launch::kNoMachine) read.push_back(request.machine);
  return core::check_experiment_folder(preparation.folder, request.fresh, read);
}

int profile(const launch::ProfileRequest& request) {
  if (auto usable = launch::check_machine_file(request.machine); !usable) return report(usable.error());
  const auto preparation = launch::prepare_profile(request);
  if (!preparation) return report(preparation.error());
  if (auto usable = check_folder(request, preparation.value()); !usable) return report(usable.error());
  for (const std::string& text : preparation.value().notes) note(text);
  const core::Experiment& asked = preparation.value().experiment;
  spdlog::debug("{}: {} by {}, launcher {}, library {}", asked.executable, asked.mpi_flavour, asked.mpi_library,
                asked.launcher, preparation.value().installation.library);
  auto store = launch::ExperimentStore::open(preparation.value().folder, preparation.value().experiment, request.fresh);
  if (!store) return report(store.error());

  warn_of_other_host(store.value().experiment().host, preparation.value().experiment.host);

  launch::Progress progress(STDERR_FILENO, isatty(STDERR_FILENO) != 0);
  launch::ProfileSession session(request, preparation.value(), store.value(), progress, notices());
  const auto outcome = session.run();
  if (!outcome) return report(outcome.error());
  if (outcome.value().n_run == 0)
    note("nothing to do: every run is complete already; --repeat or --fresh measure more");
  if (auto known = session.use_machine(); !known) {
    warn("counts are not turned into memory times: " + known.error().message, known.error().hint);
  }
  if (!request.no_network && outcome.value().interrupted_by == 0) keep_host_network(preparation.value(), session);
  print_summary(request, preparation.value(), session);
  print_failures(outcome.value(), preparation.value());
  if (!session.measured().runs().empty()) {
    const std::string folder =
        core::quote_shell_word(request.output.empty() ? preparation.value().folder : request.output);
    say("data: " + preparation.value().folder + "\nnext: scalediag show " + folder + "\n");
  }
  const int passed_on = report_lost_output(outcome.value(), preparation.value());
  return outcome.value().exit_status != core::kExitSuccess ? outcome.value().exit_status : passed_on;
}

}  // namespace

void add_profile_command(CLI::App& app, Invocation& invocation) {
  const auto request = std::make_shared<launch::ProfileRequest>();
  CLI::App* command = app.add_subcommand("profile", "Measure an unmodified MPI program at several process counts");
  command->formatter(std::make_shared<ProfileHelp>());
  command->footer(kProfileList + fit::scales_rule() + kProfileFooter);
  command
      ->add_option("-n,--np", request->np_list,
                   "Numbers of processes (default: four, doubling up to the cores or 16, as in 2,4,8,16)")
      ->type_name("LIST");
  // Values are not split at commas, which belong to the LIST.
  command->add_option("--param", request->parameters, "A parameter and its values; replaces {NAME} in ARGS; repeatable")
      ->type_name("NAME=LIST")
      ->allow_extra_args(false);
  command->add_option("-o,--output", request->output, "Experiment folder (default: APP.scalediag)")->type_name("DIR");
  command->add_option("--repeat", request->repeat, "Exactly R runs a configuration (default: until stable, 2 to M)")
      ->type_name("R");
  const CLI::Option* max_repeat =
      command->add_option("--max-repeat", request->max_repeat, "At most M runs a configuration until it is stable")
          ->type_name("M")
          ->capture_default_str();
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
  command
      ->add_option("--counting-budget", request->counting_budget_s,
                   "Seconds that --counters auto may spend on simulating counts where no unit counts them")
      ->type_name("S")
      ->capture_default_str();
  add_machine_option(*command, request->machine);
  command
      ->add_flag("--no-network", request->no_network,
                 "Do not measure this host's network, which takes some two seconds once for a folder and is for "
                 "commands that need a network and are given none")
      ->envname("SCALEDIAG_NO_NETWORK");
  command->add_option("--launcher", request->launcher, "Command that starts the ranks, with {np} and {command}")
      ->type_name("TEMPLATE");
  command->add_option("--mpi", request->mpi, "The application's MPI, where it cannot be found out: openmpi or mpich")
      ->type_name("NAME");
  command->add_option("--stdin", request->stdin_file, "Standard input of every run (default: ours if that is a file)")
      ->type_name("FILE");
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
  auto* trace =
      command->add_flag("--trace", request->trace, "Also record every communication event, for `scalediag simulate`");
  command
      ->add_option("--count-calls", request->count_calls,
                   "With --trace and simulated counters: count the instructions before the first N calls of a rank")
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str()
      ->needs(trace);
  command->add_flag("--series", request->series, "With --trace: record every computation, not only the means in loops")
      ->needs(trace);
  command->add_flag("--fresh", request->fresh, "Throw away what an earlier profile left in the folder");
  command->callback([request, max_repeat, &invocation] {
    request->command = invocation.application;
    request->max_repeat_given = max_repeat->count() > 0;
    invocation.exit_status = profile(*request);
  });
}

}  // namespace scalediag::cli
