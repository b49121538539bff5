#include "report/findings/provenance.h"

#include <algorithm>
#include <set>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

Point configuration_of(const core::Profile& profile, int np, const std::map<std::string, double>& parameters) {
  Point at = {{"np", np}};
  for (const std::string& name : profile.parameter_names) {
    const auto value = parameters.find(name);
    if (value != parameters.end()) at.emplace_back(name, value->second);
  }
  return at;
}

// Distinct texts of all runs, "; " between them.
template <class TextOf>
std::string of_all_runs(const core::Profile& profile, TextOf text_of_run) {
  std::string text;
  std::set<std::string> seen;
  for (const core::Run& run : profile.runs) {
    const std::string of_run = text_of_run(run);
    if (of_run.empty() || !seen.insert(of_run).second) continue;
    text += (text.empty() ? "" : "; ") + of_run;
  }
  return text;
}

class Facts {
 public:
  void add(const std::string& name, const std::string& text) {
    if (!text.empty()) facts_.emplace_back(name, text);
  }

  void of_experiment(const core::Experiment& e) {
    add("command", core::join(e.command, " "));
    add("executable", e.executable);
    add("folder", e.working_directory);
    add("launcher", e.launcher);
    add("standard input", e.stdin_file);
    std::string host = e.host.name;
    if (!e.host.cpu.empty()) host += ", " + e.host.cpu;
    if (e.host.cores > 0) host += ", " + std::to_string(e.host.cores) + (e.host.cores == 1 ? " core" : " cores");
    if (e.host.memory_bytes > 0) host += ", " + core::bytes_text(e.host.memory_bytes) + " of memory";
    add("host", host);
    add("kernel", e.host.kernel);
    add("measured", e.created);
    add("scalediag", e.scalediag_version);
  }

  void of_runs(const core::Profile& profile) {
    add("MPI", of_all_runs(profile, [](const core::Run& run) { return run.mpi_library; }));
    add("hosts", of_all_runs(profile, [](const core::Run& run) {
          constexpr size_t kNamedHosts = 4;
          const std::vector<std::string> named(run.hosts.begin(),
                                               run.hosts.begin() + std::min(kNamedHosts, run.hosts.size()));
          return core::join(named, ", ") + (run.hosts.size() > kNamedHosts
                                                ? " and " + std::to_string(run.hosts.size() - kNamedHosts) + " more"
                                                : std::string());
        }));
    add("clock", of_all_runs(profile, [](const core::Run& run) {
          return std::string(core::name_of(run.clock)) + (run.clock_reason.empty() ? "" : ": " + run.clock_reason);
        }));
    add("sampler", of_all_runs(profile, [](const core::Run& run) {
          if (run.sampler.empty() || run.sampler == "none") return run.sampler;
          return run.sampler + ", " + core::fixed(run.sampling_rate_hz, 0) + " samples a second";
        }));
    add("counters", of_all_runs(profile, core::counting_text));
    int threads = 1;
    for (const core::Run& run : profile.runs) threads = std::max(threads, run.threads_max);
    if (threads > 1) add("threads", "up to " + std::to_string(threads) + " at once in a rank");
  }

  void of_machine(const core::MachineUsed& m) {
    std::string text = m.cpu + ", " + core::fixed(m.frequency_hz / 1e9, 2) +
                       " GHz with all cores at work, smallest CPI " + core::fixed(m.smallest_cpi, 3);
    for (const auto& [level, latency] : m.latency_s) {
      text += ", " + level + " " + core::fixed(latency * 1e9, 2) + " ns";
    }
    if (m.bandwidth_bytes_per_s > 0) text += ", " + core::bytes_text(m.bandwidth_bytes_per_s) + "/s";
    add("machine", text + "; measured " + m.created);
  }

  std::vector<std::pair<std::string, std::string>> take() && { return std::move(facts_); }

 private:
  std::vector<std::pair<std::string, std::string>> facts_;
};

std::vector<MeasuredRuns> measured_runs(const core::Profile& profile) {
  std::vector<MeasuredRuns> all;
  for (const auto& runs : core::group_by_configuration(profile, true)) {
    const core::ConfigurationSummary summary = core::summarize(runs);
    MeasuredRuns measured;
    measured.at = configuration_of(profile, summary.np, summary.parameters);
    measured.repeats = runs.size();
    measured.total_s = summary.total_s;
    measured.total_cv = summary.total_cv;
    measured.wall_s = summary.wall_s;
    measured.samples = summary.samples;
    measured.lost_samples = summary.lost_samples;
    measured.unsteady = core::judge_stability(summary).noisy.size();
    all.push_back(std::move(measured));
  }
  return all;
}

std::vector<core::CounterEvent> events_of(const core::Profile& profile) {
  std::vector<core::CounterEvent> all;
  std::set<std::pair<std::string, std::string>> seen;
  for (const core::Run& run : profile.runs) {
    for (const core::CounterEvent& event : run.counter_events) {
      if (seen.emplace(event.event, event.metric).second) all.push_back(event);
    }
  }
  return all;
}

std::vector<std::string> missing_runs(const core::Profile& profile, const core::Experiment* experiment) {
  std::vector<std::string> all;
  for (const core::Run& run : profile.runs) {
    if (!run.complete) all.push_back(run.id + ": incomplete" + (run.reason.empty() ? "" : ", " + run.reason));
  }
  if (experiment == nullptr) return all;
  for (const core::RunEntry& run : experiment->runs) {
    if (run.state == core::RunState::kComplete || run.state == core::RunState::kIncomplete) continue;
    all.push_back(core::run_id(run.configuration, run.repeat) + ": " + core::name_of(run.state) +
                  (run.reason.empty() ? "" : ", " + run.reason));
  }
  return all;
}

}  // namespace

Provenance provenance_of(const core::Profile& profile, const core::Experiment* experiment) {
  Facts facts;
  if (experiment != nullptr) {
    facts.of_experiment(*experiment);
  } else {
    facts.add("command", core::join(profile.command, " "));
  }
  facts.of_runs(profile);
  if (profile.machine) facts.of_machine(*profile.machine);
  Provenance provenance;
  provenance.facts = std::move(facts).take();
  provenance.runs = measured_runs(profile);
  provenance.events = events_of(profile);
  provenance.warnings = core::group_warnings(profile.runs);
  provenance.missing = missing_runs(profile, experiment);
  return provenance;
}

}  // namespace scalediag::report
