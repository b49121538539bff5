// The MPI programs that are built with scalediag, one for each MPI, and are started with the user's launcher.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/launch/process/interruption.h"
#include "collector/launch/program/launcher.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::launch {

// A program's name, and the option that names one that was built by hand.
struct BuiltName {
  std::string name;    // "network_probe", of which NAME.c is installed, too
  std::string option;  // "--probe"
};

struct BuiltProgram {
  std::string program;
  Launcher launcher;
  MpiFlavour flavour = MpiFlavour::kUnknown;
  std::vector<core::LauncherTrial> tried = {};  // as of choose_by_trial()
};

// `launcher`, `mpi` and `program` as on the command line. Empty ones stand for the first MPI that is installed, its
// launcher, and the program that was built for it. Errors: no MPI, an unknown one, no program for it (kUsage,
// kEnvironment).
Result<BuiltProgram> find_built_program(const BuiltName& name, const std::string& launcher, const std::string& mpi,
                                        const std::string& program);

struct BuiltProgramRun {
  int processes = 2;
  std::vector<std::string> arguments;
  std::vector<std::string> tried = {};  // arguments for the user to try, in an error; empty: there are none
  std::optional<double> timeout_s = {};
  // The guard that exists already, of which there is at most one; null: there is none.
  const InterruptionGuard* interruption = nullptr;
  // Called now and then with the seconds since the beginning; count(WORD) counts the lines so far that begin with it.
  std::function<void(double elapsed_s, const std::function<size_t(const std::string& word)>& count)> on_progress = {};
};

// The program's output. Errors (kEnvironment): it cannot be started, fails (with the beginning of what it says), takes
// longer than timeout_s, or is interrupted.
Result<std::string> run_built_program(const BuiltProgram& built, const BuiltProgramRun& run);

}  // namespace scalediag::launch
