// A recording made ready to be replayed: where its program, folder and files are here, which may be another machine
// than the one that recorded it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/launch/plan/profile_preparation.h"
#include "collector/replay/place/place_comparison.h"
#include "collector/replay/replay_request.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::replay {

struct OpenedRecording {
  core::Experiment experiment;
  launch::ProfileRequest request;  // of the program
  launch::ProfilePreparation preparation;
  std::string program;  // the file that calls MPI_Init: `experiment.program`, or else the executable
  std::string library;
  std::string folder;      // absolute
  std::string run_folder;  // with the logs
  std::string results;     // the folder that gets what is replayed
  int np = 0;
  bool uses_openmp = false;
};

Error no_recording(const std::string& folder, const std::string& why);

// The command that makes the recording anew.
std::string record_again(const core::Experiment& experiment, const std::string& folder);

// Texts NAME=VALUE of --env. Error (kUsage): another text.
Result<std::map<std::string, std::string>> parse_variables(const std::vector<std::string>& texts);

// Makes the folder where the program runs this process's working directory. Paths of `request` are absolute, its
// variables are set. Errors: the folder is no recording, or its run is not complete (kInput); the program or its folder
// is not here, or the program is of another family of MPI (kInput); as of prepare_run().
Result<OpenedRecording> open_recording(const ReplayRequest& request);

// What differs here. Error (kInput): it would be another computation; the hint has the command that mends it.
// `recorded_mpi` is what MPI_Get_library_version said.
Result<std::vector<std::string>> check_place(const OpenedRecording& recording, const ReplayRequest& request,
                                             const std::string& recorded_mpi);

}  // namespace scalediag::replay
