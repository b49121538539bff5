#include "collector/launch/batch/collection.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "collector/launch/store/experiment_store.h"
#include "collector/launch/store/folder_lock.h"
#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/experiment/network_file.h"
#include "core/text/join.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

// Replaces what is at `to`. Nothing happens where there is nothing to move.
Status move_path(const std::string& from, const std::string& to) {
  std::error_code failed;
  const bool is_there = fs::exists(from, failed);
  if (failed) return core::read_error(from, failed.value());
  if (!is_there) return Done{};
  fs::create_directories(fs::path(to).parent_path(), failed);
  if (!failed) fs::remove_all(to, failed);
  if (!failed) fs::rename(from, to, failed);
  if (failed) return core::write_error(to, failed.value());
  return Done{};
}

// Entries of the same run or pass are replaced.
template <class Entry, class Same>
void take_entry(const Entry& entry, std::vector<Entry>& entries, const Same& is_same) {
  const auto there = std::ranges::find_if(entries, is_same);
  if (there == entries.end()) {
    entries.push_back(entry);
  } else {
    *there = entry;
  }
}

Status take_runs(const core::ExperimentFolder& from, const core::Experiment& job, const core::ExperimentFolder& to,
                 core::Experiment& experiment) {
  for (const core::RunEntry& run : job.runs) {
    const std::string id = core::run_id(run.configuration, run.repeat);
    TRY(move_path(from.run_folder(id), to.run_folder(id)));
    take_entry(run, experiment.runs,
               [&](const core::RunEntry& other) { return core::run_id(other.configuration, other.repeat) == id; });
  }
  for (const core::CountingPass& pass : job.counting_passes) {
    const std::string id = core::counting_pass_id(pass.configuration);
    TRY(move_path(from.run_folder(id), to.run_folder(id)));
    take_entry(pass, experiment.counting_passes,
               [&](const core::CountingPass& other) { return other.configuration == pass.configuration; });
  }
  return Done{};
}

void take_facts(const core::Experiment& job, core::Experiment& experiment) {
  extend_record(experiment, job);
  experiment.words.insert(job.words.begin(), job.words.end());
  for (const auto& [what, reason] : job.refused) experiment.refused[what] = reason;
  if (experiment.counter_source.empty()) experiment.counter_source = job.counter_source;
  if (experiment.program.empty()) {
    experiment.program = job.program;
    experiment.program_fingerprint = job.program_fingerprint;
  }
}

}  // namespace

Status collect_experiment(const std::string& from_path, const std::string& to_path) {
  const core::ExperimentFolder from(from_path), to(to_path);
  auto job = TRY(from.load());
  TRY(FolderLock::acquire(to_path));
  core::Experiment experiment = job;
  std::error_code ignored;
  if (fs::exists(to.experiment_file(), ignored)) {
    auto held = TRY(to.load());
    if (const auto found = differences(held, job); !found.empty()) {
      return Error{ErrorCode::kInput, "its runs do not belong to those of " + to_path + ": " + core::join(found, "; "),
                   kBeginAgain, to_path};
    }
    experiment = std::move(held);
    take_facts(job, experiment);
  } else {
    experiment.runs.clear();
    experiment.counting_passes.clear();
  }
  // The machine, the network and replays are those of the job with the most processes.
  const auto largest = [](const core::Experiment& of) {
    int np = 0;
    for (const core::RunEntry& run : of.runs) np = std::max(np, run.configuration.np);
    return np;
  };
  const bool is_largest = largest(job) >= largest(experiment);
  TRY(take_runs(from, job, to, experiment));
  for (const auto& [source, target] :
       {std::pair(from.replays(), to.replays()), std::pair(from.machine_file(), to.machine_file()),
        std::pair(core::network_file_of(from.path()), core::network_file_of(to.path()))}) {
    if (!is_largest && fs::exists(target, ignored)) continue;
    TRY(move_path(source, target));
  }
  TRY(to.save(experiment));
  fs::remove_all(from_path, ignored);
  return Done{};
}

}  // namespace scalediag::launch
