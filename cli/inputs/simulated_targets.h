// The simulations of `predict --by simulation`: the program's trace at each target.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/application/application.h"
#include "report/findings/known/simulated_communication.h"

namespace scalediag::cli {

// Simulates the traces of the experiment `folder` at each target, by its number of processes: the recorded ones where
// there are such, else scaled ones. `network` is a file. Warns of what is not certain in them. Errors: no file is
// named, or the data have other parameters than the number of processes (kUsage); the folder has no traces (kInput);
// those of read_scaled_traces() and of the simulation. A target in `known_computation_s` computes what is there.
core::Result<std::map<double, report::SimulatedCommunication>> simulated_targets(
    const std::string& folder, const std::string& network, const fit::ApplicationModel& model,
    const std::vector<std::vector<double>>& targets, const std::map<double, double>& known_computation_s = {});

}  // namespace scalediag::cli
