#include "collector/launch/store/experiment_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "collector/launch/host/host_facts.h"
#include "collector/launch/plan/word_table.h"
#include "collector/launch/process/run_guard.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/store/raw_files.h"
#include "core/atomic_file.h"
#include "core/experiment/network_file.h"
#include "core/experiment/output_file.h"
#include "core/leftovers.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

Status create_folders(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return core::write_error(path, failed.value());
  return Done{};
}

Status remove_path(const std::string& path) {
  std::error_code failed;
  fs::remove_all(path, failed);
  if (failed) return core::write_error(path, failed.value());
  return Done{};
}

bool holds_other_things(const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    if (name != ".lock" && name.rfind(core::kTemporaryFiles, 0) != 0) return true;
  }
  return false;
}

bool exists_file(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

// Whether nothing in the folder can be used by anybody: no run has ever been complete.
bool never_succeeded(const core::ExperimentFolder& folder, const core::Experiment& held) {
  const auto complete = [](const auto& run) { return run.state == core::RunState::kComplete; };
  return !exists_file(folder.profile_file()) && std::ranges::none_of(held.runs, complete);
}

bool is_recording(const core::Experiment& experiment) { return experiment.sampler == core::kMessages; }

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

Error belongs_to_another(const core::ExperimentFolder& folder, const core::Experiment& wanted,
                         const std::vector<std::string>& found) {
  return {ErrorCode::kInput, folder.path() + " holds runs of another experiment: " + core::join(found, "; "),
          wanted.emulation.empty() ? kBeginAgain : "choose another folder with -o", folder.path()};
}

// The choice made for --counters auto stays unless a source is requested now.
void take_counters(core::Experiment& experiment, const core::Experiment& wanted) {
  const bool unsettled = wanted.counters == "auto" && wanted.counter_source.empty();
  if (!unsettled || experiment.counters != "auto") {
    experiment.counter_source = wanted.counter_source;
    experiment.counter_reason = wanted.counter_reason;
  }
  experiment.counters = wanted.counters;
  experiment.events = wanted.events;
  experiment.events_precise = wanted.events_precise;
}

Result<core::Experiment> load_to_continue(const core::ExperimentFolder& folder, const core::Experiment& wanted) {
  auto loaded = folder.load();
  if (!loaded) {
    Error error = loaded.error();
    if (error.hint.empty()) error.hint = std::string("nothing was changed; ") + kBeginAgain;
    return error;
  }
  const auto found = differences(loaded.value(), wanted);
  if (!found.empty()) return belongs_to_another(folder, wanted, found);
  loaded.value().clock = wanted.clock;
  if (!wanted.scaling.empty()) loaded.value().scaling = wanted.scaling;
  if (!wanted.words.empty()) loaded.value().words = wanted.words;
  take_counters(loaded.value(), wanted);
  extend_record(loaded.value(), wanted);
  return loaded;
}

void compare_files(const core::Experiment& before, const core::Experiment& now, std::vector<std::string>& found) {
  if (!before.input_files || !now.input_files) return;
  for (const auto& [path, fingerprint] : *before.input_files) {
    const auto other = now.input_files->find(path);
    // Not every configuration is requested each time, so that a file which is not among the present ones is ignored.
    if (other == now.input_files->end() || other->second == fingerprint) continue;
    if (fingerprint == core::kWrittenByApplication) continue;
    found.push_back("the content of " + path + " has changed since");
  }
}

// Process counts that only one of them has are no difference.
void compare_nodes(const core::Experiment& before, const core::Experiment& now, std::vector<std::string>& found) {
  for (const auto& [np, nodes] : before.nodes) {
    const auto other = now.nodes.find(np);
    if (other == now.nodes.end() || other->second == nodes) continue;
    found.push_back("np=" + std::to_string(np) + " was on " + std::to_string(nodes) + " nodes and is now on " +
                    std::to_string(other->second));
  }
}

// Entries that only one of them has are no difference.
void compare_words(const core::Experiment& before, const core::Experiment& now, std::vector<std::string>& found) {
  const auto old_tables = parse_word_tables({}, before.words), new_tables = parse_word_tables({}, now.words);
  if (!old_tables || !new_tables) return;
  for (const auto& [name, table] : old_tables.value()) {
    const auto other = new_tables.value().find(name);
    if (other == new_tables.value().end()) continue;
    for (const auto& [np, words] : table) {
      const auto now_words = other->second.find(np);
      if (now_words == other->second.end() || now_words->second == words) continue;
      found.push_back("{" + name + "} at np=" + std::to_string(np) + " was " + core::join_shell_words(words) +
                      " and is now " + core::join_shell_words(now_words->second));
    }
  }
}

void compare_environment(const core::Experiment& before, const core::Experiment& now, std::vector<std::string>& found) {
  if (!before.environment || !now.environment) return;
  for (const auto& [name, value] : *before.environment) {
    const auto other = now.environment->find(name);
    if (other == now.environment->end()) {
      found.push_back(name + " was " + value + " and is now not set");
    } else if (other->second != value) {
      found.push_back(name + " was " + value + " and is now " + other->second);
    }
  }
  for (const auto& [name, value] : *now.environment) {
    if (before.environment->count(name) == 0) found.push_back(name + " was not set and is now " + value);
  }
}

}  // namespace

bool is_foreign(const core::ExperimentFolder& folder) {
  return !exists_file(folder.experiment_file()) && holds_other_things(folder.path());
}

Error foreign_folder(const std::string& path) {
  return {ErrorCode::kInput, path + " exists and is not an experiment folder",
          "choose another folder with -o; nothing in it was changed", path};
}

void extend_record(core::Experiment& experiment, const core::Experiment& wanted) {
  experiment.nodes.insert(wanted.nodes.begin(), wanted.nodes.end());
  if (experiment.ranks_per_node == 0) experiment.ranks_per_node = wanted.ranks_per_node;
  if (!experiment.environment) experiment.environment = wanted.environment;
  if (!experiment.input_files) {
    experiment.input_files = wanted.input_files;
  } else if (wanted.input_files) {
    experiment.input_files->insert(wanted.input_files->begin(), wanted.input_files->end());
  }
}

Status remove_experiment(const core::ExperimentFolder& folder) {
  for (const std::string& path :
       {folder.path() + "/runs", folder.path() + "/jobs", folder.replays(), folder.synths(), folder.profile_file(),
        folder.machine_file(), core::network_file_of(folder.path()), folder.experiment_file()}) {
    TRY(remove_path(path));
  }
  return Done{};
}

std::vector<std::string> differences(const core::Experiment& before, const core::Experiment& now) {
  std::vector<std::string> found;
  const auto compare = [&found](const std::string& what, const std::string& old_text, const std::string& new_text) {
    if (old_text != new_text) found.push_back(what + " was " + or_none(old_text) + " and is now " + or_none(new_text));
  };
  compare("the command", core::join_shell_words(before.command), core::join_shell_words(now.command));
  compare("the executable", before.executable, now.executable);
  if (before.executable == now.executable && before.executable_fingerprint != now.executable_fingerprint) {
    found.push_back("the executable " + now.executable + " was rebuilt since");
  }
  compare("the working directory", before.working_directory, now.working_directory);
  compare("the launcher", before.launcher, now.launcher);
  compare("the MPI", before.mpi_flavour, now.mpi_flavour);
  compare("the emulation", before.emulation, now.emulation);
  compare("the sampler", before.sampler, now.sampler);
  // Counting with PAPI changes the sampling; a pass under valgrind leaves the timed runs as they are.
  const auto papi_events = [](const core::Experiment& e) {
    if (e.counter_source != "papi") return std::string();
    return "PAPI's " + core::join_shell_words(e.events) + (e.events_precise ? " with --events-precise" : "");
  };
  compare("the counters of the timed runs", papi_events(before), papi_events(now));
  compare("the rate", core::to_text(before.rate_hz) + " Hz", core::to_text(now.rate_hz) + " Hz");
  const auto stacks = [](const core::Experiment& e) {
    return e.stack_bytes == 0 ? std::string("off") : std::to_string(e.stack_bytes) + " bytes of each stack";
  };
  compare("recording of call paths (--call-paths)", stacks(before), stacks(now));
  compare("what is seen of GPUs (--gpu)", before.gpu, now.gpu);
  compare("the end of runs after some iterations (--iterations)", before.iterations, now.iterations);
  compare("recording of events (--trace)", before.traced ? "on" : "off", now.traced ? "on" : "off");
  compare("recording of computations (--series)", before.traced_series ? "on" : "off",
          now.traced_series ? "on" : "off");
  compare("the standard input", before.stdin_file, now.stdin_file);
  auto old_names = before.parameter_names;
  auto new_names = now.parameter_names;
  std::ranges::sort(old_names);
  std::ranges::sort(new_names);
  compare("the list of parameters", core::join_shell_words(old_names), core::join_shell_words(new_names));
  compare_nodes(before, now, found);
  compare_words(before, now, found);
  compare_files(before, now, found);
  compare_environment(before, now, found);
  return found;
}

Result<ExperimentStore> ExperimentStore::open(const std::string& path, const core::Experiment& wanted, bool fresh) {
  const core::ExperimentFolder folder(path);
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && !S_ISDIR(info.st_mode)) {
    return Error{ErrorCode::kInput, path + " is a file, not a folder", "choose another name with -o", path};
  }
  // A folder that is not ours does not even get a lock file. One with a lock file may be changing at this moment.
  if (exists && !exists_file(path + "/.lock") && is_foreign(folder)) return foreign_folder(path);
  TRY(create_folders(path));
  auto lock = TRY(FolderLock::acquire(path));

  if (is_foreign(folder)) return foreign_folder(path);
  for (const std::string& file : {folder.experiment_file(), folder.profile_file(), path + "/runs"}) {
    if (auto usable = core::check_own_file(path, file, {}); !usable) return usable.error();
  }
  const bool is_experiment = exists_file(folder.experiment_file());
  const auto held = folder.load();
  // Of another experiment of which every run failed, nothing is kept. The same experiment goes on with what failed.
  const bool is_free = held && never_succeeded(folder, held.value()) && !differences(held.value(), wanted).empty();
  const bool begins = fresh || is_free;
  if (held && !is_free && is_recording(held.value()) != is_recording(wanted)) {
    return Error{ErrorCode::kInput,
                 path + (is_recording(wanted) ? " holds a profile, not a recording of messages"
                                              : " holds a recording of messages, not a profile"),
                 "choose another folder with -o; nothing in it was changed", path};
  }
  if (is_experiment && begins) {
    for (size_t i = 0; held && i < held.value().runs.size(); ++i) end_leftovers(held.value().runs[i]);
    TRY(remove_experiment(folder));
  }
  const bool continues = is_experiment && !begins;
  core::Experiment experiment = wanted;
  if (experiment.scaling.empty()) experiment.scaling = core::Experiment().scaling;
  if (continues) experiment = TRY(load_to_continue(folder, wanted));
  TRY(folder.save(experiment));
  TRY(create_folders(path + "/runs"));
  return ExperimentStore(folder, std::move(lock), std::move(experiment), continues);
}

core::RunEntry& ExperimentStore::entry(const core::Configuration& configuration, int repeat) {
  for (core::RunEntry& entry : experiment_.runs) {
    if (entry.configuration == configuration && entry.repeat == repeat) return entry;
  }
  core::RunEntry& entry = experiment_.runs.emplace_back();
  entry.configuration = configuration;
  entry.repeat = repeat;
  return entry;
}

core::CountingPass& ExperimentStore::counting_pass(const core::Configuration& configuration) {
  for (core::CountingPass& pass : experiment_.counting_passes) {
    if (pass.configuration == configuration) return pass;
  }
  core::CountingPass& pass = experiment_.counting_passes.emplace_back();
  pass.configuration = configuration;
  return pass;
}

Status ExperimentStore::begin(auto& attempt, const std::string& id) {
  attempt.state = core::RunState::kRunning;
  attempt.reason.clear();
  attempt.exit_status.reset();
  attempt.started = utc_now();
  attempt.elapsed_s = 0;
  TRY(save());
  const std::string path = folder_.run_folder(id);
  TRY(remove_path(path));
  return create_folders(path);
}

Status ExperimentStore::begin(core::CountingPass& pass) {
  return begin(pass, core::counting_pass_id(pass.configuration));
}

Status ExperimentStore::begin(core::RunEntry& entry) {
  return begin(entry, core::run_id(entry.configuration, entry.repeat));
}

bool ExperimentStore::note_written(const std::string& path) {
  if (!experiment_.input_files) return false;
  std::string& record = (*experiment_.input_files)[path];
  if (record == core::kWrittenByApplication) return false;
  record = core::kWrittenByApplication;
  return true;
}

std::string ExperimentStore::refusal(const std::string& what) const {
  const auto found = experiment_.refused.find(what);
  return found == experiment_.refused.end() ? "" : found->second;
}

Status ExperimentStore::note_refusal(const std::string& what, const std::string& reason) {
  if (refusal(what) == reason) return Done{};
  if (reason.empty()) {
    experiment_.refused.erase(what);
  } else {
    experiment_.refused[what] = reason;
  }
  return save();
}

void ExperimentStore::note_program(const std::string& program) {
  if (experiment_.program == program) return;
  experiment_.program = program;
  experiment_.program_fingerprint = program.empty() ? "" : fingerprint_of(program);
}

Status ExperimentStore::save() const { return folder_.save(experiment_); }

bool ExperimentStore::has_raw_files(const core::RunEntry& entry) const {
  return launch::has_raw_files(folder_.run_folder(core::run_id(entry.configuration, entry.repeat)));
}

}  // namespace scalediag::launch
