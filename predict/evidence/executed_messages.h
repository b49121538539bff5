// A number of ranks whose messages few real processes executed (`scalediag synth`), kept in the experiment folder as
// synth/np0064.json.
#pragma once

#include <optional>
#include <string>

#include "core/result.h"

namespace scalediag::predict {

struct ExecutedMessages {
  int ranks = 0;
  int processes = 0;         // that executed them
  double total_s = 0;        // of the run, as executed
  double simulated_s = 0;    // of the same phases, by simulation
  double computation_s = 0;  // of a rank in the mean, in both
  double core_hours = 0;     // of executing
  std::string network;       // loggp::fingerprint_of() the network that the simulation was for
  std::string network_name;
  std::string disturbed;  // the reason not to rely on it, a sentence without a full stop; empty: there is none

  // The factor from simulated to executed communication and waiting; 1 where the run is computation only.
  double factor() const;
};

// Writes the file of a number of ranks. Error (kEnvironment): it cannot be written.
core::Status write_executed(const std::string& folder, const ExecutedMessages& executed);

// Reads it; nothing: the folder has none. Error (kInput): it is damaged, with the command that makes it anew.
core::Result<std::optional<ExecutedMessages>> read_executed(const std::string& folder, int ranks);

}  // namespace scalediag::predict
