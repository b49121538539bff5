// scalediag emulate -n P --network NET -- APP
#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/answers/prediction_note.h"
#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/target_processor.h"
#include "cli/network/host_network.h"
#include "cli/number_checks.h"
#include "cli/options/network_option.h"
#include "cli/options/program_options.h"
#include "cli/options/written_files.h"
#include "cli/simulation_outcome.h"
#include "cli/standard_output.h"
#include "cli/terminal_text.h"
#include "collector/emulate/emulated_run.h"
#include "core/exit_status.h"
#include "core/profile/emulated_times.h"
#include "core/result.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "loggp/emulation/emulation.h"
#include "loggp/network/network.h"
#include "loggp/network/network_json.h"
#include "loggp/network/network_words.h"
#include "report/render/text/emulate_text.h"

namespace scalediag::cli {
namespace {

// "block:4", "cyclic:8", or a list of nodes. Error (kUsage): it is none of them.
Result<loggp::Placement> parse_map(const std::string& text) {
  const Error wrong = {ErrorCode::kUsage, "--map " + text + " is no placement of ranks",
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

constexpr const char* kEmulateFooter =
    R"(The program runs with all its ranks on this host, or on a few, however few cores they have. Between calls of MPI a
rank's time grows by the CPU time that its thread uses, in calls by what the network costs. Nothing is run twice. With
-o DIR the run is kept: `simulate DIR` asks about other networks and processors.

Examples:
  scalediag emulate -n 64 --network network.json -- ./app input.nml
  scalediag emulate -n 256 --network network.json --map block:8 --json -- ./app
  scalediag emulate -n 64 --network network.json --cpu-factor 0.5 --what-if latency=0.5 -- ./app
  scalediag emulate -n 64 --network network.json -o app64 -- ./app
  scalediag simulate app64 --network other.json --machine node.json)";

struct EmulateOptions {
  emulate::EmulationRequest request;
  std::string network, map, timeline, region, predicted;
  ProcessorOptions processor;
  std::vector<std::string> what_ifs;
  bool real_order = false;
  int repeats = 1;
  size_t top = 10;
  bool explain = false;
  bool json = false;
};

// Simulates what ranks tell.
class Consumer : public emulate::EventConsumer {
 public:
  explicit Consumer(loggp::Emulation& emulation) : emulation_(emulation) {}

  void begin(emulate::EventChannel& channel) override {
    channel_ = &channel;
    last_news_.assign(channel.ranks(), Clock::now());
  }
  Status take(uint32_t rank, std::string_view bytes) override { return emulation_.take(rank, bytes); }
  Status go_on(const std::vector<uint32_t>& with_more) override {
    const auto now = Clock::now();
    for (const uint32_t r : with_more) last_news_[r] = now;
    if (with_more.empty() && !is_asked()) return Done{};
    std::vector<bool> is_idle(channel_->ranks());
    for (uint32_t r = 0; r < is_idle.size(); ++r) {
      const stream::Idle idle = channel_->idle(r);
      is_idle[r] = idle != stream::Idle::kComputes &&
                   now - last_news_[r] > (idle == stream::Idle::kInsideTold ? kPatienceOfTold : kPatience);
    }
    return emulation_.go_on(with_more, is_idle);
  }
  bool is_asked() const override { return emulation_.simulation().is_asked(); }
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

loggp::MarkedPart marked_part(const std::string& name, const loggp::Emulation& emulation) {
  const std::vector<std::string>& names = emulation.program().regions();
  const auto at = std::find(names.begin(), names.end(), name);
  if (name.empty() || at == names.end()) return {};
  return emulation.call_times().regions().part(static_cast<uint32_t>(at - names.begin()));
}

Status keep_profile(emulate::EmulatedRun& run, const core::Emulated& target, const loggp::Emulation& emulation,
                    const loggp::Simulation& simulation) {
  core::EmulatedTimes times;
  times.on = target;
  times.calls = emulation.call_times().calls();
  times.regions = emulation.call_times().regions().regions(emulation.program().regions(), simulation.ranks);
  for (const core::EmulatedSleep& sleep : run.sleep) times.slept_s.push_back(sleep.told_s);
  for (size_t r = 0; r < simulation.ranks.size(); ++r) {
    double outside_s = simulation.ranks[r].end_s;
    for (const core::EmulatedCalls& calls : times.calls) outside_s -= calls.wall_s[r];
    times.computation_s.push_back(std::max(outside_s, times.slept_s[r]));
  }
  return run.profile->finish(times, run.elapsed_s);
}

// The network and the processor that are emulated.
struct Target {
  loggp::Network network;
  core::Emulated described;
  std::vector<Scenario> waiting_for_memory;
};

Result<Target> target_of(const EmulateOptions& options) {
  Target target;
  target.network = TRY(loggp::network_of(options.network));
  if (!options.map.empty()) {
    target.network.placement = TRY(parse_map(options.map));
  }
  const auto fingerprint = TRY(loggp::fingerprint_of(target.network));
  target.described.network = (target.network.name.empty() ? options.network : target.network.name) + " [" +
                             fingerprint + "]" + (options.map.empty() ? "" : ", ranks at " + options.map);
  auto processor = TRY(target_processor(options.processor, ""));
  target.described.cpu_factor = processor.factor;
  target.waiting_for_memory = std::move(processor.waiting_for_memory);
  return target;
}

// A run that ended as it should.
struct Emulated {
  std::unique_ptr<loggp::Emulation> emulation;
  emulate::EmulatedRun run;
  loggp::Simulation simulation;
  loggp::MarkedPart part;
  std::vector<std::string> marked;  // the names of the regions that ranks entered
};

// Emulates the program once, and keeps its profile. Returns the exit status, 0 with `emulated`.
Result<int> emulate_once(const EmulateOptions& options, const Target& target, Emulated& emulated) {
  emulate::EmulationRequest request = options.request;
  request.demands.virtual_order = !options.real_order;
  request.demands.compute_factor = target.described.cpu_factor;
  request.demands.marks_regions = !options.region.empty() || !request.output.empty();
  request.emulation = core::description(target.described);
  loggp::EmulationOptions how;
  how.compute_factor = target.described.cpu_factor;
  how.times_calls = request.demands.marks_regions;
  Consumer* asked = nullptr;
  auto emulation = loggp::Emulation::begin(request.np, target.network, how,
                                           [&asked](uint32_t rank, const auto& given) { asked->answer(rank, given); });
  if (!emulation) return emulation.error();
  emulated.emulation = std::move(emulation).value();
  Consumer consumer(*emulated.emulation);
  asked = &consumer;
  emulated.run = TRY(emulate::run_emulated(request, consumer, notices()));
  if (!emulated.run.failure.empty()) {
    const std::string failure = "the run did not end as it should: " + emulated.run.failure;
    report({ErrorCode::kEnvironment, failure, emulated.run.hint});
    return emulated.run.exit_status != 0 ? emulated.run.exit_status : core::kExitEnvironment;
  }
  auto simulation = emulated.emulation->end();
  if (!simulation) {
    if (emulated.run.profile) {
      [[maybe_unused]] const Status ignored =
          emulated.run.profile->fail(simulation.error().message, core::kExitEnvironment);
    }
    return simulation.error();
  }
  emulated.simulation = std::move(simulation).value();
  emulated.marked = emulated.emulation->program().regions();
  emulated.part = marked_part(options.region, *emulated.emulation);
  if (!emulated.run.profile) return core::kExitSuccess;
  TRY(keep_profile(emulated.run, target.described, *emulated.emulation, emulated.simulation));
  TRY(keep_emulated_network(options.request.output, target.network));
  return core::kExitSuccess;
}

Result<int> print_emulated(const EmulateOptions& options, const SimulationDemands& demands, const Target& target,
                           Emulated& last, const std::vector<double>& totals_s) {
  const emulate::EmulatedRun& run = last.run;
  report::EmulationOutcome outcome;
  outcome.totals_s = totals_s;
  outcome.sleep = run.sleep;
  outcome.by_network = last.emulation->simulation().n_matches();
  outcome.not_waited_for = last.emulation->simulation().n_early_matches();
  outcome.by_this_machine = run.decided_here;
  outcome.region = options.region;
  outcome.part = last.part;
  outcome.marked = last.marked;
  if (run.unknown_times > 0) {
    warn(core::count_text(static_cast<double>(run.unknown_times)) +
         " emulated times were asked for while a nonblocking receive from any rank was open, and are not known then: " +
         "MPI_Wtime gave this machine's clock");
  }
  const bool keeps_all = last.emulation->keeps_all();
  const loggp::SimulationInput input = last.emulation->take_program();
  outcome.simulation = TRY(keeps_all ? simulation_outcome(input, target.network, demands)
                                     : outcome_without_operations(input, target.network, last.simulation, demands));
  outcome.simulation.elapsed_s = run.elapsed_s;
  if (const std::string text = report::not_emulated_text(outcome); !text.empty()) warn(text);
  warn_of_truncated(outcome.simulation.simulation);
  if (!options.predicted.empty()) {
    double computation_s = 0;
    for (const loggp::RankTimes& rank : outcome.simulation.simulation.ranks) computation_s += rank.computation_s;
    note_prediction(options.predicted, options.request.np, options.network,
                    {outcome.simulation.simulation.total_s, computation_s / options.request.np, "that of this run"});
  }
  if (options.json) return print_json(report::emulation_json(outcome), 2);
  return print(report::emulation_text(outcome, options.top, {terminal_width(), use_color()}));
}

Result<int> emulate_program(const EmulateOptions& options) {
  SimulationDemands demands;
  demands.scenarios = TRY(parse_scenarios(options.what_ifs));
  demands.timeline = options.timeline;
  demands.explain = options.explain;
  const auto target = TRY(target_of(options));
  demands.compute_factor = target.described.cpu_factor;
  demands.scenarios.insert(demands.scenarios.begin(), target.waiting_for_memory.begin(),
                           target.waiting_for_memory.end());
  std::vector<double> totals_s;
  for (int repeat = 0;; ++repeat) {
    Emulated emulated;
    if (const int status = TRY(emulate_once(options, target, emulated)); status != 0) return status;
    totals_s.push_back(emulated.simulation.total_s);
    if (repeat + 1 < options.repeats) continue;
    if (!options.request.output.empty()) {
      const std::string& folder = options.request.output;
      say("data: " + folder + "\nnext: scalediag show " + core::quote_shell_word(folder) + "\n");
    }
    return print_emulated(options, demands, target, emulated, totals_s);
  }
}

}  // namespace

void add_emulate_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<EmulateOptions>();
  emulate::EmulationRequest* request = &options->request;
  CLI::App* command =
      app.add_subcommand("emulate", "Run a program with many ranks on few cores, in the time of a network");
  set_usage(*command, "emulate -n P --network NET [OPTIONS]");
  command->footer(kEmulateFooter);
  command->add_option("-n,--np", request->np, "Number of processes")
      ->type_name("P")
      ->required()
      ->check(number_of_ranks());
  add_network_option(*command, "--network", options->network, "The network")->required();
  command->add_option("--map", options->map, "Ranks on nodes: block:K, cyclic:N or a list (default: the network's)")
      ->type_name("MAP");
  add_processor_options(*command, options->processor);
  CLI::Option* const output =
      command
          ->add_option("-o,--output", request->output,
                       "Also keep the run in this experiment folder, for show, predict, report and simulate")
          ->type_name("DIR");
  command->add_flag("!--no-trace", request->traced, "With -o: without the run's trace, which simulate and predict take")
      ->needs(output);
  command
      ->add_option("--predicted", options->predicted,
                   "Experiment folder of the program: also say what `predict` takes for this run, and why it differs")
      ->type_name("DIR");
  command->add_option("--repeat", options->repeats, "Emulate N times, and say how far the predicted times lie apart")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--what-if", options->what_ifs, "Also with these factors; repeatable (see scalediag simulate)")
      ->type_name("FACTORS")
      ->allow_extra_args(false);
  writes_file(
      command
          ->add_option("--timeline", options->timeline,
                       "Write everything that happens, for ui.perfetto.dev, or as NAME.otf2 for Vampir and Scalasca")
          ->type_name("FILE"));
  command->add_flag("--virtual-wtime", request->demands.virtual_wtime, "MPI_Wtime gives the emulated time");
  command
      ->add_option("--region", options->region,
                   "Also say from when to when the program is in this region, which it marks (docs/regions.md)")
      ->type_name("NAME");
  command->add_flag("--real-order", options->real_order,
                    "Receives from any rank take what comes first here, not on the network");
  add_program_options(*command, *request, false);
  command->add_option("--timeout", request->timeout_s, "End the run after S seconds")
      ->type_name("S")
      ->check(positive_number());
  command
      ->add_option(
          "--patience", request->patience_s,
          "Give up when no rank has told of a call of MPI for S seconds (default: 300; 10 where all only poll)")
      ->type_name("S")
      ->check(positive_number());
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
