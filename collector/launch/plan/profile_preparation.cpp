#include "collector/launch/plan/profile_preparation.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "collector/launch/host/host_facts.h"
#include "collector/launch/plan/launcher_choice.h"
#include "collector/launch/plan/run_inputs.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/program/mpi_detection.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

Error usage(const std::string& message, const std::string& hint, const std::string& option) {
  return {ErrorCode::kUsage, message, hint, option};
}

// Reads "10" or "10/5000".
Result<Iterations> read_iterations(const std::string& text) {
  unsigned long long measured = 0, all = 0;
  int end = 0;
  const int n = std::sscanf(text.c_str(), "%9llu%n/%17llu%n", &measured, &end, &all, &end);
  const bool is_read = n >= 1 && static_cast<size_t>(end) == text.size() && measured > 0 && (n == 1 || all > 0) &&
                       text.find_first_not_of("0123456789/") == std::string::npos;
  if (is_read) return Iterations{measured, n == 2 ? std::optional<uint64_t>(all) : std::nullopt};
  return usage("--iterations: '" + text + "' is neither a number of iterations nor K/N",
               "--iterations 10, or --iterations 10/5000 for 10 of 5000", "--iterations");
}

Status check_options(const ProfileRequest& request) {
  if (request.command.empty()) {
    return usage("no application is given", "write it after --, as in scalediag profile -n 2,4,8,16 -- ./app ARGS", "");
  }
  if (request.repeat && *request.repeat < 1) return usage("--repeat must be at least 1", "--repeat 3", "--repeat");
  if (request.repeat && request.max_repeat_given) {
    return usage("--repeat " + std::to_string(*request.repeat) + " is the number of runs, so that --max-repeat " +
                     std::to_string(request.max_repeat) + " has no effect",
                 "leave one of them out: --repeat R makes exactly R runs, --max-repeat M at most M until they agree",
                 "--max-repeat");
  }
  if (request.max_repeat < 2) {
    return usage("--max-repeat must be at least 2, or nothing is known about how much the results vary",
                 "for a single run of each configuration use --repeat 1", "--max-repeat");
  }
  const ProfileRequest usual;
  if (!(request.target_cv > 0))
    return usage("--target-cv must be above 0", "--target-cv " + core::to_text(usual.target_cv), "--target-cv");
  // The rates that the sampling library supports.
  if (!(request.rate_hz >= 1 && request.rate_hz <= 10'000)) {
    return usage("--rate must be from 1 to 10000 samples a second", "--rate " + core::to_text(usual.rate_hz), "--rate");
  }
  if (request.call_paths && request.sampler != "auto" && request.sampler != "timer") {
    return usage("--call-paths needs the timer's signal, whose handler copies the stack; --sampler " + request.sampler +
                     " does not have it",
                 "leave out --sampler, or give --sampler timer", "--sampler");
  }
  if (!request.scratch.empty() && request.scratch != "auto" && !fs::path(request.scratch).is_absolute()) {
    return usage("--scratch has to be an absolute path, since ranks have working directories of their own",
                 "--scratch " + fs::absolute(request.scratch).string() + ", or --scratch auto", "--scratch");
  }
  if (request.gpu != "auto" && request.gpu != "host" && request.gpu != "activity" && request.gpu != "none") {
    return usage("--gpu: '" + request.gpu + "' is none of auto, host, activity and none", "--gpu activity", "--gpu");
  }
  if (!request.iterations.empty() && (request.trace || request.counters == "simulated")) {
    return usage(std::string("--iterations ends runs after some iterations, and ") +
                     (request.trace ? "--trace records whole ones" : "--counters simulated counts whole ones"),
                 "leave one of them out", "--iterations");
  }
  if (request.timeout_s && !(*request.timeout_s > 0)) {
    return usage("--timeout must be above 0 seconds", "--timeout 600", "--timeout");
  }
  if (request.counting_budget_s && !(*request.counting_budget_s >= 0)) {
    return usage("--counting-budget must not be below 0 seconds", "--counting-budget 120", "--counting-budget");
  }
  return Done{};
}

Result<std::set<int>> accepted_statuses(const std::string& list) {
  std::set<int> accepted = {0};
  if (list.empty()) return accepted;
  const auto values = TRY(core::parse_value_list(list, "--accept-status"));
  for (const core::ListValue& value : values) {
    if (!(value.value >= 0 && value.value <= 255) || value.value != std::floor(value.value)) {
      return usage("--accept-status: '" + value.text + "' is not an exit status", "give numbers from 0 to 255",
                   "--accept-status");
    }
    accepted.insert(static_cast<int>(value.value));
  }
  return accepted;
}

// Whether our own choice of a launcher would start ranks on this machine alone.
bool stays_on_this_machine(const ProfileRequest& request) {
  if (!request.launcher.empty()) return false;
  return std::ranges::none_of(
      std::array{"SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE", "HYDRA_HOST_FILE",
                 "OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"},
      [](const char* name) { return std::getenv(name) != nullptr; });
}

// A slip of the keyboard in -n must not bring the machine to its knees.
Status check_memory(const ProfileRequest& request, const ProfilePreparation& preparation) {
  // What a process has to itself after MPI_Init: 3.2 MB under Open MPI, 6.4 MB under MPICH.
  constexpr double kLeastBytesOfRank = 3e6;
  if (!stays_on_this_machine(request)) return Done{};
  const double memory = preparation.experiment.host.memory_bytes;
  for (const PlannedConfiguration& plan : preparation.configurations) {
    const double needed = plan.configuration.np * kLeastBytesOfRank;
    if (memory <= 0 || needed <= memory) continue;
    return usage("-n: " + std::to_string(plan.configuration.np) + " processes need at least " +
                     core::bytes_text(needed) + " of memory, this machine has " + core::bytes_text(memory),
                 "measure fewer and predict the rest; where they are to run on several machines, give the command that "
                 "starts them there: --launcher 'mpirun --hostfile HOSTS -n {np} {command}'",
                 "-n");
  }
  return Done{};
}

// The hint for a launcher that starts the ranks of another MPI or none, which a run shows at its end.
std::string launcher_hint(const ProfileRequest& request, const ExecutableFile& program, const MpiUse& mpi) {
  const MpiFlavour flavour = mpi.flavour;
  if (!request.launcher.empty()) {
    return "check what --launcher " + core::quote_shell_word(request.launcher) + " starts" +
           (flavour == MpiFlavour::kUnknown ? std::string()
                                            : std::string("; without it ") + title_of(flavour) + "'s own is taken");
  }
  if (mpi.library.empty()) {  // a script, or a program that loads MPI while it runs
    return std::string("say which MPI ") + program.path + " uses: --mpi " +
           name_of(flavour == MpiFlavour::kMpich ? MpiFlavour::kOpenMpi : MpiFlavour::kMpich) +
           ", or give its launcher with --launcher";
  }
  return "give the launcher that belongs to the MPI library of " + program.path +
         ": --launcher 'mpirun -n {np} {command}'";
}

// At least one configuration must have such ranks; those without are not counted.
Status check_counted_ranks(ProfilePreparation& preparation) {
  const auto& ranks = preparation.counters.simulate_ranks;
  if (!ranks) return Done{};
  std::string without;
  int largest = 0;
  for (const PlannedConfiguration& plan : preparation.configurations) {
    largest = std::max(largest, plan.configuration.np);
    if (ranks->front() >= plan.configuration.np) without += (without.empty() ? "" : ", ") + plan.label;
  }
  if (ranks->front() >= largest) {
    return usage("--simulate-ranks names no rank of " + without,
                 "ranks are counted from 0, so that the last one is " + std::to_string(largest - 1),
                 "--simulate-ranks");
  }
  if (!without.empty())
    preparation.notes.push_back("none of the ranks of --simulate-ranks is in " + without +
                                ": nothing is counted there");
  return Done{};
}

void note_counters(const ProfileRequest& request, ProfilePreparation& preparation) {
  const CounterChoice& choice = preparation.counters;
  if (choice.source == "papi") {
    const int needed = choice.plan.needed_repeats();
    preparation.repeats.minimum = std::max(preparation.repeats.minimum, needed);
    preparation.repeats.maximum = std::max(preparation.repeats.maximum, needed);
    if (request.repeat && *request.repeat < needed) {
      preparation.notes.push_back("the events need " + std::to_string(needed) +
                                  " repeats, for they do not fit into the counters at once; with --repeat " +
                                  std::to_string(*request.repeat) + " some are not counted");
    }
    preparation.notes.insert(preparation.notes.end(), choice.plan.notes.begin(), choice.plan.notes.end());
  }
  if (choice.source == "papi" && choice.plan.needed_repeats() > 1 && !request.repeat) {
    preparation.notes.push_back("the events do not fit into the counters at once: each of at least " +
                                std::to_string(choice.plan.needed_repeats()) + " repeats counts a part of them");
  }
  if (request.counters != "auto") return;
  if (choice.source == "papi") {
    preparation.notes.push_back("counters: PAPI (" + choice.reason + ")");
  } else if (choice.source == "clock") {
    preparation.notes.push_back("counters: " + core::counters_text(choice.source) + " (" + choice.reason + ")");
  } else {
    preparation.notes.push_back("counters: " + choice.reason +
                                "; when the timed runs have shown how long it takes, they may be simulated");
  }
}

std::string output_folder(const ProfileRequest& request) {
  const std::string name = fs::path(request.command[0]).filename().string() + ".scalediag";
  std::string folder = fs::absolute(request.output.empty() ? name : request.output).lexically_normal().string();
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

// An experiment that goes on knows its words already.
ProgramRequest with_earlier_words(const ProfileRequest& request, const std::string& folder) {
  ProgramRequest program = request;
  if (request.fresh) return program;
  if (auto held = core::ExperimentFolder(folder).load()) program.stored_words.merge(held.value().words);
  return program;
}

// An experiment that goes on records what it did before.
void take_recording(const std::string& folder, core::Experiment& experiment) {
  const auto held = core::ExperimentFolder(folder).load();
  if (!held) return;
  const auto& runs = held.value().runs;
  if (std::ranges::none_of(runs, [](const auto& run) { return run.state == core::RunState::kComplete; })) return;
  experiment.traced = held.value().traced;
  experiment.traced_series = held.value().traced_series;
}

}  // namespace

Result<ProfilePreparation> plan_profile(const ProfileRequest& request) {
  TRY(check_options(request));
  ProfilePreparation preparation;

  preparation.experiment.host = read_host();
  const std::string np_list =
      request.np_list.empty() ? default_process_counts(preparation.experiment.host.cores) : request.np_list;
  preparation.folder = output_folder(request);
  auto planned = TRY(plan_of(with_earlier_words(request, preparation.folder), np_list));
  preparation.configurations = std::move(planned.configurations);
  preparation.experiment.parameter_names = std::move(planned.parameter_names);
  preparation.experiment.words = texts_of(planned.tables);
  preparation.accepted_statuses = TRY(accepted_statuses(request.accept_status));
  preparation.repeats.exactly = request.repeat;
  preparation.repeats.maximum = request.max_repeat;
  RepeatPolicy& repeats = preparation.repeats;
  repeats.maximum_for_samples =
      request.max_repeat_given ? request.max_repeat : std::max(repeats.maximum_for_samples, request.max_repeat);
  preparation.argument_paths = paths_in_arguments(preparation.configurations);
  return preparation;
}

Result<ProfilePreparation> prepare_profile(const ProfileRequest& request) {
  ProfilePreparation preparation = TRY(plan_profile(request));
  TRY(check_memory(request, preparation));

  const auto program = TRY(inspect_executable(request.command[0]));
  preparation.program_is_script = program.is_script;
  if (!program.is_script) TRY(check_sanitizer(program));
  // The path is used, since a launcher would look the name up again, in a PATH that it may have changed. Links in it
  // are kept: a Python of a virtual environment and programs with several names depend on the name by which they are
  // called.
  for (PlannedConfiguration& plan : preparation.configurations) plan.command[0] = program.path;
  core::Experiment& experiment = preparation.experiment;
  auto choice =
      TRY(choose_launcher(request, program, {preparation.configurations, preparation.folder, experiment.host.cores}));
  const MpiUse& mpi = choice.mpi;
  preparation.launcher = std::move(choice.launcher);
  preparation.notes = std::move(choice.notes);
  experiment.launcher_trials = std::move(choice.tried);
  experiment.nodes = std::move(choice.nodes);
  experiment.ranks_per_node = choice.ranks_per_node;
  preparation.launcher_hint = launcher_hint(request, program, mpi);
  preparation.mpi_is_known = !mpi.library.empty();
  preparation.installation = TRY(find_installation());
  preparation.stdin_source = TRY(choose_stdin(request.stdin_file));
  preparation.counters = TRY(choose_counters(request));
  if (!request.iterations.empty()) preparation.iterations = TRY(read_iterations(request.iterations));
  if (preparation.iterations && preparation.counters.source.empty()) {
    preparation.counters.source = "clock";
    preparation.counters.reason = "runs under valgrind are not ended after --iterations";
  }
  TRY(check_counted_ranks(preparation));
  note_counters(request, preparation);

  experiment.scalediag_version = version();
  experiment.created = utc_now();
  experiment.command = request.command;
  experiment.executable = program.path;
  experiment.executable_fingerprint = fingerprint_of(program.path);
  experiment.working_directory = fs::current_path().string();
  experiment.launcher = template_of(preparation.launcher);
  experiment.mpi_flavour = name_of(mpi.flavour);
  experiment.mpi_library = mpi.library;
  experiment.clock = request.clock;
  experiment.sampler = request.sampler;
  experiment.counters = request.counters;
  experiment.events = preparation.counters.events;
  experiment.events_precise = request.events_precise;
  experiment.counter_source = preparation.counters.source;
  experiment.counter_reason = preparation.counters.reason;
  experiment.scaling = request.scaling;
  experiment.rate_hz = request.rate_hz;
  experiment.stack_bytes = request.call_paths ? request.stack_bytes : 0;
  experiment.gpu = request.gpu == "auto" ? "host" : request.gpu;
  experiment.iterations = request.iterations;
  experiment.traced = request.trace;
  experiment.traced_series = request.series;
  if (!request.trace && !request.no_trace && !request.fresh) take_recording(preparation.folder, experiment);
  experiment.stdin_file = preparation.stdin_source.description();
  experiment.input_files = fingerprint_inputs(preparation.argument_paths, preparation.stdin_source);
  experiment.environment = relevant_environment(environ);
  return preparation;
}

Result<ProfilePreparation> prepare_run(ProfileRequest request, int np) {
  request.np_list = std::to_string(np);
  auto prepared = prepare_profile(request);
  if (!prepared || prepared.value().configurations.size() == 1) return prepared;
  return usage("--param gives several values, and one run is made", "give one value each: --param NAME=VALUE",
               "--param");
}

ProfileRequest request_of(const core::Experiment& experiment) {
  ProfileRequest request;
  request.command = experiment.command;
  request.stored_words = experiment.words;
  request.launcher = experiment.launcher;
  if (experiment.mpi_flavour != "unknown") request.mpi = experiment.mpi_flavour;
  request.stdin_file = experiment.stdin_file;
  request.ranks_per_node = experiment.nodes.empty() ? 0 : experiment.ranks_per_node;
  request.rate_hz = experiment.rate_hz;
  request.sampler = experiment.sampler;
  request.clock = experiment.clock;
  request.counters = experiment.counters;
  request.events = core::join(experiment.events, ",");
  request.events_precise = experiment.events_precise;
  request.call_paths = experiment.stack_bytes > 0;
  if (request.call_paths) request.stack_bytes = experiment.stack_bytes;
  request.gpu = experiment.gpu;
  request.iterations = experiment.iterations;
  request.trace = experiment.traced;
  request.no_trace = false;
  request.series = experiment.traced_series;
  return request;
}

}  // namespace scalediag::launch
