// scalediag emulate -n P --network FILE -- APP
#include <charconv>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/simulation_outcome.h"
#include "cli/standard_output.h"
#include "collector/emulate/emulated_run.h"
#include "core/exit_status.h"
#include "core/experiment/output_file.h"
#include "core/json/json_writer.h"
#include "core/text/quantities.h"
#include "core/text/value_list.h"
#include "loggp/emulation/emulation.h"
#include "loggp/network/network_json.h"
#include "report/render/text/simulate_text.h"

namespace scalediag::cli {
namespace {

constexpr const char* kEmulateFooter =
    R"(The program runs with all its ranks on this host, however few cores it has. Between calls of MPI a rank's time grows
by the CPU time that its thread uses, in calls by what the network costs. Nothing is recorded and nothing run twice.

Examples:
  scalediag emulate -n 64 --network network.json -- ./app input.nml
  scalediag emulate -n 256 --network network.json --map block:8 --json -- ./app
  scalediag emulate -n 64 --network network.json --cpu-factor 0.5 --what-if latency=0.5 -- ./app)";

class EmulateHelp : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: scalediag emulate -n P --network FILE [OPTIONS] -- APP ARGS\n";
  }
};

struct EmulateOptions {
  emulate::EmulationRequest request;
  std::string network, map, timeline;
  std::vector<std::string> what_ifs;
  double cpu_factor = 1;
  size_t top = 10;
  bool explain = false;
  bool json = false;
};

// "block:4", "cyclic:8", or a list of nodes.
core::Result<loggp::Placement> parse_map(const std::string& text) {
  const core::Error wrong = {core::ErrorCode::kUsage, "--map " + text + " is no placement of ranks",
                             "write block:K for K ranks a node, cyclic:N for N nodes in turn, or a list of nodes, as "
                             "0,0,1,1, which is repeated",
                             "--map"};
  loggp::Placement placement;
  const size_t colon = text.find(':');
  if (colon != text.npos) {
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data() + colon + 1, end, number);
    if (failed != std::errc() || stop != end || number < 1) return wrong;
    const std::string kind = text.substr(0, colon);
    if (kind == "block") {
      placement.ranks_per_node = number;
    } else if (kind == "cyclic") {
      placement.kind = loggp::Placement::Kind::kCyclic;
      placement.nodes = number;
    } else {
      return wrong;
    }
    return placement;
  }
  placement.kind = loggp::Placement::Kind::kList;
  for (const char* at = text.data(), *end = at + text.size(); at <= end;) {
    int node = 0;
    const auto [stop, failed] = std::from_chars(at, end, node);
    if (failed != std::errc() || node < 0 || (stop != end && *stop != ',')) return wrong;
    placement.list.push_back(node);
    at = stop + 1;
  }
  return placement;
}

// Simulates what ranks tell.
class Consumer : public emulate::EventConsumer {
 public:
  explicit Consumer(loggp::Emulation& emulation) : emulation_(emulation) {}

  void begin(emulate::EventChannel& channel) override { channel_ = &channel; }
  core::Status take(uint32_t rank, std::string_view bytes) override { return emulation_.take(rank, bytes); }
  core::Status go_on(const std::vector<uint32_t>& with_more) override {
    const auto now = std::chrono::steady_clock::now();
    if (!with_more.empty()) {
      last_news_ = now;
      return emulation_.go_on(with_more);
    }
    if (!emulation_.simulation().is_asked() || now - last_news_ < kPatience) return core::Done{};
    std::vector<bool> is_idle(channel_->ranks());
    for (uint32_t r = 0; r < is_idle.size(); ++r) is_idle[r] = channel_->idle(r) != stream::Idle::kComputes;
    return emulation_.go_on({}, is_idle);
  }
  std::string state() const override { return emulation_.state(); }
  void answer(uint32_t rank, const loggp::SimulatedAnswer& given) {
    channel_->answer(rank, {given.clock_s, given.found ? 1U : 0U, static_cast<int32_t>(given.rank), given.tag});
  }

 private:
  // Ranks that have told nothing for so long, though they do not compute, are not waited for.
  static constexpr std::chrono::milliseconds kPatience{20};

  loggp::Emulation& emulation_;
  emulate::EventChannel* channel_ = nullptr;
  std::chrono::steady_clock::time_point last_news_ = std::chrono::steady_clock::now();
};

// What can be said of a program whose operations were not kept.
report::SimulationOutcome outcome_without_program(const loggp::Simulation& simulation, double recorded_s) {
  warn("the critical path, what-ifs and the timeline are left out: there were more events than are kept in memory");
  report::SimulationOutcome outcome;
  outcome.simulation = simulation;
  outcome.recorded_s = recorded_s;
  outcome.ideal_s = simulation.total_s;
  outcome.efficiencies = loggp::efficiencies(simulation, simulation);
  return outcome;
}

int emulate_program(const EmulateOptions& options) {
  SimulationDemands demands;
  for (const std::string& text : options.what_ifs) {
    auto scenario = parse_scenario(text);
    if (!scenario) return report(scenario.error());
    demands.scenarios.push_back(std::move(scenario.value()));
  }
  if (!options.timeline.empty()) {
    if (auto usable = core::check_output_files({options.timeline}, {options.network}); !usable) {
      return report(usable.error());
    }
  }
  auto network = loggp::read_network(options.network);
  if (!network) return report(network.error());
  if (!options.map.empty()) {
    auto placement = parse_map(options.map);
    if (!placement) return report(placement.error());
    network.value().placement = std::move(placement).value();
  }
  loggp::EmulationOptions how;
  how.compute_factor = options.cpu_factor;
  Consumer* asked = nullptr;
  auto emulation = loggp::Emulation::begin(
      options.request.np, network.value(), how,
      [&asked](uint32_t rank, const loggp::SimulatedAnswer& given) { asked->answer(rank, given); });
  if (!emulation) return report(emulation.error());
  Consumer consumer(*emulation.value());
  asked = &consumer;
  const auto run = emulate::run_emulated(options.request, consumer, notices());
  if (!run) return report(run.error());
  if (!run.value().failure.empty()) {
    report({core::ErrorCode::kEnvironment, "the run did not end as it should: " + run.value().failure,
            run.value().hint, ""});
    return run.value().exit_status;
  }
  auto simulation = emulation.value()->end();
  if (!simulation) return report(simulation.error());

  demands.timeline = options.timeline;
  demands.explain = options.explain;
  demands.compute_factor = options.cpu_factor;
  report::SimulationOutcome outcome;
  if (emulation.value()->keeps_all()) {
    const loggp::SimulationInput input = emulation.value()->take_program();
    auto made = simulation_outcome(input, network.value(), demands);
    if (!made) return report(made.error());
    outcome = std::move(made).value();
  } else {
    outcome = outcome_without_program(simulation.value(), emulation.value()->program().elapsed_s());
  }
  outcome.elapsed_s = run.value().elapsed_s;
  if (!options.json) return print(report::simulation_text(outcome, options.top, {terminal_width(), use_color()}));
  auto json = report::simulation_json(outcome);
  json["schema"] = "scalediag-emulate/1";
  const auto text = core::to_json_text(json, 2);
  return text ? print(text.value()) : report(text.error());
}

}  // namespace

void add_emulate_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<EmulateOptions>();
  emulate::EmulationRequest* request = &options->request;
  CLI::App* command = app.add_subcommand("emulate", "Run a program with many ranks on few cores, in the time of a network");
  command->formatter(std::make_shared<EmulateHelp>());
  command->footer(kEmulateFooter);
  command->add_option("-n,--np", request->np, "Number of processes")
      ->type_name("P")
      ->required()
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--network", options->network, "The network, as `scalediag network` writes it")
      ->type_name("FILE")
      ->required();
  command->add_option("--map", options->map, "Ranks on nodes: block:K, cyclic:N or a list (default: the network's)")
      ->type_name("MAP");
  command->add_option("--cpu-factor", options->cpu_factor, "Every computation takes X times as long as here")
      ->type_name("X")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--what-if", options->what_ifs, "Also with these factors; repeatable (see scalediag simulate)")
      ->type_name("FACTORS")
      ->allow_extra_args(false);
  command->add_option("--timeline", options->timeline, "Write everything that happens, for ui.perfetto.dev")
      ->type_name("FILE");
  command->add_option("--launcher", request->launcher, "Command that starts the ranks, with {np} and {command}")
      ->type_name("TEMPLATE");
  command->add_option("--mpi", request->mpi, "The application's MPI, where it cannot be found out: openmpi or mpich")
      ->type_name("NAME");
  command->add_option("--stdin", request->stdin_file, "Standard input of the run (default: ours if that is a file)")
      ->type_name("FILE");
  command->add_option("--timeout", request->timeout_s, "End the run after S seconds")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  command->add_option("--patience", request->patience_s, "Give up when no rank has called MPI for S seconds")
      ->type_name("S")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--top", options->top, "Parts of the critical path to print, 0 for all")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_flag("--explain", options->explain, "Also say which algorithm each collective takes, and why");
  command->add_flag("--json", options->json, "Print JSON; what the program prints goes to stderr");
  command->callback([options, &invocation] {
    options->request.command = invocation.application;
    options->request.output_to_stderr = options->json;
    invocation.exit_status = emulate_program(*options);
  });
}

}  // namespace scalediag::cli
