// The experiment folder and its experiment.json: the request, the machine, and each run's state.
//
//   app.scalediag/
//     experiment.json
//     runs/np0004.grid64.r0/   rank files *.raw, stdout.log, stderr.log
//     profile.json
//     machine.json             the machine's properties, where counts were turned into time
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::core {

// The remedy where runs are missing.
constexpr char kMeasureAgain[] =
    "run the same `scalediag profile` or `scalediag emulate` command again: it repeats what failed or is missing";

enum class RunState {
  kPlanned,
  kRunning,  // also after a killed `scalediag profile`; treated as not done
  kComplete,
  kIncomplete,  // the application ended, but a rank's data are missing or damaged
  kFailed,      // the application failed, was killed or timed out
};
const char* name_of(RunState state);

struct Configuration {
  int np = 0;
  std::map<std::string, double> parameters;  // without np
  bool operator==(const Configuration&) const = default;
};

struct RunEntry {
  Configuration configuration;
  int repeat = 0;
  RunState state = RunState::kPlanned;
  std::string reason;              // of kIncomplete and kFailed
  std::optional<int> exit_status;  // of the launcher
  std::string started;             // UTC, ISO 8601
  double elapsed_s = 0;
  std::vector<std::string> command;  // as executed, launcher included
  // "np0004.r0-1f3a...", made anew when the run begins. Its raw files contain it, so that files of another run are
  // noticed. Empty in folders of versions without stamps: nothing is compared then.
  std::string stamp = {};
  // The resource manager's number of the job in which it ran, as "1234"; empty: in none.
  std::string job = {};
};

// A run of a configuration under valgrind, whose counts go into all its repeats; it is not timed. Its folder is
// runs/<counting_pass_id()>/.
struct CountingPass {
  Configuration configuration;
  RunState state = RunState::kPlanned;
  std::string reason;  // of kIncomplete and kFailed
  std::optional<int> exit_status;
  std::string started;
  double elapsed_s = 0;
  std::vector<std::string> command;
  std::vector<int> ranks;         // that were simulated, ascending
  std::vector<int> stands_for;    // the number of ranks that each of them stands for, itself included; adds up to np
  double measured_llc_bytes = 0;  // a rank's share of the last cache as it was measured; 0: a guess was simulated
};

// A launcher that was tried before the first run, as a template.
struct LauncherTrial {
  std::string launcher;
  std::string fault;  // empty: it starts the ranks in one MPI_COMM_WORLD
  bool operator==(const LauncherTrial&) const = default;
};

struct Host {
  std::string name;
  std::string kernel;
  std::string cpu;
  int cores = 0;  // that this process may use
  double memory_bytes = 0;
};

// As core/json/json_fields.h says.
void fields(auto& f, Host& host) {
  f("name", host.name);
  f("kernel", host.kernel);
  f("cpu", host.cpu);
  f("cores", host.cores, 0);
  f("memory_bytes", host.memory_bytes);
}

// A value in place of a fingerprint: the file changed while the application ran, so that it is no input to compare.
constexpr char kWrittenByApplication[] = "written by the application";

// In the place of a sampler: `scalediag record` made the experiment, which no profile is put beside.
constexpr char kMessages[] = "messages";

struct Experiment {
  std::string scalediag_version;
  std::string created;                 // UTC, ISO 8601
  std::vector<std::string> command;    // APP ARGS with {np} and {NAME} in place
  std::string executable;              // resolved path
  std::string executable_fingerprint;  // size and CRC-32 of its content, to notice a rebuild
  std::string working_directory;
  std::string launcher;          // template with {np} and {command}
  std::string mpi_flavour;       // "openmpi", "mpich", "unknown"
  std::string mpi_library;       // path the executable resolves to
  std::string clock = "auto";    // as asked for
  std::string sampler = "auto";  // as asked for
  // As requested: "auto", "papi", "simulated", "none". Folders of versions without counting have "none".
  std::string counters = "auto";
  std::vector<std::string> events;  // names as asked for; empty: the source's default
  bool events_precise = false;      // each event is charged by its own overflows
  // The source that was used, "papi", "simulated", "clock", "" until it is known; and its reason, one sentence.
  std::string counter_source;
  std::string counter_reason;
  // The growth of the problem with the processes, by `profile --scaling`: "auto" (not given), "strong", "weak". Empty
  // in a requested experiment: as in the folder.
  std::string scaling = "auto";
  double rate_hz = 0;
  uint64_t stack_bytes = 0;    // of a sample's stack that were copied, at most; 0: no call paths were recorded
  std::string emulation;       // the target that the runs were emulated for, one sentence; empty: they were measured
  std::string gpu = "host";    // what was seen of GPUs: "host", "activity", "none"
  std::string iterations;      // after which runs were ended, as profile --iterations said; empty: runs are whole
  bool traced = false;         // every communication event was recorded
  bool traced_series = false;  // and every computation between them
  std::string stdin_file;      // empty: none
  // Inputs of the runs besides the command line: files that arguments name and the standard input, by absolute path,
  // with a fingerprint or kWrittenByApplication. Empty in folders of versions that did not record them.
  std::optional<std::map<std::string, std::string>> input_files;
  std::optional<std::map<std::string, std::string>> environment;  // variables that may change results; empty as
                                                                  // input_files
  std::vector<std::string> parameter_names;
  Host host;
  std::vector<RunEntry> runs;
  std::vector<CountingPass> counting_passes;      // at most one a configuration
  std::map<std::string, std::string> words = {};  // {NAME} in the command: the TABLE of `--words NAME=TABLE`
  // Where `executable` only started the ranks (a script, env, taskset): the program that called MPI_Init, and its size
  // and CRC-32. Empty: it is `executable`, also a script that the ranks execute themselves; or no run has ended yet.
  std::string program = {}, program_fingerprint = {};
  // The reasons why the host's "machine" or "network" was not measured after the last runs, "traces" are left out, and
  // runs are whole in spite of "iterations".
  std::map<std::string, std::string> refused = {};
  std::vector<LauncherTrial> launcher_trials = {};  // the last one is `launcher`; empty: none had to be tried
  // The nodes that the launcher was asked to use, by the number of processes, and the ranks that fill a node (0: not
  // known). Empty: the launcher decided.
  std::map<int, int> nodes = {};
  int ranks_per_node = 0;
};

// "np0004.grid64.r0"; numbers as short as they round-trip.
std::string run_id(const Configuration& configuration, int repeat);

// A new stamp for a run of this id.
std::string new_stamp(const std::string& run_id);
// The id of the run that a stamp was drawn for; empty for an empty one.
std::string run_id_of_stamp(const std::string& stamp);

// "np0004.grid64.simulated"
std::string counting_pass_id(const Configuration& configuration);

// The content of an experiment.json; `file` is the name in errors.
Result<Experiment> parse_experiment(const std::string& text, const std::string& file);

class ExperimentFolder {
 public:
  explicit ExperimentFolder(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }
  std::string experiment_file() const { return path_ + "/experiment.json"; }
  std::string profile_file() const { return path_ + "/profile.json"; }
  std::string machine_file() const { return path_ + "/machine.json"; }
  std::string run_folder(const std::string& run_id) const { return path_ + "/runs/" + run_id; }
  // Recordings of runs whose ranks were replayed, and that of a number of ranks.
  std::string replays() const { return path_ + "/replays"; }
  std::string replays_of(int ranks) const;
  std::set<int> replayed_scales() const;  // numbers of ranks for which there is one
  // In it: an experiment with one run of as many, which was traced.
  std::string traced_of(int ranks) const;
  // Files of messages that few processes executed, and that of a number of ranks.
  std::string synths() const { return path_ + "/synth"; }
  std::string synth_of(int ranks) const;

  Result<Experiment> load() const;
  Status save(const Experiment& experiment) const;

 private:
  std::string path_;
};

// A run, and the experiment that its folder belongs to.
struct RunOfExperiment {
  ExperimentFolder folder;
  Experiment experiment;
  size_t number = 0;  // in experiment.runs
  const RunEntry& run() const { return experiment.runs[number]; }
};

// Nothing: the folder is none of a run of an experiment, as that of traces by themselves.
std::optional<RunOfExperiment> run_of_folder(const std::string& run_folder);

}  // namespace scalediag::core
