// The batch systems that jobs are submitted to: a row each, with their commands and the lines of a script that they
// read. Slurm's row was tried with a real Slurm, the others are known from their manuals only.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::launch {

// The resources of a job.
struct JobSize {
  int np = 1;
  int nodes = 0;           // 0: as the batch system chooses
  int ranks_per_node = 0;  // 0: not asked for
  bool operator==(const JobSize&) const = default;
};

struct JobState {
  enum class Phase {
    kQueued,
    kRunning,
    kEnded,
    kFailed,
    kGone,     // the batch system does not know the job any more
    kUnknown,  // it does not answer
  };
  Phase phase = Phase::kUnknown;
  std::string text;  // in the batch system's words with its reason: "PENDING (Resources)"
  bool operator==(const JobState&) const = default;
};

struct BatchSystem {
  const char* name;      // "slurm", as the resource manager of launcher.h
  const char* title;     // "Slurm"
  const char* variable;  // of the environment of a job: its number
  // The command that submits a script; the user's options and the script's path follow.
  std::vector<std::string> submit;
  bool script_on_stdin;       // in place of the path
  const char* directive;      // "#SBATCH"
  const char* task_variable;  // the number of a task of an array; empty: we make no arrays for it
  // The options in the script's first lines, quoted as in a shell: all these systems split the lines as it does.
  // `tasks`: of an array, 0: it is none.
  std::vector<std::string> (*options_of)(const JobSize& size, const std::string& name, const std::string& log,
                                         int tasks);
  // The job's number in what `submit` prints; empty: it is not there.
  std::string (*job_in)(const std::string& output);
  // Commands that print a job's state, with "{job}" in place; the first that does not fail is read.
  std::vector<std::vector<std::string>> queries;
  JobState (*state_in)(const std::string& output);
  const char* cancel;  // "scancel"
};

// Flux is last: it may run inside a job of another one.
const std::vector<BatchSystem>& batch_systems();

// Nothing (nullptr): there is no such row, or none whose first command is in PATH.
const BatchSystem* batch_system_called(const std::string& name);
const BatchSystem* installed_batch_system();

// The batch system in whose job this process is, of several the innermost (nullptr: none), and the job's number (empty:
// it is in no job).
const BatchSystem* current_batch_system();
std::string current_job();

// Asks the batch system for a job's state. kGone only where it says so: a command that fails for another reason says
// nothing about the job.
JobState state_of_job(const BatchSystem& system, const std::string& job);

}  // namespace scalediag::launch
