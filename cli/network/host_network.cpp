#include "cli/network/host_network.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "cli/diagnostics.h"
#include "cli/network/measured_network.h"
#include "collector/launch/host/network_probe.h"
#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/experiment/network_file.h"
#include "core/experiment/output_file.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "loggp/network/network_json.h"
#include "loggp/network/network_words.h"
#include "loggp/network/parameter_fit.h"

namespace scalediag::cli {
namespace {

// Every fourth power of two, twice: some 0.6 s, of which S_sync takes most.
constexpr uint64_t kSizes[] = {1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576};
constexpr int kPasses = 2;
constexpr double kPassBudget_s = 0.02;
constexpr double kMost_s = 3;     // of messages
constexpr double kTimeout_s = 6;  // with the start of the ranks
constexpr int kMostRanks = 64;
// Parameters of `scalediag network` are refused from kPoorResidual on. These stand in for such a file.
constexpr double kRoughResidual = 0.3;
// Shared memory takes microseconds at most. Ranks that wait for a core take a time slice of the system's, which is as
// steady (4 ms).
constexpr double kMostWithinHost_s = 100e-6;

struct Started {
  int ranks = 0;
  std::set<std::string> hosts;
};

// The largest run, whose ranks show where this launcher puts them.
Started largest_run(const std::vector<core::Run>& runs) {
  Started largest;
  for (const core::Run& run : runs) {
    if (run.np > largest.ranks) largest = {run.np, {run.hosts.begin(), run.hosts.end()}};
  }
  return largest;
}

std::string name_of(const loggp::NetworkMeasurement& measured) {
  std::set<std::string> hosts;
  for (const loggp::MeasuredLink& link : measured.links) hosts.insert(std::begin(link.hosts), std::end(link.hosts));
  const std::vector<std::string> names(hosts.begin(), hosts.end());
  return names.size() == 1 ? "shared memory of " + names[0] : "between " + core::join(names, " and ");
}

Status check_fit(const loggp::LinkClass& link) {
  if (link.segments.empty()) return Done{};
  const double residual = loggp::largest_residual(link);
  if (residual <= kRoughResidual) return Done{};
  return Error{ErrorCode::kEnvironment,
               "parameters deviate from what was measured by " + core::percent(residual) + ", something else ran"};
}

Result<loggp::Network> measure(const launch::NetworkProbe& probe, const launch::InterruptionGuard& interruption) {
  launch::ProbeRequest request;
  request.sizes.assign(std::begin(kSizes), std::end(kSizes));
  request.largest_sync = request.sizes.back();
  request.passes = kPasses;
  request.pass_budget_s = kPassBudget_s;
  request.most_s = kMost_s;
  request.timeout_s = kTimeout_s;
  request.interruption = &interruption;
  const auto text = TRY(launch::run_network_probe(probe, request));
  const auto measured = TRY(loggp::parse_measurement(text));
  if (measured.links.empty()) return Error{ErrorCode::kEnvironment, "no two ranks were started"};
  auto network = TRY(network_of(measured, probe, name_of(measured)));
  if (const double latency_s = network.same_node.latency_s; latency_s > kMostWithinHost_s) {
    return Error{ErrorCode::kEnvironment, "a message within this host took " + core::time_text(latency_s) +
                                              ": ranks waited for a core, since something else ran"};
  }
  for (const loggp::LinkClass* link : {&network.same_node, &network.other_node}) TRY(check_fit(*link));
  return network;
}

Result<std::string> measured_text(const launch::ProfilePreparation& preparation, const launch::ProfileSession& session,
                                  const Started& started) {
  const core::Experiment& experiment = preparation.experiment;
  if (experiment.mpi_flavour == "unknown") {
    return Error{ErrorCode::kEnvironment, "the program's MPI is not known"};
  }
  auto probe = TRY(launch::find_network_probe(experiment.launcher, experiment.mpi_flavour, ""));
  probe.launcher = preparation.launcher;  // with all that its template does not show
  const bool on_several_hosts = started.hosts.size() > 1;
  probe.ranks = on_several_hosts ? std::min(started.ranks, kMostRanks) : 2;
  const auto network = TRY(measure(probe, session.interruption()));
  if (on_several_hosts && network.other_node.segments.empty()) {
    return Error{ErrorCode::kEnvironment, "the program's ranks were on " + std::to_string(started.hosts.size()) +
                                              " hosts, those of " + std::to_string(probe.ranks) +
                                              " that measure were all on one"};
  }
  auto text = TRY(loggp::network_text(network));
  // The file is read back, so that a later command cannot refuse it.
  TRY(loggp::parse_network(text, "network.json"));
  return text;
}

Status keep_network(const core::ExperimentFolder& folder, const std::string& text) {
  const std::string file = core::network_file_of(folder.path());
  TRY(core::check_own_file(folder.path(), file, {folder.experiment_file()}));
  return core::write_file_atomically(file, text);
}

}  // namespace

core::Status keep_emulated_network(const std::string& folder, const loggp::Network& network) {
  if (!host_network_file(folder).empty()) return Done{};
  const auto text = TRY(loggp::network_text(network));
  return keep_network(core::ExperimentFolder(folder), text);
}

void keep_host_network(const launch::ProfilePreparation& preparation, const launch::ProfileSession& session,
                       launch::ExperimentStore& store, bool made_runs) {
  const std::string file = core::network_file_of(preparation.folder);
  std::error_code none;
  const Started started = largest_run(session.measured().runs());
  if (started.ranks < 2 || std::filesystem::exists(file, none)) return;
  const auto keep = [&]() -> Status {
    if (const std::string before = store.refusal(launch::kNetwork); !made_runs && !before.empty()) {
      return Error{ErrorCode::kEnvironment, before};
    }
    const auto text = TRY(measured_text(preparation, session, started));
    return keep_network(store.folder(), text);
  };
  const Status kept = keep();
  const Status noted = store.note_refusal(launch::kNetwork, kept ? "" : kept.error().message);
  if (!noted) warn(noted.error().message, noted.error().hint);
  if (!kept) {
    note("this host's network was not measured: " + kept.error().message + "; `scalediag network -o " +
         core::quote_shell_word(file) + "` measures longer, --no-network leaves it out");
  } else {
    note("measured this host's network, for commands that need one: " + file);
  }
}

std::string host_network_file(const std::string& input) {
  const std::string file = core::network_file_of(input);
  std::error_code none;
  return std::filesystem::is_regular_file(file, none) ? file : "";
}

std::string host_network_remark(const loggp::Network& network, const std::string& file) {
  return "the network is that of the experiment's folder, " +
         (network.name.empty() ? file : network.name + " (" + file + ")") +
         "; for a cluster give its own: --network with a file, words or a name such as hdr";
}

Result<loggp::Network> asked_or_host_network(const std::string& asked, const std::string& input) {
  if (!asked.empty()) return loggp::network_of(asked);
  const std::string file = host_network_file(input);
  if (file.empty()) {
    return Error{ErrorCode::kUsage, "--network is missing, and " + input + " holds no network.json",
                 "--network NET names a file, a typical network (`scalediag network --list`) or says latency and "
                 "bandwidth",
                 "--network"};
  }
  auto network = loggp::read_network(file);
  if (network) note(host_network_remark(network.value(), file));
  return network;
}

}  // namespace scalediag::cli
