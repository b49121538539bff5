// scalediag network [-o FILE]: measure the parameters of a network
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/network/measured_network.h"
#include "cli/options/written_files.h"
#include "cli/standard_output.h"
#include "cli/terminal_text.h"
#include "collector/launch/host/network_probe.h"
#include "collector/launch/session/progress.h"
#include "core/atomic_file.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "loggp/network/measuring_plan.h"
#include "loggp/network/network_json.h"
#include "loggp/network/network_words.h"
#include "loggp/network/parameter_fit.h"
#include "report/render/text/network_text.h"

namespace scalediag::cli {
namespace {

constexpr const char* kNetworkFooter =
    R"(Ranks that share a node with rank 0 give the link class same_node, others other_node. Two ranks measure one class;
start more, over several nodes, to measure both. Nothing else should run meanwhile.

Examples:
  scalediag network -o shared-memory.json
  scalediag network --list                                                       (what --network takes by name)
  scalediag network --launcher 'mpirun --host a,b,c -n {np} {command}' --np 3 -o cluster.json
  scalediag network --launcher 'srun -N 2 -n {np} {command}' --np 4 -o cluster.json)";

constexpr double kLeastBudget_s = 0.01;
constexpr double kMostBudget_s = 3600;
constexpr double kLeastLimit_s = 1;
constexpr double kMostLimit_s = 1e6;
// Of the limit for the first sizes; the others follow from what they show.
constexpr double kFirstShare = 0.75;

struct NetworkOptions {
  std::string launcher;
  std::string mpi;
  std::string probe;
  std::string output;
  std::string name;
  int np = 2;
  uint64_t largest = 1 << 20;
  double budget_s = 0.6;
  double limit_s = 120;
  uint64_t seed = 1;
  std::string others = "sleep";
  bool noisy = false;
  bool list = false;
  bool json = false;
};

// Measures within the time limit, and says how long it takes.
class Measuring {
 public:
  Measuring(const launch::NetworkProbe& probe, const NetworkOptions& options)
      : probe_(probe), options_(options), seed_(options.seed), budget_s_(options.budget_s / loggp::kMostPasses) {}

  // Finds the sizes at which costs change, first roughly and then by the sizes around them; sizes during which
  // something else ran are measured again.
  Result<loggp::NetworkMeasurement> run();
  // What was not measured for lack of time, in words.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  Result<loggp::NetworkMeasurement> probe(const std::vector<uint64_t>& sizes, uint64_t largest_sync, double expected_s,
                                          double most_s);
  Status try_few();
  Status measure_all();
  // Whether they were measured: false where there are none, or they would take longer than what is left of the limit.
  Result<bool> measure_more(const std::vector<uint64_t>& sizes, const std::string& which, const std::string& again);
  Status mend();
  void leave_out(const std::string& what);
  double elapsed_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  double left_s() const { return options_.limit_s - elapsed_s() - start_s_; }
  static std::string about(double seconds) { return "about " + launch::format_duration(seconds); }

  const launch::NetworkProbe& probe_;
  const NetworkOptions& options_;
  uint64_t seed_;
  double budget_s_;  // of a pass over a size
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double start_s_ = 0;  // until ranks have started, and have ended
  loggp::NetworkMeasurement trial_;
  loggp::MeasuringPlan plan_{{}, 0, 1, 0, 0};
  loggp::NetworkMeasurement measured_;
  std::vector<std::string> left_out_;
};

// On a terminal a line is rewritten in place; otherwise there is a line now and then.
Result<loggp::NetworkMeasurement> Measuring::probe(const std::vector<uint64_t>& sizes, uint64_t largest_sync,
                                                   double expected_s, double most_s) {
  constexpr double kBetweenReports_s = 30;
  launch::ProbeRequest request{sizes, seed_++, largest_sync, plan_.passes, budget_s_, std::max(most_s, 0.0)};
  const bool is_watched = isatty(STDERR_FILENO) != 0;
  launch::Progress line(STDERR_FILENO, is_watched);
  line.begin_run("measuring", expected_s, expected_s);
  double reported_s = 0;
  request.on_progress = [&](double elapsed_s, const std::function<size_t()>& n_measured) {
    line.tick(elapsed_s);
    if (is_watched || elapsed_s < reported_s + kBetweenReports_s) return;
    reported_s = elapsed_s;
    say("measuring: " + std::to_string(n_measured()) + " of " +
        std::to_string(sizes.size() * static_cast<size_t>(plan_.passes) * std::max<size_t>(1, trial_.links.size())) +
        " after " + launch::format_duration(elapsed_s) + "\n");
  };
  const auto text = launch::run_network_probe(probe_, request);
  line.make_way();
  if (!text) return text.error();
  return loggp::parse_measurement(text.value());
}

void Measuring::leave_out(const std::string& what) {
  if (std::find(left_out_.begin(), left_out_.end(), what) != left_out_.end()) return;
  note("so as to end within " + launch::format_duration(options_.limit_s) + " (--limit), " + what);
  left_out_.push_back(what);
}

Result<bool> Measuring::measure_more(const std::vector<uint64_t>& sizes, const std::string& which,
                                     const std::string& again) {
  if (sizes.empty()) return false;
  const std::string what = std::to_string(sizes.size()) + " sizes " + which;
  const double takes_s = loggp::MeasuringTimes(trial_, budget_s_).of_sizes(sizes, plan_.passes, false);
  if (takes_s > left_s()) {
    leave_out(what + " were not measured" + again);
    return false;
  }
  say("measuring: " + what + again + ", " + about(start_s_ + takes_s) + "\n");
  const auto more = TRY(probe(sizes, 0, start_s_ + takes_s, left_s()));
  loggp::add_sizes(measured_, more);
  return true;
}

Status Measuring::mend() {
  constexpr int kMostTries = 3;
  for (int i = 0; i < kMostTries; ++i) {
    const auto measured = TRY(measure_more(loggp::disturbed_sizes(measured_), "that were disturbed", " again"));
    if (!measured) break;
  }
  return Done{};
}

// A few messages, which tell how long others take.
Status Measuring::try_few() {
  auto trial = TRY(probe(loggp::trial_sizes(options_.largest), 0, -1, options_.limit_s));
  if (trial.links.empty()) {
    return Error{ErrorCode::kEnvironment, "no two ranks were started",
                 "the launcher has to start at least two, of the MPI that it belongs to: --mpi openmpi or --mpi mpich, "
                 "and with srun perhaps --mpi=pmix or --mpi=pmi2 in --launcher"};
  }
  trial_ = std::move(trial);
  start_s_ = std::max(0.0, elapsed_s() - trial_.took_s);
  return Done{};
}

Status Measuring::measure_all() {
  const double whole_s = budget_s_;
  plan_ = loggp::MeasuringTimes(trial_, whole_s).plan(options_.largest, kFirstShare * left_s());
  budget_s_ = plan_.budget_s;
  const double takes_s = start_s_ + plan_.seconds;
  say("measuring: S_sync and " + std::to_string(plan_.sizes.size()) + " sizes up to " +
      core::bytes_text(static_cast<double>(plan_.largest)) + ", " + std::to_string(plan_.passes) +
      (plan_.passes == 1 ? " time, " : " times, ") + about(takes_s) + "; everything within " +
      launch::format_duration(std::max(options_.limit_s, elapsed_s() + takes_s)) + "\n");
  if (const std::string left_out = plan_.left_out(options_.largest, whole_s); !left_out.empty()) leave_out(left_out);
  measured_ = TRY(probe(plan_.sizes, plan_.largest, takes_s, std::max(left_s(), plan_.seconds + 1)));
  if (const size_t missing = loggp::missing_sizes(measured_, plan_.sizes); missing > 0) {
    leave_out(std::to_string(missing) + " of " + std::to_string(plan_.sizes.size() * measured_.links.size()) +
              " sizes were not measured, as others took longer than expected");
  }
  return Done{};
}

Result<loggp::NetworkMeasurement> Measuring::run() {
  TRY(try_few());
  TRY(measure_all());
  TRY(mend());
  std::vector<uint64_t> closer;
  for (const loggp::MeasuredLink& link : measured_.links) {
    const auto fitted = TRY(loggp::fit_link(link));
    const auto sizes = loggp::sizes_to_add(link, fitted);
    closer.insert(closer.end(), sizes.begin(), sizes.end());
  }
  std::ranges::sort(closer);
  closer.erase(std::unique(closer.begin(), closer.end()), closer.end());
  TRY(measure_more(closer, "around changes and where parameters fit badly", ""));
  TRY(mend());
  return std::move(measured_);
}

// Keeps parameters that fit badly only where they were asked for, with a warning; notes in them what was left out.
Status judge(loggp::LinkClass& link, const std::string& name, const std::vector<std::string>& left_out,
             const NetworkOptions& options) {
  if (link.segments.empty()) return Done{};
  const double residual = loggp::largest_residual(link);
  if (residual > loggp::kPoorResidual) {
    const std::string what = name + ": parameters deviate from what was measured by " + core::percent(residual) +
                             ", more than " + core::percent(loggp::kPoorResidual);
    if (!options.noisy) {
      return Error{
          ErrorCode::kEnvironment, what,
          "measure when nothing else runs, or longer: --budget " +
              std::to_string(static_cast<int>(4 * options.budget_s + 1)) +
              (left_out.empty() ? "" : " --limit " + std::to_string(static_cast<int>(4 * options.limit_s + 60))) +
              "; --noisy keeps them all the same",
          name};
    }
    warn(what);
    link.notes.push_back("kept although deviations are " + core::percent(residual));
  }
  for (const std::string& what : left_out) {
    link.notes.push_back("for lack of time (--limit " + core::to_text(options.limit_s) + ") " + what);
  }
  return Done{};
}

void say_what_is_missing(const loggp::Network& network, const loggp::NetworkMeasurement& measured) {
  if (network.other_node.segments.empty()) {
    note("only ranks of one node were measured: a simulation takes their values between nodes as well");
  } else if (network.same_node.segments.empty()) {
    note("only ranks of two nodes were measured: a simulation takes their values within nodes as well");
  } else {
    note("placement.ranks_per_node is set to this machine's " + std::to_string(network.placement.ranks_per_node) +
         " cores: change it in the file where that is not so");
  }
  if (!network.other_node.segments.empty() && measured.exchange_s == 0) {
    note(
        "how much sending and receiving slow each other down (exchange) was not measured, as if they did not: that "
        "needs 3 to 64 ranks, each on a node of its own");
  }
}

int list_typical(bool json) {
  if (json) return print(std::string(loggp::kTypicalNetworks.text));
  std::string text;
  for (const loggp::TypicalNetwork& each : loggp::typical_networks()) {
    text += each.name + ": " + each.what + "\n    " + each.words + "\n    " + each.source + "\n";
  }
  return print(text);
}

Result<int> run_network(const NetworkOptions& options) {
  if (options.list) return list_typical(options.json);
  if (options.np < 2)
    return Error{ErrorCode::kUsage, "--np must be at least 2", "--np 2 measures between two ranks", "--np"};
  if (!(options.budget_s >= kLeastBudget_s && options.budget_s <= kMostBudget_s)) {
    return Error{ErrorCode::kUsage, "--budget must be from 0.01 to 3600 seconds",
                 "it is for one size: --budget 2 measures some forty sizes in two minutes", "--budget"};
  }
  if (!(options.limit_s >= kLeastLimit_s && options.limit_s <= kMostLimit_s)) {
    return Error{ErrorCode::kUsage, "--limit must be from 1 to 1000000 seconds",
                 "it is for everything: --limit 600 takes at most ten minutes, about", "--limit"};
  }
  auto probe = TRY(launch::find_network_probe(options.launcher, options.mpi, options.probe));
  probe.ranks = options.np;
  probe.others_wait = options.others == "wait";
  Measuring measuring(probe, options);
  const auto measured = TRY(measuring.run());
  auto network = TRY(network_of(measured, probe, options.name));
  for (auto& [link, name] :
       {std::pair(&network.same_node, "same_node"), std::pair(&network.other_node, "other_node")}) {
    TRY(judge(*link, name, measuring.left_out(), options));
  }
  const auto text = TRY(loggp::network_text(network));
  // The file is read back, so that a later command cannot refuse it.
  TRY(loggp::parse_network(text, options.output));
  if (!options.output.empty()) {
    TRY(core::write_file_atomically(options.output, text));
  }
  say_what_is_missing(network, measured);
  return print(options.json ? text : report::network_table(network, {terminal_width(), use_color()}));
}

}  // namespace

void add_network_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<NetworkOptions>();
  CLI::App* command = app.add_subcommand("network", "Measure what messages cost here: LogGP(S) parameters");
  command->footer(kNetworkFooter);
  writes_file(command->add_option("-o,--output", options->output, "Write network.json")->type_name("FILE"));
  command->add_option("--launcher", options->launcher, "How ranks are started, with {np} and {command}")
      ->type_name("T");
  command->add_option("--mpi", options->mpi, "openmpi or mpich; told from the launcher where it says so")
      ->type_name("MPI");
  command
      ->add_option(
          "--np", options->np,
          "Ranks to start; two of them, or three, measure, and all of them exchange where each has a node of its own")
      ->capture_default_str();
  command->add_option("--max-size", options->largest, "Largest message in bytes")
      ->check(CLI::Range(uint64_t{1024}, uint64_t{1} << 24))
      ->capture_default_str();
  command->add_option("--budget", options->budget_s, "Seconds for a size, about")->capture_default_str();
  command
      ->add_option("--limit", options->limit_s,
                   "Seconds for everything, about: where messages take long, less is measured")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of the order of sizes")->capture_default_str();
  command->add_option("--name", options->name, "What the network is called in the file");
  command->add_option("--probe", options->probe, "The measuring program, where it was built by hand")
      ->type_name("FILE");
  command
      ->add_option(
          "--others", options->others,
          "Ranks that do not measure sleep, or wait in MPI as those of a program do: where they share cores with "
          "those that measure, messages then cost what they cost a program")
      ->type_name("HOW")
      ->check(CLI::IsMember({"sleep", "wait"}))
      ->capture_default_str();
  command->add_flag("--noisy", options->noisy, "Keep parameters that fit badly, with a warning");
  command->add_flag("--list", options->list,
                    "Print the typical networks that --network takes by name, with their sources; measures nothing");
  command->add_flag("--json", options->json, "Print JSON: network.json, or the typical networks");
  command->callback([options, &invocation] { invocation.exit_status = run_network(*options); });
}

}  // namespace scalediag::cli
