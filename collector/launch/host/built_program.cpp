#include "collector/launch/host/built_program.h"

#include <filesystem>
#include <optional>
#include <sstream>

#include "collector/launch/host/host_facts.h"
#include "collector/launch/host/installation.h"
#include "collector/launch/process/process_run.h"
#include "collector/launch/process/status_text.h"
#include "collector/launch/program/executable_file.h"
#include "collector/launch/program/launcher_trial.h"
#include "collector/launch/program/mpi_detection.h"
#include "core/atomic_file.h"
#include "core/scratch_folder.h"
#include "core/text/numbers.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

Result<std::string> built_for(MpiFlavour flavour, const BuiltName& name) {
  const auto installation = TRY(find_installation());
  const fs::path folder = fs::path(installation.library).parent_path();
  std::string program = (folder / name_of(flavour) / name.name).string();
  if (is_executable_file(program)) return program;
  const std::string source = core::quote_shell_word((folder / (name.name + ".c")).string());
  return Error{ErrorCode::kEnvironment,
               std::string("scalediag was built without ") + title_of(flavour) + ": there is no " + program,
               "mpicc -O2 " + source + " -o " + name.name + " -lm, and then " + name.option + " ./" + name.name,
               program};
}

// What a program that was built by hand is linked with.
std::optional<MpiFlavour> flavour_of_program(const std::string& program) {
  if (program.empty()) return std::nullopt;
  const auto file = inspect_executable(program);
  if (!file || file.value().is_script) return std::nullopt;
  const auto use = detect_mpi(file.value());
  return use && use.value().flavour != MpiFlavour::kUnknown ? std::optional(use.value().flavour) : std::nullopt;
}

Result<TrialSettings> trial_settings() {
  const auto installation = TRY(find_installation());
  return TrialSettings{installation.shim, installation.library};
}

// The first of these MPIs whose ranks the launcher starts in one MPI_COMM_WORLD.
std::optional<MpiFlavour> flavour_that_starts(const BuiltName& name, const std::string& launcher,
                                              const std::vector<MpiFlavour>& flavours) {
  const auto parsed = parse_launcher(launcher);
  const auto settings = trial_settings();
  if (!parsed || !settings) return std::nullopt;
  for (const MpiFlavour flavour : flavours) {
    const auto program = built_for(flavour, name);
    if (!program) continue;
    const auto fault = try_launcher(parsed.value(), read_host().cores, {program.value()}, settings.value());
    if (fault && fault.value().empty()) return flavour;
  }
  return std::nullopt;
}

// srun and its like start programs of every MPI, and there may be no mpirun beside them.
Result<MpiFlavour> flavour_for(const BuiltName& name, const std::string& launcher, const std::string& mpi,
                               const std::string& program, const std::vector<NamedLauncher>& named) {
  if (!mpi.empty()) return parse_flavour(mpi);
  if (!named.empty()) return named.front().flavour;
  if (const auto linked = flavour_of_program(program)) return *linked;
  std::vector<MpiFlavour> built;
  for (const MpiFlavour flavour : {MpiFlavour::kOpenMpi, MpiFlavour::kMpich}) {
    if (built_for(flavour, name)) built.push_back(flavour);
  }
  if (!launcher.empty() && built.size() > 1) {
    if (const auto started = flavour_that_starts(name, launcher, built)) return *started;
  }
  const auto installed = installed_flavours();
  if (!installed.empty()) return installed.front();
  const bool has_launcher = !launcher.empty() || !current_surroundings(1).manager.empty();
  if (has_launcher && built.size() == 1) return built.front();
  if (!launcher.empty()) {
    return Error{ErrorCode::kUsage,
                 "--launcher '" + launcher + "' does not show which MPI it starts, and no mpirun does",
                 "say which MPI it starts: --mpi openmpi or --mpi mpich", "--launcher"};
  }
  return Error{ErrorCode::kEnvironment, "no MPI launcher is found in PATH",
               std::string("apt-get install ") + package_of(MpiFlavour::kOpenMpi) +
                   ", or name one and its MPI: --mpi openmpi (or mpich) --launcher 'mpirun -n {np} {command}', or "
                   "'srun -n {np} {command}'",
               "PATH"};
}

// The program's own error line, or else the first line with content: launchers add frames of dashes.
std::string complaint_in(const std::string& file, const std::string& program) {
  const auto text = core::read_file(file);
  if (!text) return "";
  const std::string own = fs::path(program).filename().string() + ": ";
  std::string first;
  std::istringstream lines(text.value());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(own)) return line;
    if (first.empty() && line.find_first_not_of("- ") != line.npos) first = line;
  }
  return first;
}

size_t lines_in(const std::string& log, const std::string& word) {
  const auto text = core::read_file(log);
  size_t n = 0;
  const std::string sought = "\n" + word + " ";
  for (size_t at = 0; text && (at = text.value().find(sought, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

Result<BuiltProgram> find_built_program(const BuiltName& name, const std::string& launcher, const std::string& mpi,
                                        const std::string& program) {
  BuiltProgram built;
  std::vector<NamedLauncher> named;
  if (!launcher.empty()) {
    built.launcher = TRY(parse_launcher(launcher));
    built.launcher.placement = current_surroundings(1).placement;
    named = launchers_named_in(built.launcher);
  }
  built.flavour = TRY(flavour_for(name, launcher, mpi, program, named));
  if (!mpi.empty() && !named.empty() && named.front().flavour != built.flavour) {
    return Error{ErrorCode::kUsage,
                 named.front().path + " starts programs of " + title_of(named.front().flavour) + ", not of " +
                     title_of(built.flavour),
                 "leave --mpi out, or name the other launcher", "--mpi"};
  }
  if (program.empty()) {
    built.program = TRY(built_for(built.flavour, name));
  } else if (!is_executable_file(program)) {
    return Error{ErrorCode::kUsage, name.option + " " + program + " is not a program",
                 "build it with mpicc from " + name.name + ".c, or leave out " + name.option, program};
  }
  if (!program.empty()) built.program = fs::absolute(program).string();
  if (!launcher.empty()) return built;
  const auto settings = TRY(trial_settings());
  auto trials =
      TRY(choose_by_trial({built.flavour, ""}, current_surroundings(read_host().cores), {built.program}, settings, {}));
  built.launcher = std::move(trials.launcher);
  built.tried = std::move(trials.tried);
  return built;
}

Result<std::string> run_built_program(const BuiltProgram& built, const BuiltProgramRun& run) {
  const core::ScratchFolder scratch("run");
  if (scratch.path().empty()) {
    return Error{ErrorCode::kEnvironment, "cannot make a temporary folder", "set TMPDIR", "TMPDIR"};
  }
  const auto command_with = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {built.program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return launch_command(built.launcher, run.processes, read_host().cores, command);
  };
  ProcessRequest process;
  process.program = built.launcher.words[0];
  process.command = command_with(run.arguments);
  process.stdout_log = scratch.file("stdout");
  process.stderr_log = scratch.file("stderr");
  process.timeout_s = run.timeout_s;
  process.passes_output_on = false;
  if (run.on_progress) {
    process.on_tick = [&](double elapsed_s) {
      run.on_progress(elapsed_s, [&](const std::string& word) { return lines_in(process.stdout_log, word); });
    };
  }
  std::optional<InterruptionGuard> own;
  const auto outcome = TRY(run_process(process, run.interruption != nullptr ? *run.interruption : own.emplace()));
  if (outcome.end == ProcessOutcome::End::kInterrupted) {
    return Error{ErrorCode::kEnvironment, "interrupted"};
  }
  if (outcome.ok()) return core::read_file(process.stdout_log);
  const std::string said = complaint_in(process.stderr_log, built.program);
  const std::string how = outcome.end == ProcessOutcome::End::kTimedOut
                              ? "took longer than " + core::to_text(run.timeout_s.value_or(0)) + " s"
                              : "failed with exit status " + describe_status(outcome.exit_status);
  // Where the program cannot be tried without files that are gone by then, its launcher can.
  const std::vector<std::string> to_try =
      run.tried.empty() ? launch_command(built.launcher, run.processes, read_host().cores, {"hostname"})
                        : command_with(run.tried);
  return Error{ErrorCode::kEnvironment, "the measuring program " + how + (said.empty() ? "" : ": " + said),
               (run.tried.empty() ? "see whether its launcher works: " : "try it: ") + core::join_shell_words(to_try)};
}

}  // namespace scalediag::launch
