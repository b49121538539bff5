// scalediag simulate INPUT --network NET
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cli/answers/prediction_note.h"
#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/few_doubts.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/representatives_input.h"
#include "cli/inputs/simulate_input.h"
#include "cli/inputs/target_processor.h"
#include "cli/inputs/trace_input.h"
#include "cli/network/host_network.h"
#include "cli/number_checks.h"
#include "cli/options/network_option.h"
#include "cli/options/written_files.h"
#include "cli/simulation_outcome.h"
#include "cli/standard_output.h"
#include "core/experiment/experiment.h"
#include "core/experiment/output_file.h"
#include "core/profile/profile.h"
#include "core/profile/profile_json.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "fit/application/application.h"
#include "loggp/analysis/analysis.h"
#include "predict/sources/simulated_communication.h"
#include "report/render/text/simulate_text.h"

namespace scalediag::cli {
namespace {

// The part of a recorded run that a simulation cannot know: its trace holds communication and CPU time, but not the
// time that the ranks spent on no CPU outside of MPI.
struct LeftOut {
  double seconds = 0;         // a rank, mean: from MPI_Init to MPI_Finalize, neither in MPI nor on a CPU
  double recorded_s = 0;      // of the rank that took longest
  bool shared_cores = false;  // ranks shared cores, so that it may be waiting for one
};

// The share from which on it is reported.
constexpr double kTellingShare = 0.2;

namespace fs = std::filesystem;

// The part that is missing if `input` is simulated, by the profile.json beside `run_folder`'s experiment, which has the
// time in MPI. `computed_s`: a rank's recorded computation, mean. Empty without the profile, or for inputs that were
// not recorded.
std::optional<LeftOut> left_out_of(const std::string& run_folder, const loggp::SimulationInput& input,
                                   double computed_s) {
  const auto* trace = std::get_if<loggp::TraceProgram>(&input);
  if (trace == nullptr || !(trace->recorded_s() > 0)) return std::nullopt;
  // DIR/runs/RUN
  const fs::path run = fs::absolute(run_folder).lexically_normal();
  const core::ExperimentFolder folder(run.parent_path().parent_path().string());
  const Result<core::Profile> profile = core::read_profile(folder.profile_file());
  if (!profile) return std::nullopt;
  const auto& runs = profile.value().runs;
  const auto found = std::ranges::find_if(runs, [&run](const core::Run& r) { return r.id == run.filename().string(); });
  if (found == runs.end() || !found->complete) return std::nullopt;

  double in_mpi_s = 0;
  for (const core::MpiOperation& operation : found->operations) in_mpi_s += operation.wall_s.mean;
  return LeftOut{std::max(0.0, trace->recorded_s() - in_mpi_s - computed_s), trace->recorded_s(),
                 found->clock == core::Clock::kCpu};
}

std::string left_out_text(const LeftOut& left_out) {
  const core::TimeFormat time(left_out.recorded_s);
  return "of the " + time(left_out.recorded_s) + " " + time.unit() + " that the recorded run took, " +
         time(left_out.seconds) + " " + time.unit() +
         " a rank were neither CPU time nor in MPI: it slept, or read or wrote files" +
         (left_out.shared_cores ? ", or waited for a core that it shared" : "") +
         "; a trace does not hold that, and the predicted time leaves it out";
}

constexpr const char* kSimulateFooter =
    R"(INPUT is a folder in which `scalediag profile --trace` recorded a run, a GOAL schedule (LogGOPSim) or a
time-independent trace (SimGrid).

--computation replay:FOLDER takes what ranks compute from FOLDER, where `scalediag replay` measured some of them alone
(`scalediag groups` says which ranks stand for others).

--rounds N is an approximation for very many ranks: of each loop the first round is simulated and N more, and the time
of the last of them counts for all that are left out.

--tolerance says how many times as long latencies, or times per byte, may get until the run takes 1, 5 and 10 % longer,
and which operations' messages that comes from.

A what-if is FACTORS, separated by commas, of: compute, latency, bandwidth, overhead, gap. compute=0.5 halves every
computation, latency=0.5 halves L, bandwidth=2 halves G. --what-if can be given several times.

Examples:
  scalediag profile -n 16 --trace -- ./app && scalediag simulate app.scalediag --network network.json
  scalediag simulate app.scalediag --np 256 --network network.json              (recorded on 2, 4, 8 and 16)
  scalediag simulate halo.goal --network network.json --tolerance latency,bandwidth
  scalediag simulate lu.tit --network network.json --flops 2e9 --what-if latency=0.5 --what-if compute=0.5,bandwidth=2
  scalediag simulate app.scalediag --np 64 --network network.json --directions
  scalediag simulate halo.goal --network network.json --timeline halo.json      (opened by ui.perfetto.dev))";

constexpr double kMostNoise = 10;

struct SimulateOptions {
  std::string input;
  std::string network;
  std::vector<std::string> what_ifs;
  std::vector<std::string> tolerances;
  std::string timeline;
  double noise = 0;
  uint64_t seed = 1;
  double flops_per_s = 1e9;
  int np = 0;
  std::string run;
  std::string computation;
  std::vector<std::string> points;
  std::string blocks;
  double block_factor = 1;
  ProcessorOptions processor;
  uint64_t rounds = 0;
  double iterations = 0;
  size_t top = 10;
  bool explain = false;
  bool directions = false;
  bool json = false;
  bool details = false;
};

// Warns of time that is left out, by which the prediction for a program that sleeps is too low.
void warn_of_left_out(const SimulateOptions& options, const loggp::SimulationInput& input,
                      const report::SimulationOutcome& outcome) {
  if (!std::holds_alternative<loggp::TraceProgram>(input)) return;
  const auto folder = find_trace_folder(options.input, options.np, options.run);
  double computed_s = outcome.blocks ? outcome.blocks->sum().recorded_s + outcome.blocks->other_s : 0;
  if (!outcome.blocks) {
    for (const loggp::RankTimes& rank : outcome.simulation.ranks) {
      computed_s += rank.computation_s / outcome.cpu_factor + rank.device_wait_s;
    }
  }
  computed_s /= static_cast<double>(std::max<size_t>(1, outcome.simulation.ranks.size()));
  const auto left_out = folder ? left_out_of(folder.value(), input, computed_s) : std::nullopt;
  if (left_out && left_out->seconds > kTellingShare * left_out->recorded_s) warn(left_out_text(*left_out));
}

// Warns that a loop is simulated with the means of its computations.
void warn_of_means(const loggp::SimulationInput& input, const loggp::Simulation& simulated) {
  const auto* trace = std::get_if<loggp::TraceProgram>(&input);
  if (trace == nullptr || trace->varying_s() <= kTellingShare * simulated.total_s) return;
  const core::TimeFormat time(simulated.total_s);
  warn("computations in loops of the trace deviate from their means by " + time(trace->varying_s()) + " " +
       time.unit() + " in sum, of " + time(simulated.total_s) + " " + time.unit() +
       " that are predicted, and the means are simulated: what is computed once, or by one rank after another, is "
       "spread over all times round, and waiting for it is left out; `profile --trace --series` records them in their "
       "order");
}

// Says why `predict` has another total for the same question: it takes computation and waiting from other sources, too.
void compare_with_prediction(const SimulateOptions& options, const loggp::Simulation& simulated) {
  const bool is_plain = options.computation.empty() && options.points.empty() && options.rounds == 0 &&
                        options.blocks.empty() && options.run.empty() && options.noise == 0 &&
                        options.processor.machine.empty() && options.processor.cpu_factor == 1;
  if (!is_plain) return;
  double computation_s = 0;
  for (const loggp::RankTimes& rank : simulated.ranks) computation_s += rank.computation_s;
  const auto ranks = static_cast<double>(simulated.ranks.size());
  note_prediction(options.input, static_cast<int>(simulated.ranks.size()), options.network,
                  {simulated.total_s, computation_s / std::max(1.0, ranks), "the trace's"});
}

// The factor of the waits for devices of a scaled trace, which makes them what `predict` says of them.
double device_factor(const SimulateOptions& options, const loggp::SimulationInput& input) {
  const auto* scaled = std::get_if<loggp::ScaledProgram>(&input);
  if (scaled == nullptr || !options.points.empty() || !predict::waits_for_devices(*scaled)) return 1;
  const auto measured = load_measurement_input(options.input, {}, {}, false);
  if (!measured || !measured.value().profile) return 1;
  auto data = data_of(measured.value());
  if (!data || data.value().parameter_names.size() != 1) return 1;
  const auto model = fit::fit_application(std::move(data.value()));
  return model ? predict::device_factor(*scaled, model.value(), std::array{static_cast<double>(scaled->ranks())}) : 1;
}

// Says of what copies the input is, and widens the interval by what the same missed at the largest recorded scale.
Status add_copies(const predict::CopiedTraces& copied, const loggp::Network& network,
                  report::SimulationOutcome& outcome) {
  outcome.doubts = predict::text_of(copied);
  if (!copied.as_recorded || !copied.as_copied) return Done{};
  const auto recorded = TRY(loggp::simulate(*copied.as_recorded, network));
  const auto made = TRY(loggp::simulate(*copied.as_copied, network));
  const double missed = made.total_s / recorded.total_s - 1, total_s = outcome.simulation.total_s;
  outcome.doubts.push_back("the run on " + std::to_string(copied.as_recorded->ranks()) +
                           " ranks, made of copies in this way with its computation, comes out at " +
                           core::signed_percent(missed) + "; the interval is as much wider");
  outcome.total_s =
      predict::widened_by_copies(outcome.total_s.value_or(fit::Estimate{total_s, total_s, total_s}), copied, missed);
  return Done{};
}

// Adds the waiting by direction, and where the input is an experiment of several numbers of ranks what these lead to in
// other grids. Errors: as of loggp::grid_traffic().
core::Status add_directions(const SimulateOptions& options, const loggp::SimulationInput& input,
                            const loggp::Network& network, report::SimulationOutcome& outcome) {
  const loggp::Program* program = loggp::program_of(input);
  if (program == nullptr) {
    return core::Error{core::ErrorCode::kUsage, "--directions is for traces, and " + options.input + " is a schedule",
                       "leave it out", options.input};
  }
  auto traffic = loggp::grid_traffic(*program, network, outcome.cpu_factor);
  if (!traffic) return traffic.error();
  outcome.directions = std::move(traffic.value());
  const auto without = [&](const std::string& why) {
    outcome.without_grids.push_back("other grids are not simulated: " + why);
    return core::Done{};
  };
  const auto experiment = core::ExperimentFolder(options.input).load();
  if (!experiment) return without("they need an experiment of several numbers of ranks with traces");
  const std::set<int> scales = predict::traced_scales(options.input, experiment.value());
  const int ranks = program->ranks();
  predict::Remarks remarks;  // a simulation of scaled traces says them
  const auto model =
      predict::read_scaling_model(options.input, {}, scales.empty() || ranks > *scales.rbegin() ? ranks : 0, remarks);
  if (!model) return without(model.error().message);
  double computation_s = 0;
  for (const loggp::RankTimes& rank : outcome.simulation.ranks) computation_s += rank.computation_s / ranks;
  auto grids = loggp::traffic_in_grids(model.value(), ranks, computation_s, network, outcome.without_grids);
  if (!grids) return without(grids.error().message);
  outcome.grids = std::move(grids.value());
  return core::Done{};
}

Result<int> simulate(const SimulateOptions& options) {
  const FewDoubts few(options.details || options.json);
  SimulationDemands demands;
  demands.scenarios = TRY(parse_scenarios(options.what_ifs));
  for (const std::string& name : options.tolerances) {
    if (is_network_factor(name)) continue;
    return Error{ErrorCode::kUsage, "--tolerance: there is no '" + name + "'",
                 "name some of latency, bandwidth, overhead and gap, separated by commas", "--tolerance"};
  }
  if (!(options.flops_per_s > 0 && std::isfinite(options.flops_per_s))) {
    return Error{ErrorCode::kUsage, "--flops must be above 0", "--flops 1e9 is a billion operations a second",
                 "--flops"};
  }
  if (!(options.noise >= 0 && options.noise <= kMostNoise)) {
    return Error{ErrorCode::kUsage, "--noise " + core::to_text(options.noise) + " is not from 0 to 10",
                 "it is a relative standard deviation: with 0.05 computations vary by 5 %", "--noise"};
  }
  if (!options.timeline.empty()) {
    TRY(core::check_output_files({options.timeline}, files_of_list(options.input)));
  }
  if (options.rounds > 0 && !options.timeline.empty()) {
    return Error{ErrorCode::kUsage, "--rounds simulates few rounds of each loop, which have no timeline",
                 "leave out --rounds or --timeline", "--rounds"};
  }
  const auto network = TRY(asked_or_host_network(options.network, options.input));
  const auto processor = TRY(target_processor(options.processor, options.input));
  demands.compute_factor = processor.factor;
  demands.scenarios.insert(demands.scenarios.begin(), processor.waiting_for_memory.begin(),
                           processor.waiting_for_memory.end());
  report::AppliedBlocks applied;
  std::optional<predict::ScaledComputation> computation;
  std::optional<predict::CopiedTraces> copied;
  std::optional<loggp::ReplayedShare> replayed;
  const auto input = TRY(read_or_scale_simulation_input(
      {options.input, options.flops_per_s, options.np, options.run, options.computation, options.points, options.blocks,
       options.block_factor, &applied, options.rounds > 0 ? options.rounds + 1 : UINT64_MAX, &computation,
       options.iterations, &copied, &replayed}));
  if (!options.computation.empty()) tell_other_nodes(replayed_folder(options.computation), network);
  const int ranks = loggp::ranks_of(input);
  if (!options.run.empty() && !std::holds_alternative<loggp::TraceProgram>(input)) {
    return Error{ErrorCode::kUsage, "--run names one of an experiment's runs, and " + options.input + " is a file",
                 "leave out --run", options.input};
  }
  if (options.np != 0 && options.np != ranks) {
    return Error{ErrorCode::kUsage,
                 options.input + " has " + std::to_string(ranks) + " ranks, not " + std::to_string(options.np),
                 "an input is simulated with the ranks that it has: leave out --np", options.input};
  }
  demands.rounds = options.rounds;
  demands.tolerances = options.tolerances;
  demands.timeline = options.timeline;
  demands.noise = options.noise;
  demands.seed = options.seed;
  demands.explain = options.explain;
  demands.computation = computation;
  demands.replayed = replayed;
  demands.device_factor = device_factor(options, input);
  auto outcome = simulation_outcome(input, network, demands);
  if (!outcome) {
    // A program that does not run to its end by itself does not in copies.
    if (copied && !copied->why.message.empty()) return copied->why;
    Error error = outcome.error();
    if (error.where.empty()) error.message = options.input + ": " + error.message;
    return error;
  }
  if (copied) {
    TRY(add_copies(*copied, network, outcome.value()));
  }
  if (!options.blocks.empty()) outcome.value().blocks = applied;
  if (options.directions) TRY(add_directions(options, input, network, outcome.value()));
  if (options.computation.empty()) warn_of_left_out(options, input, outcome.value());
  warn_of_means(input, outcome.value().simulation);
  warn_of_truncated(outcome.value().simulation);
  compare_with_prediction(options, outcome.value().simulation);
  if (!options.json) {
    return print(report::simulation_text(outcome.value(), options.top, {terminal_width(), use_color()}));
  }
  return print_json(report::simulation_json(outcome.value()), 2);
}

}  // namespace

void add_simulate_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run recorded or written operations on a network");
  command->footer(kSimulateFooter);
  command->add_option("INPUT", options->input, "What the ranks do")->required();
  add_network_option(*command, "--network", options->network, kNetworkOfInput);
  command->add_option("--np", options->np, "Number of ranks: INPUT's, that of one of its runs, or a larger one")
      ->type_name("P")
      ->check(number_of_ranks());
  command
      ->add_option("--points", options->points,
                   "With --np that was not run: experiment folders of other inputs, as of `scalediag scale`")
      ->type_name("DIR");
  command
      ->add_option("--rounds", options->rounds,
                   "With --np that was not run: of each loop only the first round and N more, the last for all others")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--iterations", options->iterations,
                   "With --np that was not run: of the main loop, for copies of a recorded run side by side")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000));
  add_processor_options(*command, options->processor);
  command->add_option("--run", options->run, "Which of INPUT's runs, as np0004.r0")->type_name("ID");
  command
      ->add_option("--computation", options->computation,
                   "replay:FOLDER: ranks compute what the replayed one that stands for them did")
      ->type_name("WHAT");
  CLI::Option* const blocks =
      command
          ->add_option("--blocks", options->blocks, "Models of `blocks learn` replace the computations of their blocks")
          ->type_name("FILE");
  command
      ->add_option("--block-factor", options->block_factor, "With --blocks: of the computations that no model replaces")
      ->type_name("X")
      ->check(positive_number())
      ->capture_default_str()
      ->needs(blocks);
  command->add_option("--what-if", options->what_ifs, "Also with these factors; repeatable")
      ->type_name("FACTORS")
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", options->tolerances,
                   "Also how much worse latency, bandwidth, overhead or gap may get; a list")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  writes_file(
      command
          ->add_option("--timeline", options->timeline,
                       "Write everything that happens, for ui.perfetto.dev, or as NAME.otf2 for Vampir and Scalasca")
          ->type_name("FILE"));
  command->add_option("--noise", options->noise, "Relative standard deviation of every computation")->type_name("X");
  command->add_option("--seed", options->seed, "Of the noise")->type_name("N")->capture_default_str();
  command->add_option("--flops", options->flops_per_s, "Operations a second, for traces that count them")
      ->type_name("F")
      ->capture_default_str();
  command->add_option("--top", options->top, "Parts of the critical path to print, 0 for all")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_flag("--explain", options->explain, "Also say which algorithm each collective takes, and why");
  command->add_flag("--directions", options->directions,
                    "Also whom ranks wait for in the grid that they form, and the same program in other grids");
  command->add_flag("--details", options->details, "Every warning in full, not only five lines of them");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = simulate(*options); });
}

}  // namespace scalediag::cli
