#include "cli/experiment_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "cli/host_facts.h"
#include "cli/raw_files.h"
#include "cli/shell_words.h"
#include "core/numbers.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;
using core::Done;
using core::Error;
using core::ErrorCode;
using core::Result;
using core::Status;

const std::string kElsewhere = "choose another folder with -o, or begin again with --fresh";

Error cannot_write(const std::string& path, const std::string& reason) {
  return {ErrorCode::kEnvironment, "cannot write " + path + ": " + reason,
          "free space, or choose a folder that you may write to with -o", path};
}

Status create_folders(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return cannot_write(path, failed.message());
  return Done{};
}

Status remove_path(const std::string& path) {
  std::error_code failed;
  fs::remove_all(path, failed);
  if (failed) return cannot_write(path, failed.message());
  return Done{};
}

// experiment.json goes last: as long as it is there the folder is known to be ours.
Status remove_experiment(const core::ExperimentFolder& folder) {
  for (const std::string& path : {folder.path() + "/runs", folder.profile_file(), folder.experiment_file()}) {
    if (auto removed = remove_path(path); !removed) return removed;
  }
  return Done{};
}

bool holds_other_things(const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().filename() != ".lock") return true;
  }
  return false;
}

bool exists_file(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

bool is_foreign(const core::ExperimentFolder& folder) {
  return !exists_file(folder.experiment_file()) && holds_other_things(folder.path());
}

Error foreign_folder(const std::string& path) {
  return {ErrorCode::kInput, path + " exists and is not an experiment folder",
          "choose another folder with -o; nothing in it was changed", path};
}

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

Error belongs_to_another(const core::ExperimentFolder& folder, const std::vector<std::string>& found) {
  std::string message = folder.path() + " holds runs of another experiment: ";
  for (size_t i = 0; i < found.size(); ++i) message += (i > 0 ? "; " : "") + found[i];
  return {ErrorCode::kInput, message, kElsewhere, folder.path()};
}

Result<core::Experiment> load_to_continue(const core::ExperimentFolder& folder, const core::Experiment& wanted) {
  auto loaded = folder.load();
  if (!loaded) {
    Error error = loaded.error();
    if (error.hint.empty()) error.hint = "nothing was changed; " + kElsewhere;
    return error;
  }
  const auto found = differences(loaded.value(), wanted);
  if (!found.empty()) return belongs_to_another(folder, found);
  loaded.value().clock = wanted.clock;
  return loaded;
}

}  // namespace

std::vector<std::string> differences(const core::Experiment& before, const core::Experiment& now) {
  std::vector<std::string> found;
  const auto compare = [&found](const std::string& what, const std::string& old_text, const std::string& new_text) {
    if (old_text != new_text) found.push_back(what + " was " + or_none(old_text) + " and is now " + or_none(new_text));
  };
  compare("the command", join_shell_words(before.command), join_shell_words(now.command));
  compare("the executable", before.executable, now.executable);
  if (before.executable == now.executable && before.executable_fingerprint != now.executable_fingerprint) {
    found.push_back("the executable " + now.executable + " was rebuilt since");
  }
  compare("the working directory", before.working_directory, now.working_directory);
  compare("the launcher", before.launcher, now.launcher);
  compare("the MPI", before.mpi_flavour, now.mpi_flavour);
  compare("the sampler", before.sampler, now.sampler);
  compare("the rate", core::to_text(before.rate_hz) + " Hz", core::to_text(now.rate_hz) + " Hz");
  compare("the standard input", before.stdin_file, now.stdin_file);
  auto old_names = before.parameter_names;
  auto new_names = now.parameter_names;
  std::sort(old_names.begin(), old_names.end());
  std::sort(new_names.begin(), new_names.end());
  compare("the list of parameters", join_shell_words(old_names), join_shell_words(new_names));
  return found;
}

Result<ExperimentStore> ExperimentStore::open(const std::string& path, const core::Experiment& wanted, bool fresh) {
  const core::ExperimentFolder folder(path);
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && !S_ISDIR(info.st_mode)) {
    return Error{ErrorCode::kInput, path + " is a file, not a folder", "choose another name with -o", path};
  }
  // Somebody else's folder does not even get a lock. Where there is one, what the folder holds may be changing now.
  if (exists && !exists_file(path + "/.lock") && is_foreign(folder)) return foreign_folder(path);
  if (auto created = create_folders(path); !created) return created.error();
  auto lock = FolderLock::acquire(path);
  if (!lock) return lock.error();

  if (is_foreign(folder)) return foreign_folder(path);
  const bool is_experiment = exists_file(folder.experiment_file());
  if (is_experiment && fresh) {
    if (auto removed = remove_experiment(folder); !removed) return removed.error();
  }
  const bool continues = is_experiment && !fresh;
  core::Experiment experiment = wanted;
  if (continues) {
    auto loaded = load_to_continue(folder, wanted);
    if (!loaded) return loaded.error();
    experiment = std::move(loaded).value();
  }
  if (auto saved = folder.save(experiment); !saved) return saved.error();
  if (auto created = create_folders(path + "/runs"); !created) return created.error();
  return ExperimentStore(folder, std::move(lock).value(), std::move(experiment), continues);
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

Status ExperimentStore::begin(core::RunEntry& entry) {
  entry.state = core::RunState::kRunning;
  entry.reason.clear();
  entry.exit_status.reset();
  entry.started = utc_now();
  entry.elapsed_s = 0;
  if (auto saved = save(); !saved) return saved;
  const std::string path = folder_.run_folder(core::run_id(entry.configuration, entry.repeat));
  if (auto removed = remove_path(path); !removed) return removed;
  return create_folders(path);
}

Status ExperimentStore::save() const { return folder_.save(experiment_); }

bool ExperimentStore::has_raw_files(const core::RunEntry& entry) const {
  return cli::has_raw_files(folder_.run_folder(core::run_id(entry.configuration, entry.repeat)));
}

}  // namespace scalediag::cli
