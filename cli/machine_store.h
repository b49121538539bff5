// Where machine.json of a host is kept, and how an experiment comes by the one of the host it ran on: measured once a
// host, then taken from the user's cache, and kept in the experiment's folder, where it still is on another host.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "core/experiment.h"
#include "core/machine.h"
#include "core/result.h"

namespace scalediag::cli {

// $XDG_CACHE_HOME/scalediag/machine-<host>-<checksum of CPU model and cores>.json, ~/.cache where that is not set;
// empty where there is no home either.
std::string machine_cache_file(const core::Host& host);

// What the cache holds of this host; nothing where it holds none, or none that can be read and is of this host.
std::optional<core::Machine> cached_machine(const core::Host& host);

// Measures this host and puts the result into the cache (where that fails the measurement is good all the same).
// `on_step` says what is being measured.
core::Result<core::Machine> measure_this_machine(const core::Host& host,
                                                 const std::function<void(const std::string&)>& on_step,
                                                 bool accept_disagreement = false);

// The machine that an experiment's counts are turned into time with, in this order: `file`, if one is named; the
// folder's own machine.json; what is cached of this host; a new measurement, announced on stderr. The last two only
// where the experiment was measured on this host. It is then put into the folder. Errors: `file` or the folder's cannot
// be read (kInput); the experiment is of another host (kEnvironment; the hint says how to bring its machine.json here);
// measuring failed (kEnvironment).
core::Result<core::Machine> machine_of(const core::ExperimentFolder& folder, const core::Experiment& experiment,
                                       const std::string& file);

// What stands for no machine in place of a file: counts then tell instructions and CPI, and nothing is measured.
constexpr const char* kNoMachine = "none";

// Whether `file`, as given with --machine, names a machine or none, so that nothing is measured in vain. An empty name
// is fine.
core::Status check_machine_file(const std::string& file);

// --machine FILE, or SCALEDIAG_MACHINE in the environment.
void add_machine_option(CLI::App& command, std::string& file);

}  // namespace scalediag::cli
