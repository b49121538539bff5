#include "core/experiment/experiment.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <utility>

#include "core/atomic_file.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/text/numbers.h"

namespace scalediag::core {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "scalediag-experiment";
constexpr int kVersion = 1;
constexpr int kCompactDepth = 4;

constexpr std::array kStates = {RunState::kPlanned, RunState::kRunning, RunState::kComplete, RunState::kIncomplete,
                                RunState::kFailed};

Json parameters_of(const Configuration& configuration) {
  Json parameters = Json::object();
  for (const auto& [name, value] : configuration.parameters) parameters[name] = value;
  return parameters;
}

Json to_json(const CountingPass& pass) {
  return {{"id", counting_pass_id(pass.configuration)},
          {"np", pass.configuration.np},
          {"parameters", parameters_of(pass.configuration)},
          {"state", name_of(pass.state)},
          {"reason", pass.reason},
          {"exit_status", pass.exit_status ? Json(*pass.exit_status) : Json(nullptr)},
          {"started", pass.started},
          {"elapsed_s", pass.elapsed_s},
          {"command", pass.command},
          {"ranks", pass.ranks},
          {"stands_for", pass.stands_for},
          {"measured_llc_bytes", pass.measured_llc_bytes}};
}

Json to_json(const RunEntry& run) {
  return {{"id", run_id(run.configuration, run.repeat)},
          {"np", run.configuration.np},
          {"parameters", parameters_of(run.configuration)},
          {"repeat", run.repeat},
          {"state", name_of(run.state)},
          {"reason", run.reason},
          {"exit_status", run.exit_status ? Json(*run.exit_status) : Json(nullptr)},
          {"started", run.started},
          {"elapsed_s", run.elapsed_s},
          {"command", run.command},
          {"stamp", run.stamp},
          {"job", run.job}};
}

Json to_json(const std::optional<std::map<std::string, std::string>>& texts) {
  if (!texts) return nullptr;
  Json all = Json::object();
  for (const auto& [name, text] : *texts) all[name] = text;
  return all;
}

Json to_json(const std::vector<LauncherTrial>& trials) {
  Json all = Json::array();
  for (const LauncherTrial& trial : trials) all.push_back({{"launcher", trial.launcher}, {"fault", trial.fault}});
  return all;
}

Json to_json(const std::map<int, int>& nodes) {
  Json all = Json::object();
  for (const auto& [np, n] : nodes) all[std::to_string(np)] = n;
  return all;
}

Json to_json(const Experiment& e) {
  Json runs = Json::array();
  for (const RunEntry& run : e.runs) runs.push_back(to_json(run));
  Json passes = Json::array();
  for (const CountingPass& pass : e.counting_passes) passes.push_back(to_json(pass));
  return {{"schema", std::string(kSchema) + "/" + std::to_string(kVersion)},
          {"scalediag_version", e.scalediag_version},
          {"created", e.created},
          {"command", e.command},
          {"executable", e.executable},
          {"executable_fingerprint", e.executable_fingerprint},
          {"working_directory", e.working_directory},
          {"launcher", e.launcher},
          {"mpi_flavour", e.mpi_flavour},
          {"mpi_library", e.mpi_library},
          {"clock", e.clock},
          {"sampler", e.sampler},
          {"counters", e.counters},
          {"events", e.events},
          {"events_precise", e.events_precise},
          {"counter_source", e.counter_source},
          {"counter_reason", e.counter_reason},
          {"scaling", e.scaling},
          {"rate_hz", e.rate_hz},
          {"emulation", e.emulation},
          {"traced", e.traced},
          {"stack_bytes", e.stack_bytes},
          {"gpu", e.gpu},
          {"traced_series", e.traced_series},
          {"stdin_file", e.stdin_file},
          {"input_files", to_json(e.input_files)},
          {"environment", to_json(e.environment)},
          {"parameter_names", e.parameter_names},
          {"words", e.words},
          {"program", e.program},
          {"program_fingerprint", e.program_fingerprint},
          {"refused", e.refused},
          {"launcher_trials", to_json(e.launcher_trials)},
          {"nodes", to_json(e.nodes)},
          {"ranks_per_node", e.ranks_per_node},
          {"host",
           {{"name", e.host.name},
            {"kernel", e.host.kernel},
            {"cpu", e.host.cpu},
            {"cores", e.host.cores},
            {"memory_bytes", e.host.memory_bytes}}},
          {"runs", runs},
          {"counting_passes", passes}};
}

RunState read_state(const JsonNode& node) {
  std::string text;
  node.read("state", text);
  const auto* found =
      std::find_if(kStates.begin(), kStates.end(), [&text](RunState state) { return text == name_of(state); });
  if (found != kStates.end()) return *found;
  node.fail("state",
            "expected \"planned\", \"running\", \"complete\", \"incomplete\" or \"failed\", found \"" + text + "\"");
  return RunState::kPlanned;
}

RunEntry read_run(const JsonNode& node) {
  RunEntry run;
  node.read("np", run.configuration.np, 1);
  node.read("parameters", run.configuration.parameters);
  node.read("repeat", run.repeat, 0);
  run.state = read_state(node);
  node.read("reason", run.reason);
  node.read("exit_status", run.exit_status);
  node.read("started", run.started);
  node.read("elapsed_s", run.elapsed_s);
  node.read("command", run.command);
  if (node.has("stamp")) node.read("stamp", run.stamp);
  if (node.has("job")) node.read("job", run.job);
  // The id is the name of the run's folder and follows from the other fields; where they differ, one of them was
  // edited.
  std::string id;
  node.read("id", id);
  if (!node.failed() && id != run_id(run.configuration, run.repeat)) {
    node.fail("id", "expected \"" + run_id(run.configuration, run.repeat) + "\", found \"" + id + "\"");
  }
  return run;
}

CountingPass read_counting_pass(const JsonNode& node) {
  CountingPass pass;
  node.read("np", pass.configuration.np, 1);
  node.read("parameters", pass.configuration.parameters);
  pass.state = read_state(node);
  node.read("reason", pass.reason);
  node.read("exit_status", pass.exit_status);
  node.read("started", pass.started);
  node.read("elapsed_s", pass.elapsed_s);
  node.read("command", pass.command);
  node.read("ranks", pass.ranks, 0);
  node.read("stands_for", pass.stands_for, 1);
  if (node.has("measured_llc_bytes")) node.read("measured_llc_bytes", pass.measured_llc_bytes);
  if (node.failed()) return pass;
  long sum = 0;
  for (const int n : pass.stands_for) sum += n;
  const bool ascending =
      std::adjacent_find(pass.ranks.begin(), pass.ranks.end(), std::greater_equal<>()) == pass.ranks.end();
  if (pass.ranks.size() != pass.stands_for.size() || sum != pass.configuration.np || !ascending ||
      pass.ranks.back() >= pass.configuration.np) {
    node.fail("ranks", "expected ranks below np, ascending, and for each the number of ranks that it stands for");
  }
  return pass;
}

Experiment read_experiment(const JsonNode& root) {
  Experiment e;
  root.read("scalediag_version", e.scalediag_version);
  root.read("created", e.created);
  root.read("command", e.command);
  root.read("executable", e.executable);
  root.read("executable_fingerprint", e.executable_fingerprint);
  root.read("working_directory", e.working_directory);
  root.read("launcher", e.launcher);
  root.read("mpi_flavour", e.mpi_flavour);
  root.read("mpi_library", e.mpi_library);
  root.read("clock", e.clock);
  root.read("sampler", e.sampler);
  e.counters = "none";
  if (root.has("counters")) root.read("counters", e.counters);
  if (root.has("events")) root.read("events", e.events);
  if (root.has("events_precise")) root.read("events_precise", e.events_precise);
  if (root.has("counter_source")) root.read("counter_source", e.counter_source);
  if (root.has("counter_reason")) root.read("counter_reason", e.counter_reason);
  if (root.has("scaling")) root.read("scaling", e.scaling);
  root.read("rate_hz", e.rate_hz);
  if (root.has("emulation")) root.read("emulation", e.emulation);
  if (root.has("traced")) root.read("traced", e.traced);
  if (root.has("stack_bytes")) root.read("stack_bytes", e.stack_bytes);
  if (root.has("gpu")) root.read("gpu", e.gpu);
  if (root.has("traced_series")) root.read("traced_series", e.traced_series);
  root.read("stdin_file", e.stdin_file);
  if (root.has("input_files")) root.read("input_files", e.input_files);
  if (root.has("environment")) root.read("environment", e.environment);
  root.read("parameter_names", e.parameter_names);
  for (const auto& [name, texts] : {std::pair("words", &e.words), std::pair("refused", &e.refused)}) {
    if (!root.has(name)) continue;
    std::optional<std::map<std::string, std::string>> read;
    root.read(name, read);
    *texts = read.value_or(std::map<std::string, std::string>());
  }
  if (root.has("launcher_trials")) {
    root.each("launcher_trials", [&e](const JsonNode& trial) {
      trial.read("launcher", e.launcher_trials.emplace_back().launcher);
      trial.read("fault", e.launcher_trials.back().fault);
    });
  }
  if (root.has("nodes")) {
    std::map<std::string, double> nodes;
    root.read("nodes", nodes);
    for (const auto& [np, n] : nodes) {
      const int processes = std::atoi(np.c_str());
      if (processes < 1 || std::to_string(processes) != np || !(n >= 1) || !(n <= processes)) {
        root.fail("nodes", "expected numbers of processes, each with at most as many nodes");
        break;
      }
      e.nodes[processes] = static_cast<int>(n);
    }
  }
  if (root.has("ranks_per_node")) root.read("ranks_per_node", e.ranks_per_node, 0);
  if (root.has("program")) root.read("program", e.program);
  if (root.has("program_fingerprint")) root.read("program_fingerprint", e.program_fingerprint);
  root.object("host", [&e](const JsonNode& host) {
    host.read("name", e.host.name);
    host.read("kernel", e.host.kernel);
    host.read("cpu", e.host.cpu);
    host.read("cores", e.host.cores, 0);
    host.read("memory_bytes", e.host.memory_bytes);
  });
  root.each("runs", [&e](const JsonNode& run) { e.runs.push_back(read_run(run)); });
  if (root.has("counting_passes")) {
    root.each("counting_passes", [&e](const JsonNode& pass) { e.counting_passes.push_back(read_counting_pass(pass)); });
  }
  return e;
}

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
    case RunState::kPlanned:
      return "planned";
    case RunState::kRunning:
      return "running";
    case RunState::kComplete:
      return "complete";
    case RunState::kIncomplete:
      return "incomplete";
    case RunState::kFailed:
      return "failed";
  }
  return "planned";
}

std::string run_id(const Configuration& configuration, int repeat) {
  return id_of(configuration) + ".r" + std::to_string(repeat);
}

std::string new_stamp(const std::string& run_id) {
  std::random_device random;
  char number[20];
  std::snprintf(number, sizeof number, "-%08x%08x", random(), random());
  return run_id + number;
}

std::string run_id_of_stamp(const std::string& stamp) { return stamp.substr(0, stamp.rfind('-')); }

std::string counting_pass_id(const Configuration& configuration) { return id_of(configuration) + ".simulated"; }

Result<Experiment> parse_experiment(const std::string& text, const std::string& file) {
  const Result<nlohmann::json> document = parse_json(text, file);
  if (!document) return document.error();
  const Status schema =
      check_schema(document.value(), kSchema, kVersion, file, "profile again into another folder, chosen with -o");
  if (!schema) return schema.error();

  std::optional<std::string> failure;
  Experiment experiment = read_experiment(JsonNode(document.value(), failure));
  if (failure) return Error{ErrorCode::kInput, file + " is damaged: " + *failure, "", file};
  return experiment;
}

Result<Experiment> ExperimentFolder::load() const {
  const std::string file = experiment_file();
  const Status folder_there =
      check_there(path_, {ErrorCode::kInput, "there is no experiment folder " + path_,
                          "make one with `scalediag profile -o " + path_ + " -n LIST -- APP`", path_});
  if (!folder_there) return folder_there.error();
  const Status file_there =
      check_there(file, {ErrorCode::kInput, path_ + " is not an experiment folder: it holds no experiment.json",
                         "name a folder that `scalediag profile` wrote", path_});
  if (!file_there) return file_there.error();
  const Result<std::string> text = read_file(file);
  return text ? parse_experiment(text.value(), file) : text.error();
}

Status ExperimentFolder::save(const Experiment& experiment) const {
  const std::string file = experiment_file();
  const Result<std::string> text = to_json_text(to_json(experiment), kCompactDepth);
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
