#include "cli/simulation_outcome.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <future>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/terminal/work_progress.h"
#include "core/atomic_file.h"
#include "core/mpi_routines.h"
#include "core/parallel.h"
#include "core/steady_time.h"
#include "core/text/join.h"
#include "loggp/analysis/otf2_timeline.h"
#include "loggp/analysis/timeline.h"
#include "loggp/analysis/tolerance.h"
#include "loggp/collectives/algorithm_choice.h"
#include "loggp/simulator/rounds.h"

namespace scalediag::cli {
namespace {

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

double peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

Status write_timeline(const SimulationDemands& demands, const loggp::SimulationInput& input,
                      const loggp::Network& network, loggp::SimulationOptions how) {
  how.record_path = false;
  if (demands.timeline.ends_with(".otf2")) {
    loggp::Otf2Timeline timeline(loggp::labels_of(input));
    how.observer = &timeline;
    const auto simulated = loggp::simulate(input, network, how);
    return simulated ? timeline.write(demands.timeline) : simulated.error();
  }
  auto file = TRY(core::AtomicFile::create(demands.timeline));
  constexpr size_t kAtOnce = size_t{1} << 20;
  std::string waiting;
  Status written = Done{};
  const auto write = [&](size_t at_least) {
    if (!written || waiting.size() < at_least) return;
    written = file.write(waiting);
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
  const auto simulated = loggp::simulate(input, network, how);
  writer.finish();
  write(0);
  if (!simulated) return simulated.error();
  return written ? file.put_in_place() : written;
}

// The callers of a collective: the program itself, or a routine on its behalf.
struct Callers {
  bool program = false;
  std::set<std::string> with_blocks;  // routines of the program that have blocks of several sizes
  std::set<std::string> routines;

  std::string text() const {
    const std::string as =
        with_blocks.empty() ? "" : "; for " + core::join(with_blocks) + ", with blocks of the mean size";
    if (routines.empty()) return as;
    return as + (program ? "; also inside " : "; only inside ") + core::join(routines);
  }
};

// Explains every collective of the ranks, once for each size of communicator and of data.
Result<std::vector<std::string>> explain_algorithms(const loggp::SimulationInput& input,
                                                    const loggp::Network& network) {
  std::vector<std::string> lines;
  const auto choice = TRY(loggp::AlgorithmChoice::of(network));
  const loggp::Program* program = loggp::program_of(input);
  if (program == nullptr) return lines;  // schedules have no collectives
  const auto operations_of = [&input](int rank) {
    if (const auto* list = std::get_if<loggp::ListProgram>(&input)) return list->of(rank);
    if (const auto* trace = std::get_if<loggp::TraceProgram>(&input)) return trace->distinct_operations(rank);
    if (const auto* told = std::get_if<loggp::ToldProgram>(&input)) return told->distinct_operations(rank);
    return std::get<loggp::ScaledProgram>(input).distinct_operations(rank);
  };
  std::map<std::tuple<loggp::Collective, size_t, uint64_t, std::optional<loggp::Algorithm>>, Callers> called;
  std::set<std::string> exchanges;  // collectives whose messages the program has one by one
  for (int r = 0; r < program->ranks(); ++r) {
    for (const loggp::Op& op : operations_of(r)) {
      const std::string& routine = program->labels()[op.label];
      const bool sends = op.kind == loggp::OpKind::kSend || op.kind == loggp::OpKind::kIsend;
      if (sends && mpi::is(routine, mpi::Group::kCollective)) exchanges.insert(routine);
      if (op.kind != loggp::OpKind::kCollective) continue;
      const auto& members = program->communicators()[op.communicator];
      const size_t ranks = members.empty() ? static_cast<size_t>(program->ranks()) : members.size();
      Callers& callers = called[{op.collective, ranks, op.bytes, loggp::own_algorithm(op, ranks)}];
      if (routine.ends_with('v') && mpi::is(routine, mpi::Group::kCollective)) callers.with_blocks.insert(routine);
      // Making a communicator is agreed on by a collective of its own.
      if (mpi::is(routine, mpi::Group::kCommunicator) || loggp::is_gpu_communication(routine)) {
        callers.routines.insert(routine);
      } else {
        callers.program = true;
      }
    }
  }
  for (const auto& [which, callers] : called) {
    const auto& [collective, ranks, bytes, own] = which;
    const auto n = static_cast<uint32_t>(ranks);
    lines.push_back(
        (own ? loggp::algorithm_line(collective, n, bytes, *own) + " (whatever the library takes for others)"
             : choice.explain(collective, n, bytes)) +
        callers.text());
  }
  for (const std::string& routine : exchanges) {
    lines.push_back(routine + ": each rank's blocks as messages of their own, in the MPI library's order");
  }
  return lines;
}

Result<Scenario> parse_scenario(const std::string& text) {
  Scenario scenario;
  scenario.text = text;
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorCode::kUsage, "--what-if " + text + ": " + what,
                 "write NAME=FACTOR with compute, latency, bandwidth, overhead or gap"};
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

}  // namespace

bool is_network_factor(const std::string& name) { return find_factor(name) != nullptr; }

void warn_of_truncated(const loggp::Simulation& simulated) {
  if (simulated.n_truncated == 0) return;
  warn(
      std::to_string(simulated.n_truncated) + " of " + std::to_string(simulated.n_messages) +
      " messages are larger than the receives that they met, which MPI does not allow: sends and receives do not agree "
      "in size, or met in another order than they would (first: " +
      simulated.first_truncated + ")");
}

Result<std::vector<Scenario>> parse_scenarios(const std::vector<std::string>& texts) {
  std::vector<Scenario> scenarios;
  for (const std::string& text : texts) scenarios.push_back(TRY(parse_scenario(text)));
  return scenarios;
}

Result<report::SimulationOutcome> outcome_without_operations(const loggp::SimulationInput& input,
                                                             const loggp::Network& network,
                                                             const loggp::Simulation& simulation,
                                                             const SimulationDemands& demands) {
  warn(
      "critical path, efficiencies, what-ifs and timeline are left out: there were more events than are kept in "
      "memory");
  report::SimulationOutcome outcome;
  outcome.simulation = simulation;
  outcome.cpu_factor = demands.compute_factor;
  outcome.peak_memory_bytes = peak_memory_bytes();
  if (!demands.explain) return outcome;
  outcome.algorithms = TRY(explain_algorithms(input, network));
  return outcome;
}

Result<report::SimulationOutcome> simulation_outcome(const loggp::SimulationInput& input, const loggp::Network& network,
                                                     const SimulationDemands& demands) {
  loggp::SimulationOptions how;
  how.noise = demands.noise;
  how.seed = demands.seed;
  how.compute_factor = demands.compute_factor;
  how.device_factor = demands.device_factor;
  // Of more ranks so many messages are waited for that none of them would be kept.
  constexpr int kMostRanksWithPath = 1 << 18;
  how.record_path = demands.rounds == 0 && loggp::ranks_of(input) <= kMostRanksWithPath;
  report::SimulationOutcome outcome;
  outcome.cpu_factor = demands.compute_factor;
  // The ideal network's simulation needs as much time and memory as the other, and another core if there is one.
  loggp::SimulationOptions without_path = how;
  without_path.record_path = false;
  const loggp::Network ideal_network = loggp::ideal(network);
  const auto simulate = [&](const loggp::Network& on, const loggp::SimulationOptions& options) {
    return demands.rounds > 0 ? loggp::simulate_rounds(*loggp::program_of(input), on, options)
                              : loggp::simulate(input, on, options);
  };
  const std::launch beside = core::beside_if(std::thread::hardware_concurrency() > 1);
  auto ideal_result = std::async(beside, [&] { return simulate(ideal_network, without_path); });
  const auto begin = std::chrono::steady_clock::now();
  auto actual = [&] {
    WorkProgress line("simulating " + std::to_string(loggp::ranks_of(input)) + " ranks");
    loggp::SimulationOptions told = how;
    told.on_progress = [&line](double share) { line.tell(share); };
    return simulate(network, told);
  }();
  if (!actual) return actual.error();
  outcome.elapsed_s = core::seconds_since(begin);
  outcome.peak_memory_bytes = peak_memory_bytes();
  outcome.simulation = std::move(actual.value());

  // Tolerances are found beside one another and beside the critical path.
  const auto run_time_of = [&](const std::string& name, double factor, const loggp::Simulation& simulated) {
    loggp::RunTime result{simulated.total_s, {}};
    if (name == "latency") result.slopes_s = loggp::path_latencies_s(input, simulated);
    if (name == "bandwidth") result.slopes_s = loggp::path_bytes_s(input, simulated);
    for (auto& [operation, slope_s] : result.slopes_s) slope_s /= factor;
    return result;
  };
  loggp::SimulationOptions with_path = how;
  with_path.record_path = !outcome.simulation.path.empty();
  std::vector<std::future<Result<loggp::Tolerance>>> tolerances;
  for (const std::string& name : demands.tolerances) {
    tolerances.push_back(std::async(beside, [&, &name = name] {
      const NamedFactor* changed = find_factor(name);
      const std::function<Result<loggp::RunTime>(double)> run_time = [&](double factor) -> Result<loggp::RunTime> {
        loggp::NetworkFactors factors;
        factors.*changed->factor = name == "bandwidth" ? 1 / factor : factor;
        const auto simulated = TRY(simulate(loggp::scaled(network, factors), with_path));
        return run_time_of(name, factor, simulated);
      };
      return loggp::tolerance_of(run_time, run_time_of(name, 1, outcome.simulation), {0.01, 0.05, 0.1});
    }));
  }

  if (demands.rounds > 0) {
    outcome.rounds = demands.rounds;
    warn("an approximation (--rounds): of each loop its first round and at most " + std::to_string(demands.rounds) +
         " more are simulated, the time of the last one counts for all that are left out, and there is no critical "
         "path");
  } else if (outcome.simulation.path.empty()) {
    warn("the critical path is left out: ranks waited for more messages than are kept in memory");
  } else {
    outcome.path = TRY(loggp::critical_path(input, network, how, outcome.simulation));
  }
  how.record_path = false;
  if (const auto* trace = std::get_if<loggp::TraceProgram>(&input)) outcome.recorded_s = trace->recorded_s();
  const auto ideal = TRY(ideal_result.get());
  outcome.ideal_s = ideal.total_s;
  outcome.efficiencies = loggp::efficiencies(outcome.simulation, ideal);
  for (const Scenario& scenario : demands.scenarios) {
    how.compute_factor = demands.compute_factor * scenario.compute;
    const auto changed = TRY(simulate(loggp::scaled(network, scenario.network), how));
    outcome.what_ifs.emplace_back(scenario.text, changed.total_s);
  }
  how.compute_factor = demands.compute_factor;
  outcome.computation = demands.computation;
  if (outcome.computation) {
    for (fit::Estimate* mean_s : {&outcome.computation->mean_s, &outcome.computation->predicted_s}) {
      for (double* end_s : {&mean_s->value, &mean_s->low, &mean_s->high}) *end_s *= demands.compute_factor;
    }
  }
  outcome.replayed = demands.replayed;
  fit::Estimate share = {1, 1, 1, 0.9};  // of the computation
  if (const auto uncertain = demands.replayed ? demands.replayed->uncertainty() : std::nullopt) {
    share.low = std::max(0.0, 1 - *uncertain);
    share.high = 1 + *uncertain;
  } else if (demands.computation && demands.computation->mean_s.value > 0) {
    const fit::Estimate& mean_s = demands.computation->mean_s;
    share = {1, mean_s.low / mean_s.value, mean_s.high / mean_s.value, mean_s.level};
  }
  if (outcome.elapsed_s <= kLongestForIntervalS && share.low < share.high) {
    const auto total_s = [&](double factor) -> Result<double> {
      loggp::SimulationOptions end = how;
      end.compute_factor = demands.compute_factor * factor;
      const auto changed = TRY(simulate(network, end));
      return changed.total_s;
    };
    auto low = std::async(beside, total_s, share.low);
    const auto high_s = total_s(share.high), low_s = low.get();
    if (!low_s) return low_s.error();
    if (!high_s) return high_s.error();
    const double value = outcome.simulation.total_s;
    outcome.total_s = {value, std::min(value, low_s.value()), std::max(value, high_s.value()), share.level};
  }
  for (size_t i = 0; i < tolerances.size(); ++i) {
    auto tolerance = TRY(tolerances[i].get());
    outcome.tolerances.emplace_back(demands.tolerances[i], std::move(tolerance));
  }
  if (demands.explain) {
    outcome.algorithms = TRY(explain_algorithms(input, network));
  }
  if (!demands.timeline.empty()) TRY(write_timeline(demands, input, network, how));
  return outcome;
}

}  // namespace scalediag::cli
