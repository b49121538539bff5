// The place of a host's machine.json, and the one that an experiment uses: it is measured once for each host, then
// taken from the user's cache, and kept in the experiment's folder, where it is also found on another host.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "collector/launch/notices.h"
#include "core/experiment/experiment.h"
#include "core/experiment/machine.h"
#include "core/result.h"

namespace scalediag::launch {

// $XDG_CACHE_HOME/scalediag/machine-<host>-<checksum of CPU model and cores>.json, with ~/.cache where the variable is
// not set; empty without a home.
std::string machine_cache_file(const core::Host& host);

// The cached machine of this host; empty where there is none, or none that can be read and is of this host.
std::optional<core::Machine> cached_machine(const core::Host& host);

// Measures this host and stores the result in the cache (if that fails the measurement is valid all the same).
// `on_step` is told what is being measured, `notices` that it could not be stored.
Result<core::Machine> measure_this_machine(const core::Host& host,
                                           const std::function<void(const std::string&)>& on_step, Notices& notices,
                                           bool accept_disagreement = false);

// The machine by which an experiment's counts are turned into time, in this order: `file`, if one is named; the
// folder's own machine.json; the cached one of this host; a new measurement, of which `notices` is told. The last two
// only where the experiment was measured on this host. It is then stored in the folder. Errors: `file` or the folder's
// cannot be read (kInput); the experiment is of another host (kEnvironment; the hint says how to bring its machine.json
// here); measuring failed (kEnvironment). `refused` is the reason for which an earlier measurement failed, which is the
// error then: nothing is measured. Empty: there was none, or it is to be tried again.
Result<core::Machine> machine_of(const core::ExperimentFolder& folder, const core::Experiment& experiment,
                                 const std::string& file, Notices& notices, const std::string& refused = "");

// The word for no machine in place of a file: counts then give instructions and CPI, and nothing is measured.
constexpr const char* kNoMachine = "none";

// Checks that `file`, as given with --machine, names a machine or "none", before anything is measured. An empty name is
// valid.
Status check_machine_file(const std::string& file);

}  // namespace scalediag::launch
