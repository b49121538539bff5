// `scalediag record`: one run of the program whose ranks write message logs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/launch/notices.h"
#include "collector/launch/plan/program_request.h"
#include "collector/replay/partial_log.h"
#include "core/result.h"

namespace scalediag::replay {

struct RecordRequest : launch::ProgramRequest {
  int np = 0;
  std::string ranks;   // LIST; empty: all
  std::string output;  // folder; empty: <application>.messages
  std::optional<double> timeout_s;
  std::optional<uint64_t> max_log_bytes;  // of a rank; beyond it the rank cannot be replayed
  int node_ranks = 0;                     // that fill a node; 0: it is not said
  // Ranks of a node whose messages to one another are left out; 0: nothing is. All ranks of a node, or none, have to be
  // among `ranks`.
  int unrecorded_node = 0;
  bool logs_system = false;         // also what the system told the program about time, machine and chance
  std::map<int, PartialLog> loops;  // by rank: logs that end early; other ranks' have the whole run
  // Files that travel with the recording: those that arguments name and the standard input, and these files and
  // folders.
  bool with_inputs = false;
  std::vector<std::string> inputs;
  bool fresh = false;            // replace an earlier recording
  bool passes_output_on = true;  // the program's, to ours; false: into the folder only
};

struct Recording {
  std::string folder;
  std::string program;  // the file that called MPI_Init
  int n_ranks = 0;      // recorded
  uint64_t calls = 0;
  std::map<int, uint64_t> events;  // by recorded rank: as many as its trace has
  uint64_t bytes = 0;
  size_t inputs = 0;  // files that travel with it, and their bytes
  uint64_t input_bytes = 0;
  double elapsed_s = 0;
  double recorder_s = 0;        // of the rank that recording cost most: elapsed time in calls, without that in MPI
  int exit_status = 0;          // the program's own, to be passed on; that of bad input where ranks were given up
  std::vector<Error> given_up;  // ranks that cannot be replayed, each with the reason, of which was warned
};

// The folder becomes an experiment folder with one run, whose rank files are the logs. Errors: as of prepare_profile();
// the folder has a recording already (kInput); what is read is in this folder, and would be removed (kUsage); a rank
// has no log, one that is not whole, or one that cannot be replayed, with the reason (kInput or kEnvironment).
Result<Recording> record(const RecordRequest& request, launch::Notices& notices);

// As the user named it, or would have.
std::string recording_folder(const RecordRequest& request);

// The ranks of LIST, ascending. Errors (kUsage): no list of numbers, a rank that there is not.
Result<std::vector<int>> parse_ranks(const std::string& list, int np);

}  // namespace scalediag::replay
