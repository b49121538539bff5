// scalediag synth TRACES --network NET: executes the communication of many ranks with few processes
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/scaling_input.h"
#include "cli/inputs/trace_input.h"
#include "cli/network/host_network.h"
#include "cli/number_checks.h"
#include "cli/options/network_option.h"
#include "cli/standard_output.h"
#include "cli/terminal_text.h"
#include "collector/launch/host/built_program.h"
#include "collector/launch/host/host_facts.h"
#include "collector/launch/session/progress.h"
#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/scratch_folder.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "loggp/network/network_json.h"
#include "loggp/network/parameter_fit.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/representatives/communication_groups.h"
#include "predict/evidence/executed_messages.h"
#include "report/render/text/synth_text.h"

namespace scalediag::cli {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr const char* kSynthFooter =
    R"(TRACES is a folder that `scalediag scale` wrote, or an experiment folder with traces; with --np numbers of ranks
that were not run, whose traces are made as `scale` makes them. In an experiment folder the results are kept, and taken
by predict, report and advise on the same network.

A phase's messages are sent by real MPI processes, of which half act for ranks of the program and are measured; the other
half are black holes, each of which stands for all others that one measured rank talks to, and answers when a simulation
on the network NET says. Computation is sleep. Nothing else should run meanwhile.

Examples:
  scalediag scale app.scalediag --np 64 -o app.np64
  scalediag synth app.np64 --network network.json
  scalediag synth app.np64 --network cluster.json --processes 96 --launcher 'srun -N 4 -n {np} {command}'
  scalediag synth app.scalediag --np 64,256,1024 --network cluster.json --launcher 'mpirun --host a,b,c,d -n {np} {command}')";

struct SynthOptions {
  std::string input;
  std::string network;
  std::vector<int> np;
  std::string run;
  int processes = 4;
  int warm_up = 1;
  bool alike = false;
  bool spin = false;
  std::string launcher;
  std::string mpi;
  std::string program;
  bool json = false;
};

// `np`: 0 where it was not asked for.
Result<std::vector<loggp::RankTrace>> read_run(const SynthOptions& options, int np) {
  if (np == 0 || !options.run.empty() || !has_only_other_scales(options.input, np)) {
    const auto folder = find_trace_folder(options.input, np, options.run);
    if (!folder) return folder.error();
    return loggp::read_traces(folder.value());
  }
  const auto scaled = read_scaled_traces(options.input, {}, np);
  if (!scaled) return scaled.error();
  if (const auto error = unmatched_error(scaled.value(), options.input)) return *error;
  std::vector<loggp::RankTrace> run;
  for (int rank = 0; rank < np; ++rank) run.push_back(scaled.value().rank(rank));
  return run;
}

// By rank; ranks with the same number communicate alike.
Result<std::vector<int>> groups_of(const std::vector<loggp::RankTrace>& run, bool alike) {
  std::vector<int> group(run.size());
  std::iota(group.begin(), group.end(), 0);
  if (!alike) return group;
  const auto model = loggp::model_of_run(run);
  if (!model) return model.error();
  int number = 0;
  for (const std::vector<int>& ranks : loggp::communication_groups(model.value())) {
    for (const int rank : ranks) group[static_cast<size_t>(rank)] = number;
    ++number;
  }
  return group;
}

// What is executed, and the outcome as far as it is known beforehand.
struct Prepared {
  loggp::SignaturePhases phases;
  std::vector<loggp::SignatureRun> runs;
  double seconds = 0;  // that executing it takes, about
  report::SynthOutcome outcome;
};

double seconds_of(const Prepared& prepared, const loggp::Network& network, int processes) {
  const loggp::LinkClass& link = network.other_node.segments.empty() ? network.same_node : network.other_node;
  const double round_trip_s = 2 * loggp::one_way_s(link, 8);
  const double agreeing_s = 1.5 * round_trip_s + 0.004;
  double seconds = processes * 11 * round_trip_s;  // comparing clocks
  for (const loggp::SignatureRun& run : prepared.runs) {
    const loggp::PhaseWindow& window = prepared.phases.stepped.windows[run.window];
    double longest_s = 0;
    for (const loggp::MeasuredRank& rank : run.ranks) {
      const auto r = static_cast<size_t>(rank.rank);
      const double end_s = prepared.phases.simulated.begin_s[r][window.end[r]];
      longest_s = std::max(longest_s, end_s - run.base_s);
    }
    seconds += (longest_s + agreeing_s) * window.executions();
  }
  return seconds;
}

Result<Prepared> prepare(const SynthOptions& options, int np, const loggp::Network& network) {
  const auto run = read_run(options, np);
  if (!run) return run.error();
  const auto ranks = static_cast<int>(run.value().size());
  if (options.processes < std::min(4, ranks)) {
    return Error{ErrorCode::kUsage,
                 "--processes must be at least 4, or one for each of " + std::to_string(ranks) + " ranks",
                 "two ranks are measured, and each has a black hole: --processes 4", "--processes"};
  }
  auto phases = loggp::signature_phases(run.value(), network, options.warm_up);
  if (!phases) return phases.error();
  Prepared prepared;
  prepared.phases = std::move(phases.value());
  const auto group = groups_of(run.value(), options.alike);
  if (!group) return group.error();
  const loggp::SignaturePlanner planner(prepared.phases.stepped, prepared.phases.simulated);
  report::SynthOutcome& outcome = prepared.outcome;
  outcome.ranks = ranks;
  outcome.processes = std::min(options.processes, ranks);
  outcome.whole_s = prepared.phases.whole_s;
  outcome.connections_s = prepared.phases.connections_s;
  outcome.computation_s = loggp::mean_computation_s(run.value());
  if (options.alike) outcome.groups = std::set<int>(group.value().begin(), group.value().end()).size();
  const auto lists = planner.measured_together(group.value(), {outcome.processes, network.placement});
  outcome.ranges = lists.size();
  for (const std::vector<int>& list : lists) {
    outcome.measured_at_once = std::max(outcome.measured_at_once, static_cast<int>(list.size()));
    for (size_t w = 0; w < prepared.phases.stepped.windows.size(); ++w) {
      prepared.runs.push_back(planner.run(w, list));
      const auto& planned = prepared.runs.back().ranks;
      outcome.black_holes = std::max(outcome.black_holes,
                                     static_cast<int>(std::count_if(planned.begin(), planned.end(),
                                                                    [](const auto& rank) { return rank.hole >= 0; })));
    }
  }
  prepared.seconds = seconds_of(prepared, network, outcome.processes);
  return prepared;
}

Result<std::string> execute(const Prepared& prepared, const launch::BuiltProgram& program,
                            const SynthOptions& options) {
  const core::ScratchFolder scratch("synth");
  if (scratch.path().empty()) {
    return Error{ErrorCode::kEnvironment, "cannot make a temporary folder", "set TMPDIR", "TMPDIR"};
  }
  const std::string plan = scratch.file("plan");
  const int processes = prepared.outcome.processes;
  if (auto written = core::write_file_atomically(
          plan, loggp::plan_text(prepared.runs, prepared.phases.stepped.windows, processes));
      !written) {
    return written.error();
  }
  say("measuring " + core::counted(prepared.outcome.ranks, "rank") + ": " +
      std::to_string(prepared.phases.stepped.windows.size()) + " phases with " +
      std::to_string(prepared.outcome.ranges) + " sets of ranks, about " + launch::format_duration(prepared.seconds) +
      " and " + core::four_digits(report::core_hours(processes, prepared.seconds)) + " core-hours; a run has " +
      core::four_digits(report::core_hours(prepared.outcome.ranks, prepared.outcome.simulated_s())) + "\n");
  launch::BuiltProgramRun run;
  run.processes = processes;
  run.arguments = {plan, options.spin ? "spin" : "sleep"};
  run.timeout_s = 10 * prepared.seconds + 120;
  launch::Progress line(STDERR_FILENO, isatty(STDERR_FILENO) != 0);
  line.begin_run("measuring", prepared.seconds, prepared.seconds);
  run.on_progress = [&](double elapsed_s, const auto&) { line.tick(elapsed_s); };
  auto text = launch::run_built_program(program, run);
  line.make_way();
  return text;
}

// The reason why the measurement's own figures say that it was disturbed, with its remedy; empty: they do not. A
// sentence without a full stop.
std::pair<std::string, std::string> disturbance(const report::SynthOutcome& outcome, bool is_on_this_host) {
  constexpr double kMuchLater = 0.1;
  const int cores = launch::read_host().cores;
  if (is_on_this_host && outcome.processes > cores) {
    return {std::to_string(outcome.processes) + " processes shared " + std::to_string(cores) +
                (cores == 1 ? " core" : " cores") +
                " of this host: messages waited for a process to get a core, which is in the prediction",
            "give each process a core, on the nodes of the network: --launcher"};
  }
  const auto& phases = outcome.result.phases;
  const auto largest = std::max_element(phases.begin(), phases.end(), [](const auto& a, const auto& b) {
    return a.weight * a.time_s < b.weight * b.time_s;
  });
  if (largest == phases.end() || outcome.black_holes == 0) return {};
  const double late_s = outcome.result.late_s, most_late_s = outcome.result.most_late_s;
  if (late_s <= kMuchLater * largest->time_s && most_late_s <= largest->time_s) return {};
  const core::TimeFormat time(most_late_s);
  return {"black holes sent up to " + time(most_late_s) + " " + time.unit() + " late, " + time(late_s) + " " +
              time.unit() + " in the mean, where a round of the phase with most of the time takes " +
              time(largest->time_s) + " " + time.unit() + ": what they delayed is in the prediction",
          "measure again while nothing else runs; --spin where messages take microseconds and processes have cores"};
}

Result<report::SynthOutcome> measure(const SynthOptions& options, int np, const loggp::Network& network,
                                     const launch::BuiltProgram& program) {
  auto prepared = prepare(options, np, network);
  if (!prepared) {
    Error error = prepared.error();
    if (error.where.empty()) error.message = options.input + ": " + error.message;
    return error;
  }
  const auto text = execute(prepared.value(), program, options);
  if (!text) return text.error();
  const auto measured = loggp::parse_signature(text.value());
  if (!measured) return measured.error();
  report::SynthOutcome outcome = std::move(prepared.value().outcome);
  auto result = loggp::signature_result(prepared.value().phases.stepped, prepared.value().phases.simulated,
                                        prepared.value().runs, measured.value());
  if (!result) return result.error();
  outcome.result = std::move(result.value());
  outcome.took_s = measured.value().took_s;
  const auto [reason, remedy] = disturbance(outcome, options.launcher.empty());
  if (!reason.empty()) warn(reason, remedy);
  outcome.disturbed = reason;
  return outcome;
}

// Keeps the result in the experiment folder, where `options.input` is one. Error (kEnvironment): it cannot be written.
core::Status keep(const SynthOptions& options, const loggp::Network& network, const report::SynthOutcome& outcome) {
  if (!core::ExperimentFolder(options.input).load()) return core::Done{};
  const auto fingerprint = loggp::fingerprint_of(network);
  if (!fingerprint) return fingerprint.error();
  predict::ExecutedMessages executed;
  executed.ranks = outcome.ranks;
  executed.processes = outcome.processes;
  executed.total_s = outcome.total_s();
  executed.simulated_s = outcome.result.simulated_s + outcome.connections_s;
  executed.computation_s = outcome.computation_s;
  executed.core_hours = report::core_hours(outcome.processes, outcome.took_s);
  executed.network = fingerprint.value();
  executed.network_name = network.name;
  executed.disturbed = outcome.disturbed;
  return predict::write_executed(options.input, executed);
}

int synth(const SynthOptions& options) {
  const auto network = asked_or_host_network(options.network, options.input);
  if (!network) return report(network.error());
  const auto program =
      launch::find_built_program({"synthetic_signature", "--program"}, options.launcher, options.mpi, options.program);
  if (!program) return report(program.error());
  std::vector<report::SynthOutcome> outcomes;
  for (const int np : options.np.empty() ? std::vector{0} : options.np) {
    auto outcome = measure(options, np, network.value(), program.value());
    if (!outcome) return report(outcome.error());
    if (const auto kept = keep(options, network.value(), outcome.value()); !kept) return report(kept.error());
    outcomes.push_back(std::move(outcome.value()));
  }
  if (!options.json) return print(report::synth_text(outcomes, {terminal_width(), use_color()}));
  return print_json(report::synth_json(outcomes), 2);
}

}  // namespace

void add_synth_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<SynthOptions>();
  CLI::App* command = app.add_subcommand("synth", "Execute a scaled trace's communication with few processes");
  command->footer(kSynthFooter);
  command->add_option("TRACES", options->input, "What the ranks do")->required();
  add_network_option(*command, "--network", options->network, kNetworkOfInput);
  command->add_option("--np", options->np, "Numbers of ranks: those of TRACES' runs, or larger ones")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(number_of_ranks());
  command->add_option("--run", options->run, "Which of TRACES' runs, as np0004.r0")->type_name("ID");
  command->add_option("--processes", options->processes, "Processes to start: half are measured, half are black holes")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  command->add_option("--launcher", options->launcher, "How processes are started, with {np} and {command}")
      ->type_name("T");
  command->add_option("--mpi", options->mpi, "openmpi or mpich; told from the launcher where it says so")
      ->type_name("MPI");
  command->add_option("--program", options->program, "The synthetic signature, where it was built by hand")
      ->type_name("FILE");
  command->add_option("--warm-up", options->warm_up, "Rounds of a phase before the one that is measured")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--alike", options->alike, "Measure messages once among ranks that communicate alike");
  command->add_flag(
      "--spin", options->spin,
      "Computation is a loop instead of sleep, where messages take microseconds and processes have cores");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = synth(*options); });
}

}  // namespace scalediag::cli
