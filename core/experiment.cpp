#include "core/experiment.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "core/atomic_file.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
#include "core/numbers.h"

namespace scalediag::core {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "scalediag-experiment";
constexpr int kVersion = 1;
constexpr int kCompactDepth = 4;

constexpr std::array kStates = {RunState::kPlanned, RunState::kRunning, RunState::kComplete, RunState::kIncomplete,
                                RunState::kFailed};

Json to_json(const RunEntry& run) {
  Json parameters = Json::object();
  for (const auto& [name, value] : run.configuration.parameters) parameters[name] = value;
  return {{"id", run_id(run.configuration, run.repeat)},
          {"np", run.configuration.np},
          {"parameters", parameters},
          {"repeat", run.repeat},
          {"state", name_of(run.state)},
          {"reason", run.reason},
          {"exit_status", run.exit_status ? Json(*run.exit_status) : Json(nullptr)},
          {"started", run.started},
          {"elapsed_s", run.elapsed_s},
          {"command", run.command}};
}

Json to_json(const Experiment& e) {
  Json runs = Json::array();
  for (const RunEntry& run : e.runs) runs.push_back(to_json(run));
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
          {"rate_hz", e.rate_hz},
          {"stdin_file", e.stdin_file},
          {"parameter_names", e.parameter_names},
          {"host",
           {{"name", e.host.name},
            {"kernel", e.host.kernel},
            {"cpu", e.host.cpu},
            {"cores", e.host.cores},
            {"memory_bytes", e.host.memory_bytes}}},
          {"runs", runs}};
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
  // The id is the name of the run's folder and follows from the rest; where they differ, somebody edited one of them.
  std::string id;
  node.read("id", id);
  if (!node.failed() && id != run_id(run.configuration, run.repeat)) {
    node.fail("id", "expected \"" + run_id(run.configuration, run.repeat) + "\", found \"" + id + "\"");
  }
  return run;
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
  root.read("rate_hz", e.rate_hz);
  root.read("stdin_file", e.stdin_file);
  root.read("parameter_names", e.parameter_names);
  root.object("host", [&e](const JsonNode& host) {
    host.read("name", e.host.name);
    host.read("kernel", e.host.kernel);
    host.read("cpu", e.host.cpu);
    host.read("cores", e.host.cores, 0);
    host.read("memory_bytes", e.host.memory_bytes);
  });
  root.each("runs", [&e](const JsonNode& run) { e.runs.push_back(read_run(run)); });
  return e;
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
  std::string np = std::to_string(configuration.np);
  if (np.size() < 4) np.insert(0, 4 - np.size(), '0');
  std::string id = "np" + np;
  for (const auto& [name, value] : configuration.parameters) id += "." + name + to_text(value);
  return id + ".r" + std::to_string(repeat);
}

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
  struct stat found {};
  if (::stat(path_.c_str(), &found) != 0) {
    return Error{ErrorCode::kInput, "there is no experiment folder " + path_,
                 "make one with `scalediag profile -o " + path_ + " -n LIST -- APP`", path_};
  }
  if (::stat(file.c_str(), &found) != 0) {
    return Error{ErrorCode::kInput, path_ + " is not an experiment folder: it holds no experiment.json",
                 "name a folder that `scalediag profile` wrote", path_};
  }
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
  return write_file_atomically(file, text.value());
}

}  // namespace scalediag::core
