// scalediag simulate INPUT --network FILE
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/quantities.h"
#include "cli/simulate_input.h"
#include "cli/table.h"
#include "core/json_writer.h"
#include "core/numbers.h"
#include "loggp/analysis.h"
#include "loggp/timeline.h"

namespace scalediag::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kFooter =
    R"(INPUT is a GOAL schedule (LogGOPSim) or a time-independent trace (SimGrid).

A what-if is FACTORS, separated by commas, of: compute, latency, bandwidth, overhead, gap. compute=0.5 halves every
computation, latency=0.5 halves L, bandwidth=2 halves G. --what-if can be given several times.

Examples:
  scalediag simulate halo.goal --network network.json
  scalediag simulate lu.tit --network network.json --flops 2e9 --what-if latency=0.5 --what-if compute=0.5,bandwidth=2
  scalediag simulate halo.goal --network network.json --timeline halo.json      (opened by ui.perfetto.dev))";

struct SimulateOptions {
  std::string input;
  std::string network;
  std::vector<std::string> what_ifs;
  std::string timeline;
  double noise = 0;
  uint64_t seed = 1;
  double flops_per_s = 1e9;
  int np = 0;
  size_t top = 10;
  bool json = false;
};

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
  for (std::string item; std::getline(items, item, ',');) {
    const size_t equals = item.find('=');
    if (equals == item.npos) return wrong("'" + item + "' is not NAME=FACTOR");
    const std::string name = item.substr(0, equals);
    double factor = 0;
    const char* end = item.data() + item.size();
    const auto [stop, failed] = std::from_chars(item.data() + equals + 1, end, factor);
    if (failed != std::errc() || stop != end || !(factor > 0) || factor > 1e300) {
      return wrong("'" + item.substr(equals + 1) + "' is not a factor above 0");
    }
    if (name == "compute") {
      scenario.compute = factor;
    } else if (name == "latency") {
      scenario.network.latency = factor;
    } else if (name == "bandwidth") {
      scenario.network.bandwidth = factor;
    } else if (name == "overhead") {
      scenario.network.overhead = factor;
    } else if (name == "gap") {
      scenario.network.gap = factor;
    } else {
      return wrong("there is no factor '" + name + "'");
    }
  }
  return scenario;
}

struct Outcome {
  loggp::Simulation simulation;
  double elapsed_s = 0;
  double peak_memory_bytes = 0;
  double ideal_s = 0;
  loggp::Efficiencies efficiencies;
  std::vector<loggp::PathPart> path;
  std::vector<std::pair<std::string, double>> what_ifs;  // total_s
};

double peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

core::Status write_timeline(const SimulateOptions& options, const loggp::SimulationInput& input,
                            const loggp::Network& network, loggp::SimulationOptions how) {
  const auto failed = [&] {
    return core::Error{core::ErrorCode::kEnvironment, "cannot write " + options.timeline, "", options.timeline};
  };
  std::FILE* file = std::fopen(options.timeline.c_str(), "w");
  if (file == nullptr) return failed();
  static const std::vector<std::string> kNoLabels;
  const auto* program = std::get_if<loggp::ListProgram>(&input);
  loggp::TimelineWriter writer([file](std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); },
                               program != nullptr ? program->labels() : kNoLabels);
  how.observer = &writer;
  how.record_path = false;
  const auto simulated = loggp::simulate(input, network, how);
  writer.finish();
  const bool written = std::ferror(file) == 0;
  if (std::fclose(file) != 0 || !written) return failed();
  if (!simulated) return simulated.error();
  return core::Done{};
}

core::Result<Outcome> simulate_all(const SimulateOptions& options, const loggp::SimulationInput& input,
                                   const loggp::Network& network, const std::vector<Scenario>& scenarios) {
  loggp::SimulationOptions how;
  how.noise = options.noise;
  how.seed = options.seed;
  how.record_path = true;
  Outcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  auto actual = loggp::simulate(input, network, how);
  if (!actual) return actual.error();
  outcome.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.peak_memory_bytes = peak_memory_bytes();
  outcome.simulation = std::move(actual.value());

  auto path = loggp::critical_path(input, network, how, outcome.simulation);
  if (!path) return path.error();
  outcome.path = std::move(path.value());
  how.record_path = false;
  const auto ideal = loggp::simulate(input, loggp::ideal(network), how);
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
  if (!options.timeline.empty()) {
    if (auto written = write_timeline(options, input, network, how); !written) return written.error();
  }
  return outcome;
}

ordered_json to_json(const Outcome& outcome) {
  const loggp::Simulation& s = outcome.simulation;
  const loggp::Efficiencies& e = outcome.efficiencies;
  ordered_json document = {{"schema", "scalediag-simulate/1"},
                           {"total_s", s.total_s},
                           {"events", s.n_events},
                           {"messages", s.n_messages},
                           {"elapsed_s", outcome.elapsed_s},
                           {"peak_memory_bytes", outcome.peak_memory_bytes},
                           {"ideal_network_s", outcome.ideal_s}};
  document["efficiencies"] = {{"parallel", e.parallel()},
                              {"load_balance", e.load_balance},
                              {"communication", e.communication()},
                              {"serialisation", e.serialisation},
                              {"transfer", e.transfer}};
  ordered_json& path = document["critical_path"] = ordered_json::array();
  for (const loggp::PathPart& part : outcome.path) {
    path.push_back({{"name", part.name}, {"kind", loggp::name_of(part.kind)}, {"seconds", part.seconds}});
  }
  ordered_json& what_ifs = document["what_ifs"] = ordered_json::array();
  for (const auto& [text, total_s] : outcome.what_ifs) what_ifs.push_back({{"what_if", text}, {"total_s", total_s}});
  ordered_json& ranks = document["ranks"] = ordered_json::array();
  for (size_t r = 0; r < s.ranks.size(); ++r) {
    const loggp::RankTimes& t = s.ranks[r];
    ranks.push_back({{"rank", r},
                     {"end_s", t.end_s},
                     {"computation_s", t.computation_s},
                     {"transfer_s", t.transfer_s},
                     {"waiting_s", t.waiting_s()},
                     {"late_sender_s", t.late_sender_s},
                     {"late_receiver_s", t.late_receiver_s},
                     {"collective_wait_s", t.collective_wait_s}});
  }
  return document;
}

std::string to_table(const Outcome& outcome, size_t top) {
  const loggp::Simulation& s = outcome.simulation;
  const loggp::Efficiencies& e = outcome.efficiencies;
  const TimeFormat time(s.total_s);
  std::string text = "predicted time: " + time(s.total_s) + " " + time.unit() + ", " + std::to_string(s.ranks.size()) +
                     (s.ranks.size() == 1 ? " rank, " : " ranks, ") + count_text(static_cast<double>(s.n_messages)) +
                     " messages\n\n";
  loggp::RankTimes mean;
  loggp::RankTimes largest;
  const auto n = static_cast<double>(std::max<size_t>(1, s.ranks.size()));
  using Part = double loggp::RankTimes::*;
  constexpr std::pair<const char*, Part> kParts[] = {{"computation", &loggp::RankTimes::computation_s},
                                                     {"transfer", &loggp::RankTimes::transfer_s},
                                                     {"late sender", &loggp::RankTimes::late_sender_s},
                                                     {"late receiver", &loggp::RankTimes::late_receiver_s},
                                                     {"wait at collective", &loggp::RankTimes::collective_wait_s}};
  for (const loggp::RankTimes& t : s.ranks) {
    for (const auto& [name, part] : kParts) {
      mean.*part += t.*part / n;
      largest.*part = std::max(largest.*part, t.*part);
    }
  }
  TableColumn name{"ranks spend", 0, TableColumn::Align::kLeft};
  Table ranks({name, {std::string("mean ") + time.unit()}, {std::string("max ") + time.unit()}, {"mean/time"}});
  for (const auto& [title, part] : kParts) {
    ranks.add_row({title, time(mean.*part), time(largest.*part), percent(s.total_s > 0 ? mean.*part / s.total_s : 0)});
  }
  text += ranks.text({}) + "\n";
  name.title = "critical path";
  Table path({name, {"", 2, TableColumn::Align::kLeft}, {time.unit()}, {"share"}});
  for (size_t i = 0; i < outcome.path.size() && (top == 0 || i < top); ++i) {
    const loggp::PathPart& part = outcome.path[i];
    path.add_row({part.name, loggp::name_of(part.kind), time(part.seconds),
                  percent(s.total_s > 0 ? part.seconds / s.total_s : 0)});
  }
  text += path.text({}) + "\n";
  text += "parallel efficiency " + percent(e.parallel()) + " = load balance " + percent(e.load_balance) +
          " x serialisation " + percent(e.serialisation) + " x transfer " + percent(e.transfer) + "\n";
  for (const auto& [what_if, total_s] : outcome.what_ifs) {
    text += "what if " + what_if + ": " + time(total_s) + " " + time.unit() + " (" +
            percent(s.total_s > 0 ? total_s / s.total_s - 1 : 0) + ")\n";
  }
  return text;
}

int simulate(const SimulateOptions& options) {
  std::vector<Scenario> scenarios;
  for (const std::string& text : options.what_ifs) {
    auto scenario = parse_scenario(text);
    if (!scenario) return report(scenario.error());
    scenarios.push_back(std::move(scenario.value()));
  }
  if (!(options.flops_per_s > 0)) {
    return report({core::ErrorCode::kUsage, "--flops must be above 0", "", ""});
  }
  const auto network = loggp::read_network(options.network);
  if (!network) return report(network.error());
  const auto input = read_simulation_input(options.input, options.flops_per_s);
  if (!input) return report(input.error());
  const int ranks = loggp::ranks_of(input.value());
  if (options.np != 0 && options.np != ranks) {
    return report({core::ErrorCode::kUsage,
                   options.input + " has " + std::to_string(ranks) + " ranks, not " + std::to_string(options.np),
                   "an input is simulated with the ranks that it has: leave out --np", options.input});
  }
  const auto outcome = simulate_all(options, input.value(), network.value(), scenarios);
  if (!outcome) {
    core::Error error = outcome.error();
    if (error.where.empty()) error.message = options.input + ": " + error.message;
    return report(error);
  }
  std::string text;
  if (options.json) {
    const auto written = core::to_json_text(to_json(outcome.value()), 2);
    if (!written) return report(written.error());
    text = written.value();
  } else {
    text = to_table(outcome.value(), options.top);
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE) return report({core::ErrorCode::kEnvironment, "cannot write the output", "", ""});
  return kExitSuccess;
}

}  // namespace

void add_simulate_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run recorded or written operations on a network");
  command->footer(kFooter);
  command->add_option("INPUT", options->input, "What the ranks do")->required();
  command->add_option("--network", options->network, "The network, as `scalediag network` writes it")
      ->type_name("FILE")
      ->required();
  command->add_option("--np", options->np, "Number of ranks; has to be INPUT's")->type_name("P");
  command->add_option("--what-if", options->what_ifs, "Also with these factors; repeatable")
      ->type_name("FACTORS")
      ->allow_extra_args(false);
  command->add_option("--timeline", options->timeline, "Write everything that happens, for ui.perfetto.dev")
      ->type_name("FILE");
  command->add_option("--noise", options->noise, "Relative standard deviation of every computation")
      ->type_name("X")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--seed", options->seed, "Of the noise")->type_name("N")->capture_default_str();
  command->add_option("--flops", options->flops_per_s, "Operations a second, for traces that count them")
      ->type_name("F")
      ->capture_default_str();
  command->add_option("--top", options->top, "Parts of the critical path to print, 0 for all")->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = simulate(*options); });
}

}  // namespace scalediag::cli
