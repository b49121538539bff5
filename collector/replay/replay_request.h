// The request of a user to `scalediag replay`, as typed.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace scalediag::replay {

struct ReplayRequest {
  std::string folder;     // of a recording
  std::string ranks;      // LIST; empty: all that were recorded
  bool in_place = false;  // the program writes into its folder; else into one that is laid over it and then removed
  std::string program;    // in place of the recorded one, another build of it, too; empty: that one, unchanged
  std::string directory;  // where the program runs; empty: where it was recorded, or the inputs in the recording
  std::vector<std::string> environment;  // NAME=VALUE for the program
  std::string output;                    // folder that gets what is replayed; empty: the recording
  // All at the same time, each on a core of its own, instead of one after another; ranks that were recorded without the
  // messages of their node are so anyway, as many nodes at once as there are cores for.
  bool together = false;
  bool share_cores = false;  // also more ranks than cores at the same time, which take turns
  std::optional<double> timeout_s;
  // Replays of each rank, of which the medians are taken. Nothing: as many as repeat_replays() takes; in place one,
  // since the program changes its files.
  std::optional<int> repeats;
  bool passes_output_on = true;  // of the first of them
  // Replays each rank once more, profiled, and with counters "simulated" or "papi" as often as these need.
  bool kernels = false;
  std::string counters = "none";
  bool json = false;  // the answer is printed as JSON, for the commands in hints

  // The folder that gets what is replayed.
  const std::string& results_in() const { return output.empty() ? folder : output; }
};

}  // namespace scalediag::replay
