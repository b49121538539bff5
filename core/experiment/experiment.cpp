#include "core/experiment/experiment.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "core/atomic_file.h"
#include "core/json/json_fields.h"
#include "core/json/json_writer.h"
#include "core/text/formatted.h"
#include "core/text/numbers.h"

namespace scalediag::core {

// The fields of each record, for FieldReader and FieldWriter.

constexpr RunState kStates[] = {RunState::kPlanned, RunState::kRunning, RunState::kComplete, RunState::kIncomplete,
                                RunState::kFailed};

// The fields that runs and counting passes share.
template <class Fields, class Entry> void entry_fields(Fields& f, Entry& entry) {
  f("np", entry.configuration.np, 1);
  f("parameters", entry.configuration.parameters);
  if constexpr (std::is_same_v<Entry, RunEntry>) f("repeat", entry.repeat, 0);
  f.name("state", entry.state, kStates, R"("planned", "running", "complete", "incomplete" or "failed")");
  f("reason", entry.reason);
  f("exit_status", entry.exit_status);
  f("started", entry.started);
  f("elapsed_s", entry.elapsed_s);
  f("command", entry.command);
}

void fields(auto& f, CountingPass& pass) {
  std::string id = counting_pass_id(pass.configuration);
  f.newer("id", id);
  entry_fields(f, pass);
  f("ranks", pass.ranks, 0);
  f("stands_for", pass.stands_for, 1);
  f.newer("measured_llc_bytes", pass.measured_llc_bytes);
  const auto n = std::accumulate(pass.stands_for.begin(), pass.stands_for.end(), 0L);
  const bool ascending = std::ranges::adjacent_find(pass.ranks, std::greater_equal<>()) == pass.ranks.end();
  if (pass.ranks.empty() || pass.ranks.size() != pass.stands_for.size() || n != pass.configuration.np || !ascending ||
      pass.ranks.back() >= pass.configuration.np) {
    f.fail("ranks", "expected ranks below np, ascending, and for each the number of ranks that it stands for");
  }
}

void fields(auto& f, RunEntry& run) {
  std::string id = run_id(run.configuration, run.repeat);
  f("id", id);
  entry_fields(f, run);
  f.newer("stamp", run.stamp);
  f.newer("job", run.job);
  // The id follows from the other fields; where they differ, one of them was edited.
  const std::string expected = run_id(run.configuration, run.repeat);
  if (id != expected) f.fail("id", "expected \"" + expected + "\", found \"" + id + "\"");
}

void fields(auto& f, LauncherTrial& trial) {
  f("launcher", trial.launcher);
  f("fault", trial.fault);
}

void fields(auto& f, Experiment& e) {
  f("scalediag_version", e.scalediag_version);
  f("created", e.created);
  f("command", e.command);
  f("executable", e.executable);
  f("executable_fingerprint", e.executable_fingerprint);
  f("working_directory", e.working_directory);
  f("launcher", e.launcher);
  f("mpi_flavour", e.mpi_flavour);
  f("mpi_library", e.mpi_library);
  f("clock", e.clock);
  f("sampler", e.sampler);
  if (!f.has("counters", true)) e.counters = "none";
  f.newer("counters", e.counters);
  f.newer("events", e.events);
  f.newer("events_precise", e.events_precise);
  f.newer("counter_source", e.counter_source);
  f.newer("counter_reason", e.counter_reason);
  f.newer("scaling", e.scaling);
  f("rate_hz", e.rate_hz);
  f.newer("emulation", e.emulation);
  f.newer("iterations", e.iterations);
  f.newer("traced", e.traced);
  f.newer("stack_bytes", e.stack_bytes);
  f.newer("gpu", e.gpu);
  f.newer("traced_series", e.traced_series);
  f("stdin_file", e.stdin_file);
  f.newer("input_files", e.input_files);
  f.newer("environment", e.environment);
  f("parameter_names", e.parameter_names);
  f.newer("words", e.words);
  f.newer("program", e.program);
  f.newer("program_fingerprint", e.program_fingerprint);
  f.newer("refused", e.refused);
  f.newer("launcher_trials", e.launcher_trials);
  f.newer("nodes", e.nodes);
  for (const auto& [np, n] : e.nodes) {
    if (n >= 1 && n <= np) continue;
    f.fail("nodes", "expected numbers of processes, each with at most as many nodes");
  }
  f.newer("ranks_per_node", e.ranks_per_node, 0);
  f("host", e.host);
  f("runs", e.runs);
  f.newer("counting_passes", e.counting_passes);
}

namespace {

constexpr char kSchema[] = "scalediag-experiment";
constexpr int kVersion = 1;
constexpr int kCompactDepth = 4;

std::string id_of(const Configuration& configuration) {
  std::string np = std::to_string(configuration.np);
  if (np.size() < 4) np.insert(0, 4 - np.size(), '0');
  std::string id = "np" + np;
  for (const auto& [name, value] : configuration.parameters) id += "." + name + to_text(value);
  return id;
}

}  // namespace

const char* name_of(RunState state) {
  switch (state) {
    case RunState::kPlanned: return "planned";
    case RunState::kRunning: return "running";
    case RunState::kComplete: return "complete";
    case RunState::kIncomplete: return "incomplete";
    case RunState::kFailed: return "failed";
  }
  return "planned";
}

std::string run_id(const Configuration& configuration, int repeat) {
  return id_of(configuration) + ".r" + std::to_string(repeat);
}

std::string new_stamp(const std::string& run_id) {
  std::random_device random;
  const std::string number = formatted("-%08x%08x", random(), random());
  return run_id + number;
}

std::string run_id_of_stamp(const std::string& stamp) { return stamp.substr(0, stamp.rfind('-')); }

std::string counting_pass_id(const Configuration& configuration) { return id_of(configuration) + ".simulated"; }

Result<Experiment> parse_experiment(const std::string& text, const std::string& file) {
  const nlohmann::json document = TRY(parse_json(text, file));
  TRY(check_schema(document, kSchema, kVersion, file, "profile again into another folder, chosen with -o"));

  std::optional<std::string> failure;
  auto experiment = record_of<Experiment>(JsonNode(document, failure));
  if (failure) return Error{ErrorCode::kInput, file + " is damaged: " + *failure, "", file};
  return experiment;
}

Result<Experiment> ExperimentFolder::load() const {
  const std::string file = experiment_file();
  TRY(check_there(path_, {ErrorCode::kInput, "there is no experiment folder " + path_,
                          "make one with `scalediag profile -o " + path_ + " -n LIST -- APP`", path_}));
  TRY(check_there(file, {ErrorCode::kInput, path_ + " is not an experiment folder: it holds no experiment.json",
                         "name a folder that `scalediag profile` wrote", path_}));
  const Result<std::string> text = read_file(file);
  return text ? parse_experiment(text.value(), file) : text.error();
}

Status ExperimentFolder::save(const Experiment& experiment) const {
  const std::string file = experiment_file();
  const auto document = json_of_record(experiment, {{"schema", std::string(kSchema) + "/" + std::to_string(kVersion)}});
  const Result<std::string> text = to_json_text(document, kCompactDepth);
  if (!text) {
    Error error = text.error();
    error.message = "cannot write " + file + ": " + error.message;
    error.where = file;
    return error;
  }
  return write_own_file_atomically(file, text.value());
}

namespace {

std::string np_name(int ranks) {
  char name[16];
  std::snprintf(name, sizeof name, "/np%04d", ranks);
  return name;
}

}  // namespace

std::string ExperimentFolder::replays_of(int ranks) const { return replays() + np_name(ranks); }

std::set<int> ExperimentFolder::replayed_scales() const {
  std::set<int> scales;
  std::error_code failed;
  for (std::filesystem::directory_iterator it(replays(), failed), end; !failed && it != end; it.increment(failed)) {
    const std::string name = it->path().filename().string();
    const int ranks = name.starts_with("np") ? std::atoi(name.c_str() + 2) : 0;
    if (ranks > 0 && replays_of(ranks) == it->path().string()) scales.insert(ranks);
  }
  return scales;
}

std::string ExperimentFolder::traced_of(int ranks) const { return replays_of(ranks) + "/traced"; }

std::string ExperimentFolder::synth_of(int ranks) const { return synths() + np_name(ranks) + ".json"; }

std::optional<RunOfExperiment> run_of_folder(const std::string& run_folder) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::weakly_canonical(run_folder, failed);
  const ExperimentFolder folder(path.parent_path().parent_path().string());
  auto experiment = folder.load();
  if (!experiment) return std::nullopt;
  const std::vector<RunEntry>& runs = experiment.value().runs;
  const auto found = std::ranges::find_if(
      runs, [&](const RunEntry& run) { return run_id(run.configuration, run.repeat) == path.filename(); });
  if (found == runs.end()) return std::nullopt;
  const auto number = static_cast<size_t>(found - runs.begin());
  return RunOfExperiment{folder, std::move(experiment).value(), number};
}

}  // namespace scalediag::core
