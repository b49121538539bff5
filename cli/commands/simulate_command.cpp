// scalediag simulate INPUT --network FILE
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <future>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <tuple>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/simulate_input.h"
#include "cli/inputs/simulate_left_out.h"
#include "cli/inputs/trace_input.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/experiment/output_file.h"
#include "core/json/json_writer.h"
#include "core/mpi_routines.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "loggp/analysis/analysis.h"
#include "loggp/analysis/timeline.h"
#include "loggp/analysis/tolerance.h"
#include "loggp/collectives/algorithm_choice.h"
#include "loggp/network/network_json.h"
#include "report/render/text/simulate_text.h"

namespace scalediag::cli {
namespace {

constexpr const char* kSimulateFooter =
    R"(INPUT is a folder in which `scalediag profile --trace` recorded a run, a GOAL schedule (LogGOPSim) or a
time-independent trace (SimGrid).

--computation replay:FOLDER takes what ranks compute from FOLDER, where `scalediag replay` measured some of them alone
(`scalediag groups` says which ranks stand for others).

--tolerance says how many times as long latencies, or times per byte, may get until the run takes 1, 5 and 10 % longer.

A what-if is FACTORS, separated by commas, of: compute, latency, bandwidth, overhead, gap. compute=0.5 halves every
computation, latency=0.5 halves L, bandwidth=2 halves G. --what-if can be given several times.

Examples:
  scalediag profile -n 16 --trace -- ./app && scalediag simulate app.scalediag --network network.json
  scalediag simulate app.scalediag --np 256 --network network.json              (recorded on 2, 4, 8 and 16)
  scalediag simulate halo.goal --network network.json --tolerance latency,bandwidth
  scalediag simulate lu.tit --network network.json --flops 2e9 --what-if latency=0.5 --what-if compute=0.5,bandwidth=2
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
  size_t top = 10;
  bool explain = false;
  bool json = false;
};

// Parameters of a network that --what-if and --tolerance change.
struct NamedFactor {
  const char* name;
  double loggp::NetworkFactors::*factor;
};
constexpr NamedFactor kFactors[] = {{"latency", &loggp::NetworkFactors::latency},
                                    {"bandwidth", &loggp::NetworkFactors::bandwidth},
                                    {"overhead", &loggp::NetworkFactors::overhead},
                                    {"gap", &loggp::NetworkFactors::gap}};

const NamedFactor* find_factor(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(kFactors), std::end(kFactors), [&](const NamedFactor& f) { return f.name == name; });
  return found == std::end(kFactors) ? nullptr : found;
}

struct Scenario {
  std::string text;
  double compute = 1;
  loggp::NetworkFactors network;
};

core::Result<Scenario> parse_scenario(const std::string& text) {
  Scenario scenario;
  scenario.text = text;
  const auto wrong = [&](const std::string& what) {
    return core::Error{core::ErrorCode::kUsage, "--what-if " + text + ": " + what,
                       "write NAME=FACTOR with compute, latency, bandwidth, overhead or gap", ""};
  };
  std::istringstream items(text);
  std::set<std::string> named;
  for (std::string item; std::getline(items, item, ',');) {
    const size_t equals = item.find('=');
    if (equals == item.npos) return wrong("'" + item + "' is not NAME=FACTOR");
    const std::string name = item.substr(0, equals);
    if (!named.insert(name).second) return wrong(name + " is given twice");
    double factor = 0;
    const char* end = item.data() + item.size();
    const auto [stop, failed] = std::from_chars(item.data() + equals + 1, end, factor);
    if (failed != std::errc() || stop != end || !(factor > 0) || factor > 1e300) {
      return wrong("'" + item.substr(equals + 1) + "' is not a factor above 0");
    }
    if (name == "compute") {
      scenario.compute = factor;
    } else if (const NamedFactor* known = find_factor(name)) {
      scenario.network.*known->factor = factor;
    } else {
      return wrong("there is no factor '" + name + "'");
    }
  }
  return scenario;
}

double peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

core::Status write_timeline(const SimulateOptions& options, const loggp::SimulationInput& input,
                            const loggp::Network& network, loggp::SimulationOptions how) {
  auto file = core::AtomicFile::create(options.timeline);
  if (!file) return file.error();
  constexpr size_t kAtOnce = size_t{1} << 20;
  std::string waiting;
  core::Status written = core::Done{};
  const auto write = [&](size_t at_least) {
    if (!written || waiting.size() < at_least) return;
    written = file.value().write(waiting);
    waiting.clear();
  };
  loggp::TimelineWriter writer(
      [&](std::string_view text) {
        if (!written) return;
        waiting += text;
        write(kAtOnce);
      },
      loggp::labels_of(input));
  how.observer = &writer;
  how.record_path = false;
  const auto simulated = loggp::simulate(input, network, how);
  writer.finish();
  write(0);
  if (!simulated) return simulated.error();
  return written ? file.value().put_in_place() : written;
}

// Explains a deadlock of a recorded program: since the program ended, the network is the reason.
core::Error explained(core::Error error, const loggp::SimulationInput& input) {
  if (std::holds_alternative<loggp::TraceProgram>(input) && error.message.starts_with("deadlock: ")) {
    error.hint =
        "the program ended when it was recorded: it relies on sends that do not wait for their receives, and the "
        "network's S_sync may be too small (where a receiver only has to be inside MPI, `scalediag network` finds a "
        "smaller one): raise S_sync in network.json";
  }
  return error;
}

// The callers of a collective: the program itself, or a routine on its behalf.
struct Callers {
  bool program = false;
  std::set<std::string> routines;

  std::string text() const {
    if (routines.empty()) return "";
    return (program ? "; also inside " : "; only inside ") + core::join(routines);
  }
};

// Explains every collective of the ranks, once for each size of communicator and of data.
core::Result<std::vector<std::string>> explain_algorithms(const loggp::SimulationInput& input,
                                                          const loggp::Network& network) {
  std::vector<std::string> lines;
  const auto choice = loggp::AlgorithmChoice::of(network);
  if (!choice) return choice.error();
  const loggp::Program* program = loggp::program_of(input);
  if (program == nullptr) return lines;  // schedules have no collectives
  const auto operations_of = [&input](int rank) {
    if (const auto* list = std::get_if<loggp::ListProgram>(&input)) return list->of(rank);
    if (const auto* trace = std::get_if<loggp::TraceProgram>(&input)) return trace->distinct_operations(rank);
    return std::get<loggp::ScaledProgram>(input).distinct_operations(rank);
  };
  std::map<std::tuple<loggp::Collective, size_t, uint64_t>, Callers> called;
  for (int r = 0; r < program->ranks(); ++r) {
    for (const loggp::Op& op : operations_of(r)) {
      if (op.kind != loggp::OpKind::kCollective) continue;
      const auto& members = program->communicators()[op.communicator];
      const size_t ranks = members.empty() ? static_cast<size_t>(program->ranks()) : members.size();
      Callers& callers = called[{op.collective, ranks, op.bytes}];
      const std::string& routine = program->labels()[op.label];
      if (mpi::is(routine, mpi::Group::kCommunicator)) {  // agrees by a collective of its own
        callers.routines.insert(routine);
      } else {
        callers.program = true;
      }
    }
  }
  for (const auto& [which, callers] : called) {
    const auto& [collective, ranks, bytes] = which;
    lines.push_back(choice.value().explain(collective, static_cast<uint32_t>(ranks), bytes) + callers.text());
  }
  return lines;
}

core::Result<report::SimulationOutcome> simulate_all(const SimulateOptions& options,
                                                     const loggp::SimulationInput& input, const loggp::Network& network,
                                                     const std::vector<Scenario>& scenarios) {
  loggp::SimulationOptions how;
  how.noise = options.noise;
  how.seed = options.seed;
  how.record_path = true;
  report::SimulationOutcome outcome;
  // The ideal network's simulation needs as much time and memory as the other, and another core if there is one.
  loggp::SimulationOptions without_path = how;
  without_path.record_path = false;
  const loggp::Network ideal_network = loggp::ideal(network);
  auto ideal_result = std::async(std::thread::hardware_concurrency() > 1 ? std::launch::async : std::launch::deferred,
                                 [&] { return loggp::simulate(input, ideal_network, without_path); });
  const auto begin = std::chrono::steady_clock::now();
  auto actual = loggp::simulate(input, network, how);
  if (!actual) return explained(actual.error(), input);
  outcome.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.peak_memory_bytes = peak_memory_bytes();
  outcome.simulation = std::move(actual.value());

  if (outcome.simulation.path.empty()) {
    warn("the critical path is left out: ranks waited for more messages than are kept in memory");
  } else {
    auto path = loggp::critical_path(input, network, how, outcome.simulation);
    if (!path) return path.error();
    outcome.path = std::move(path.value());
  }
  how.record_path = false;
  if (const auto* trace = std::get_if<loggp::TraceProgram>(&input)) outcome.recorded_s = trace->recorded_s();
  const auto ideal = ideal_result.get();
  if (!ideal) return ideal.error();
  outcome.ideal_s = ideal.value().total_s;
  outcome.efficiencies = loggp::efficiencies(outcome.simulation, ideal.value());
  for (const Scenario& scenario : scenarios) {
    how.compute_factor = scenario.compute;
    const auto changed = loggp::simulate(input, loggp::scaled(network, scenario.network), how);
    if (!changed) return changed.error();
    outcome.what_ifs.emplace_back(scenario.text, changed.value().total_s);
  }
  how.compute_factor = 1;
  for (const std::string& name : options.tolerances) {
    const NamedFactor* changed = find_factor(name);
    const auto total_s = [&](double factor) -> core::Result<double> {
      loggp::NetworkFactors factors;
      factors.*changed->factor = name == "bandwidth" ? 1 / factor : factor;
      const auto simulated = loggp::simulate(input, loggp::scaled(network, factors), how);
      if (!simulated) return simulated.error();
      return simulated.value().total_s;
    };
    auto tolerance = loggp::tolerance_of(total_s, outcome.simulation.total_s, {0.01, 0.05, 0.1});
    if (!tolerance) return tolerance.error();
    outcome.tolerances.emplace_back(name, std::move(tolerance.value()));
  }
  if (options.explain) {
    auto algorithms = explain_algorithms(input, network);
    if (!algorithms) return algorithms.error();
    outcome.algorithms = std::move(algorithms).value();
  }
  if (!options.timeline.empty()) {
    if (auto written = write_timeline(options, input, network, how); !written) return written.error();
  }
  return outcome;
}

// Warns of time that is left out, by which the prediction for a program that sleeps is too low.
void warn_of_left_out(const SimulateOptions& options, const loggp::SimulationInput& input,
                      const loggp::Simulation& simulated) {
  if (!std::holds_alternative<loggp::TraceProgram>(input)) return;
  const auto folder = find_trace_folder(options.input, options.np, options.run);
  const auto left_out = folder ? left_out_of(folder.value(), input, simulated) : std::nullopt;
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

void warn_of_truncated(const loggp::Simulation& simulated) {
  if (simulated.n_truncated == 0) return;
  warn(
      std::to_string(simulated.n_truncated) + " of " + std::to_string(simulated.n_messages) +
      " messages are larger than the receives that they met, which MPI does not allow: sends and receives do not agree "
      "in size, or met in another order than they would (first: " +
      simulated.first_truncated + ")");
}

int simulate(const SimulateOptions& options) {
  std::vector<Scenario> scenarios;
  for (const std::string& text : options.what_ifs) {
    auto scenario = parse_scenario(text);
    if (!scenario) return report(scenario.error());
    scenarios.push_back(std::move(scenario.value()));
  }
  for (const std::string& name : options.tolerances) {
    if (find_factor(name) != nullptr) continue;
    return report({core::ErrorCode::kUsage, "--tolerance: there is no '" + name + "'",
                   "name some of latency, bandwidth, overhead and gap, separated by commas", "--tolerance"});
  }
  if (!(options.flops_per_s > 0 && std::isfinite(options.flops_per_s))) {
    return report({core::ErrorCode::kUsage, "--flops must be above 0", "--flops 1e9 is a billion operations a second",
                   "--flops"});
  }
  if (!(options.noise >= 0 && options.noise <= kMostNoise)) {
    return report({core::ErrorCode::kUsage, "--noise " + core::to_text(options.noise) + " is not from 0 to 10",
                   "it is a relative standard deviation: with 0.05 computations vary by 5 %", "--noise"});
  }
  if (!options.timeline.empty()) {
    std::vector<std::string> read = files_of_list(options.input);
    read.insert(read.end(), {options.input, options.network, options.blocks});
    if (auto usable = core::check_output_files({options.timeline}, read); !usable) return report(usable.error());
  }
  const auto network = loggp::read_network(options.network);
  if (!network) return report(network.error());
  report::AppliedBlocks applied;
  const auto input =
      read_or_scale_simulation_input({options.input, options.flops_per_s, options.np, options.run, options.computation,
                                      options.points, options.blocks, options.block_factor, &applied});
  if (!input) return report(input.error());
  const int ranks = loggp::ranks_of(input.value());
  if (!options.run.empty() && !std::holds_alternative<loggp::TraceProgram>(input.value())) {
    return report({core::ErrorCode::kUsage,
                   "--run names one of an experiment's runs, and " + options.input + " is a file", "leave out --run",
                   options.input});
  }
  if (options.np != 0 && options.np != ranks) {
    return report({core::ErrorCode::kUsage,
                   options.input + " has " + std::to_string(ranks) + " ranks, not " + std::to_string(options.np),
                   "an input is simulated with the ranks that it has: leave out --np", options.input});
  }
  auto outcome = simulate_all(options, input.value(), network.value(), scenarios);
  if (!outcome) {
    core::Error error = outcome.error();
    if (error.where.empty()) error.message = options.input + ": " + error.message;
    return report(error);
  }
  if (!options.blocks.empty()) outcome.value().blocks = applied;
  if (options.computation.empty()) warn_of_left_out(options, input.value(), outcome.value().simulation);
  warn_of_means(input.value(), outcome.value().simulation);
  warn_of_truncated(outcome.value().simulation);
  if (!options.json) {
    return print(report::simulation_text(outcome.value(), options.top, {terminal_width(), use_color()}));
  }
  const auto text = core::to_json_text(report::simulation_json(outcome.value()), 2);
  return text ? print(text.value()) : report(text.error());
}

}  // namespace

void add_simulate_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run recorded or written operations on a network");
  command->footer(kSimulateFooter);
  command->add_option("INPUT", options->input, "What the ranks do")->required();
  command->add_option("--network", options->network, "The network, as `scalediag network` writes it")
      ->type_name("FILE")
      ->required();
  command->add_option("--np", options->np, "Number of ranks: INPUT's, that of one of its runs, or a larger one")
      ->type_name("P")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  command
      ->add_option("--points", options->points,
                   "With --np that was not run: experiment folders of other inputs, as of `scalediag scale`")
      ->type_name("DIR");
  command->add_option("--run", options->run, "Which of INPUT's runs, as np0004.r0")->type_name("ID");
  command
      ->add_option("--computation", options->computation,
                   "replay:FOLDER: ranks compute what the replayed one that stands for them did")
      ->type_name("WHAT");
  command->add_option("--blocks", options->blocks, "Models of `blocks learn` replace the computations of their blocks")
      ->type_name("FILE");
  command
      ->add_option("--block-factor", options->block_factor, "With --blocks: of the computations that no model replaces")
      ->type_name("X")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--what-if", options->what_ifs, "Also with these factors; repeatable")
      ->type_name("FACTORS")
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", options->tolerances,
                   "Also how much worse latency, bandwidth, overhead or gap may get; a list")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--timeline", options->timeline, "Write everything that happens, for ui.perfetto.dev")
      ->type_name("FILE");
  command->add_option("--noise", options->noise, "Relative standard deviation of every computation")->type_name("X");
  command->add_option("--seed", options->seed, "Of the noise")->type_name("N")->capture_default_str();
  command->add_option("--flops", options->flops_per_s, "Operations a second, for traces that count them")
      ->type_name("F")
      ->capture_default_str();
  command->add_option("--top", options->top, "Parts of the critical path to print, 0 for all")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_flag("--explain", options->explain, "Also say which algorithm each collective takes, and why");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = simulate(*options); });
}

}  // namespace scalediag::cli
