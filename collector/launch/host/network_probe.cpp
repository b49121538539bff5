#include "collector/launch/host/network_probe.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "collector/launch/host/host_facts.h"
#include "collector/launch/host/installation.h"
#include "collector/launch/process/process_run.h"
#include "core/atomic_file.h"
#include "core/scratch_folder.h"
#include "core/text/numbers.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;

Result<std::string> probe_for(MpiFlavour flavour) {
  const auto installation = find_installation();
  if (!installation) return installation.error();
  const fs::path folder = fs::path(installation.value().library).parent_path();
  std::string program = (folder / name_of(flavour) / "network_probe").string();
  if (access(program.c_str(), X_OK) == 0) return program;
  const std::string source = core::quote_shell_word((folder / "network_probe.c").string());
  return Error{ErrorCode::kEnvironment,
               std::string("scalediag was built without ") + title_of(flavour) + ": there is no " + program,
               "mpicc -O2 " + source + " -o network_probe -lm, and then --probe ./network_probe", program};
}

Result<MpiFlavour> flavour_for(const std::string& mpi, const std::vector<NamedLauncher>& named) {
  if (!mpi.empty()) return parse_flavour(mpi);
  if (!named.empty()) return named.front().flavour;
  const auto installed = installed_flavours();
  if (!installed.empty()) return installed.front();
  return Error{ErrorCode::kEnvironment, "no MPI launcher is found in PATH",
               "apt-get install openmpi-bin, or name one: --launcher 'mpirun -n {np} {command}'", "PATH"};
}

// The probe's own error line, or else the first line with content: launchers add frames of dashes.
std::string complaint_in(const std::string& file) {
  const auto text = core::read_file(file);
  if (!text) return "";
  std::string first;
  std::istringstream lines(text.value());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("network_probe: ")) return line;
    if (first.empty() && line.find_first_not_of("- ") != line.npos) first = line;
  }
  return first;
}

// The number of sizes that the program has printed so far.
size_t sizes_in(const std::string& log) {
  const auto text = core::read_file(log);
  size_t n = 0;
  for (size_t at = 0; text && (at = text.value().find("\nsize ", at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

Result<NetworkProbe> find_network_probe(const std::string& launcher, const std::string& mpi,
                                        const std::string& program) {
  NetworkProbe probe;
  std::vector<NamedLauncher> named;
  if (!launcher.empty()) {
    auto parsed = parse_launcher(launcher);
    if (!parsed) return parsed.error();
    probe.launcher = std::move(parsed).value();
    named = launchers_named_in(probe.launcher);
  }
  const auto flavour = flavour_for(mpi, named);
  if (!flavour) return flavour.error();
  probe.flavour = flavour.value();
  if (!mpi.empty() && !named.empty() && named.front().flavour != probe.flavour) {
    return Error{ErrorCode::kUsage,
                 named.front().path + " starts programs of " + title_of(named.front().flavour) + ", not of " +
                     title_of(probe.flavour),
                 "leave --mpi out, or name the other launcher", "--mpi"};
  }
  if (launcher.empty()) {
    auto found = find_launcher({probe.flavour, ""}, current_surroundings(read_host().cores));
    if (!found) return found.error();
    probe.launcher = std::move(found).value();
  }
  if (program.empty()) {
    auto built = probe_for(probe.flavour);
    if (!built) return built.error();
    probe.program = std::move(built).value();
    return probe;
  }
  if (access(program.c_str(), X_OK) != 0) {
    return Error{ErrorCode::kUsage, "--probe " + program + " is not a program",
                 "build it with mpicc from network_probe.c, or leave out --probe", program};
  }
  probe.program = fs::absolute(program).string();
  return probe;
}

Result<std::string> run_network_probe(const NetworkProbe& probe, const ProbeRequest& request) {
  const core::ScratchFolder scratch("network");
  if (scratch.path().empty())
    return Error{ErrorCode::kEnvironment, "cannot make a temporary folder", "set TMPDIR", "TMPDIR"};
  std::vector<std::string> command = {probe.program,
                                      core::to_text(request.pass_budget_s),
                                      std::to_string(request.seed),
                                      std::to_string(request.largest_sync),
                                      probe.others_wait ? "wait" : "sleep",
                                      core::to_text(request.most_s)};
  for (int pass = 0; pass < request.passes; ++pass) {
    for (const uint64_t bytes : request.sizes) command.push_back(std::to_string(bytes));
  }

  ProcessRequest process;
  process.program = probe.launcher.words[0];
  process.command = launch_command(probe.launcher, probe.ranks, read_host().cores, command);
  process.stdout_log = scratch.file("stdout");
  process.stderr_log = scratch.file("stderr");
  process.passes_output_on = false;
  if (request.on_progress) {
    process.on_tick = [&](double elapsed_s) {
      request.on_progress(elapsed_s, [&] { return sizes_in(process.stdout_log); });
    };
  }
  const InterruptionGuard interruption;
  const auto outcome = run_process(process, interruption);
  if (!outcome) return outcome.error();
  if (outcome.value().end == ProcessOutcome::End::kInterrupted) {
    return Error{ErrorCode::kEnvironment, "interrupted", "", ""};
  }
  if (!outcome.value().ok()) {
    const std::string said = complaint_in(process.stderr_log);
    return Error{
        ErrorCode::kEnvironment,
        "the measuring program failed with exit status " + std::to_string(outcome.value().exit_status) +
            (said.empty() ? "" : ": " + said),
        "try it: " + core::join_shell_words(launch_command(probe.launcher, probe.ranks, read_host().cores,
                                                           {probe.program, "0.1", "1", "0", "sleep", "60", "8"})),
        ""};
  }
  return core::read_file(process.stdout_log);
}

}  // namespace scalediag::launch
