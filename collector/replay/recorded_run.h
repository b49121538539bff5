// What recording and replaying share: how the program is prepared and started, and where its logs are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/launch/plan/profile_preparation.h"
#include "collector/launch/process/interruption.h"
#include "collector/launch/process/process_run.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::replay {

// What replays leave, below the recording's folder.
constexpr char kResultsFolder[] = "/replay";

// Errors as of prepare_run().
Result<launch::ProfilePreparation> prepare_recorded(launch::ProfileRequest request, int np);

// libscalediag-replay.so. Error (kEnvironment): it is not installed.
Result<std::string> replay_library(const launch::Installation& installation);

std::string recorded_run_folder(const core::ExperimentFolder& folder, const core::Configuration& configuration);
// A rank's log in that folder.
std::string log_path(const std::string& run_folder, int rank);

// The error for a rank that cannot be replayed.
Error refusal_of(int rank, const std::string& reason);

// Runs the command with its output in `folder`, in files that begin with `prefix`.
Result<launch::ProcessOutcome> run_once(const launch::ProfilePreparation& preparation,
                                        const std::vector<std::string>& command, const std::string& stamp,
                                        const std::string& folder, const std::string& prefix,
                                        std::optional<double> timeout_s, bool passes_output_on,
                                        const launch::InterruptionGuard& interruption);

}  // namespace scalediag::replay
