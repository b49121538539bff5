// scalediag emulate -n P --network FILE -- APP
#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/number_checks.h"
#include "cli/simulation_outcome.h"
#include "cli/standard_output.h"
#include "collector/emulate/emulated_run.h"
#include "core/experiment/output_file.h"
#include "core/json/json_writer.h"
#include "core/text/quantities.h"
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
  bool real_order = false;
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
  for (const char *at = text.data(), *end = at + text.size(); at <= end;) {
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

  void begin(emulate::EventChannel& channel) override {
    channel_ = &channel;
    last_news_.assign(channel.ranks(), Clock::now());
  }
  core::Status take(uint32_t rank, std::string_view bytes) override { return emulation_.take(rank, bytes); }
  core::Status go_on(const std::vector<uint32_t>& with_more) override {
    const auto now = Clock::now();
    for (const uint32_t r : with_more) last_news_[r] = now;
    if (with_more.empty() && !emulation_.simulation().is_asked()) return core::Done{};
    std::vector<bool> is_idle(channel_->ranks());
    for (uint32_t r = 0; r < is_idle.size(); ++r) {
      const stream::Idle idle = channel_->idle(r);
      is_idle[r] = idle != stream::Idle::kComputes &&
                   now - last_news_[r] > (idle == stream::Idle::kInsideTold ? kPatienceOfTold : kPatience);
    }
    return emulation_.go_on(with_more, is_idle);
  }
  std::string state() const override { return emulation_.state(); }
  void answer(uint32_t rank, const loggp::SimulatedAnswer& given) {
    channel_->answer(rank, {given.clock_s, given.found ? 1U : 0U, static_cast<int32_t>(given.rank), given.tag});
  }

 private:
  using Clock = std::chrono::steady_clock;
  // Ranks that have told nothing for so long, though they do not compute, are not waited for.
  static constexpr std::chrono::milliseconds kPatience{20};
  // Those whose call has been told go on by themselves, unless a large message needs the rank that asks.
  static constexpr std::chrono::milliseconds kPatienceOfTold{1000};

  loggp::Emulation& emulation_;
  emulate::EventChannel* channel_ = nullptr;
  std::vector<Clock::time_point> last_news_;  // by rank
};

// The results that depended on which message came first.
struct Order {
  uint64_t asked = 0;       // receives and probes that took the message that comes first on the network
  uint64_t not_waited = 0;  // of those: an earlier one could still have been sent by a rank that polls or waits
  uint64_t here = 0;        // receives, probes, tests and waits for some requests that this machine decided
};

std::string order_text(const Order& order) {
  std::string text;
  if (order.asked > 0) {
    text += core::count_text(static_cast<double>(order.asked)) +
            " receives from any rank took the message that comes first on the network" +
            (order.not_waited > 0 ? "; for " + core::count_text(static_cast<double>(order.not_waited)) +
                                        " of them ranks that polled or waited could still have sent an earlier one\n"
                                  : "\n");
  }
  if (order.here > 0) {
    text += core::count_text(static_cast<double>(order.here)) +
            " results of probes, tests, waits for some requests or receives from any rank are those of this machine: "
            "on the network other messages may be first, and the program may do something else\n";
  }
  return text;
}

std::string sleep_text(const std::vector<emulate::Sleep>& sleep) {
  const auto longest = [&](double emulate::Sleep::*part) {
    const auto at =
        std::max_element(sleep.begin(), sleep.end(), [&](const auto& a, const auto& b) { return a.*part < b.*part; });
    const double seconds = (*at).*part;
    const core::TimeFormat format(seconds);
    return format(seconds) + " " + format.unit() + " (rank " + std::to_string(at - sleep.begin()) + ")";
  };
  const auto any = [&](double emulate::Sleep::*part) {
    return std::any_of(sleep.begin(), sleep.end(), [&](const auto& s) { return s.*part > 0; });
  };
  std::string text;
  if (any(&emulate::Sleep::told_s)) {
    text += "ranks slept up to " + longest(&emulate::Sleep::told_s) +
            ": that is in their computation, since it passes on the target as well\n";
  }
  if (any(&emulate::Sleep::waited_s)) {
    text += "ranks slept up to " + longest(&emulate::Sleep::waited_s) +
            " between tests that found nothing: that is not counted, since the network says when they find something\n";
  }
  return text;
}

// The region on all ranks: from the first one's begin to the last one's end.
struct MarkedPart {
  std::string name;
  uint64_t times = 0;  // of the rank that left it most often
  size_t ranks = 0;    // that left it
  double begin_s = 0, end_s = 0;
};

MarkedPart marked_part(const std::string& name, const std::vector<emulate::RegionTime>& regions) {
  MarkedPart part;
  part.name = name;
  for (const emulate::RegionTime& region : regions) {
    if (region.times == 0) continue;
    part.begin_s = part.ranks == 0 ? region.begin_s : std::min(part.begin_s, region.begin_s);
    part.end_s = std::max(part.end_s, region.end_s);
    part.times = std::max(part.times, region.times);
    ++part.ranks;
  }
  return part;
}

std::string marked_text(const MarkedPart& part) {
  if (part.name.empty()) return "";
  if (part.ranks == 0) return "no rank has left the region " + part.name + "\n";
  const core::TimeFormat format(part.end_s);
  return "region " + part.name + ": " + format(part.end_s - part.begin_s) + " " + format.unit() +
         " of the predicted time, from " + format(part.begin_s) + " to " + format(part.end_s) + " " + format.unit() +
         " (" + std::to_string(part.ranks) + " ranks, up to " + core::count_text(static_cast<double>(part.times)) +
         " times each)\n";
}

// The results that are left where a program's operations were not kept.
report::SimulationOutcome outcome_without_program(const loggp::Simulation& simulation) {
  warn(
      "critical path, efficiencies, what-ifs and timeline are left out: there were more events than are kept in "
      "memory");
  report::SimulationOutcome outcome;
  outcome.simulation = simulation;
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
  if (options.request.channel.region.size() >= stream::kRegionBytes) {
    return report(core::Error{core::ErrorCode::kUsage, "the name of the region is too long", "", "--region"});
  }
  emulate::EmulationRequest request = options.request;
  request.channel.virtual_order = !options.real_order;
  request.channel.compute_factor = options.cpu_factor;
  loggp::EmulationOptions how;
  how.compute_factor = options.cpu_factor;
  Consumer* asked = nullptr;
  auto emulation = loggp::Emulation::begin(
      options.request.np, network.value(), how,
      [&asked](uint32_t rank, const loggp::SimulatedAnswer& given) { asked->answer(rank, given); });
  if (!emulation) return report(emulation.error());
  Consumer consumer(*emulation.value());
  asked = &consumer;
  const auto run = emulate::run_emulated(request, consumer, notices());
  if (!run) return report(run.error());
  if (!run.value().failure.empty()) {
    report({core::ErrorCode::kEnvironment, "the run did not end as it should: " + run.value().failure, run.value().hint,
            ""});
    return run.value().exit_status;
  }
  auto simulation = emulation.value()->end();
  if (!simulation) return report(simulation.error());

  const Order order{emulation.value()->simulation().n_matches(), emulation.value()->simulation().n_early_matches(),
                    run.value().decided_here};

  const MarkedPart part = marked_part(request.channel.region, run.value().region);
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
    outcome = outcome_without_program(simulation.value());
  }
  warn_of_truncated(outcome.simulation);
  outcome.recorded_s = 0;  // the time that the program took here says nothing
  outcome.elapsed_s = run.value().elapsed_s;
  if (!options.json) {
    return print(report::simulation_text(outcome, options.top, {terminal_width(), use_color()}) + "\nran here in " +
                 core::fixed(outcome.elapsed_s, 2) + " s, which is not predicted\n" + marked_text(part) +
                 sleep_text(run.value().sleep) + order_text(order));
  }
  auto json = report::simulation_json(outcome);
  json["schema"] = "scalediag-emulate/1";
  json["order"] = {{"by_network", order.asked}, {"not_waited_for", order.not_waited}, {"by_this_machine", order.here}};
  if (!part.name.empty()) {
    json["region"] = {{"name", part.name},
                      {"times", part.times},
                      {"ranks", part.ranks},
                      {"begin_s", part.begin_s},
                      {"end_s", part.end_s}};
  }
  for (size_t r = 0; r < run.value().sleep.size(); ++r) {
    json["ranks"][r]["slept_s"] = run.value().sleep[r].told_s;
    json["ranks"][r]["slept_in_waits_s"] = run.value().sleep[r].waited_s;
  }
  const auto text = core::to_json_text(json, 2);
  return text ? print(text.value()) : report(text.error());
}

}  // namespace

void add_emulate_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<EmulateOptions>();
  emulate::EmulationRequest* request = &options->request;
  CLI::App* command =
      app.add_subcommand("emulate", "Run a program with many ranks on few cores, in the time of a network");
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
      ->check(positive_number())
      ->capture_default_str();
  command->add_option("--what-if", options->what_ifs, "Also with these factors; repeatable (see scalediag simulate)")
      ->type_name("FACTORS")
      ->allow_extra_args(false);
  command->add_option("--timeline", options->timeline, "Write everything that happens, for ui.perfetto.dev")
      ->type_name("FILE");
  command->add_flag("--virtual-wtime", request->channel.virtual_wtime, "MPI_Wtime gives the emulated time");
  command
      ->add_option("--region", request->channel.region,
                   "Also say from when to when the program is in this region, which it marks (docs/regions.md)")
      ->type_name("NAME");
  command->add_flag("--real-order", options->real_order,
                    "Receives from any rank take what comes first here, not on the network");
  command->add_option("--launcher", request->launcher, "Command that starts the ranks, with {np} and {command}")
      ->type_name("TEMPLATE");
  command->add_option("--mpi", request->mpi, "The application's MPI, where it cannot be found out: openmpi or mpich")
      ->type_name("NAME");
  command->add_option("--stdin", request->stdin_file, "Standard input of the run (default: ours if that is a file)")
      ->type_name("FILE");
  command->add_option("--timeout", request->timeout_s, "End the run after S seconds")
      ->type_name("S")
      ->check(positive_number());
  command->add_option("--patience", request->patience_s, "Give up when no rank has told of a call of MPI for S seconds")
      ->type_name("S")
      ->check(positive_number())
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
