// A recording made ready to be replayed: where its program, folder and files are here, which may be another machine
// than the one that recorded it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
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

// Variables of this process for as long as this lives, then those that were set before.
class SetVariables {
 public:
  explicit SetVariables(const std::map<std::string, std::string>& variables);
  ~SetVariables();
  SetVariables(const SetVariables&) = delete;
  SetVariables& operator=(const SetVariables&) = delete;

 private:
  std::vector<std::pair<std::string, const char*>> before_;
  std::vector<std::string> values_;
};

// Goes back to the present working directory at its end.
class KeptWorkingDirectory {
 public:
  KeptWorkingDirectory();
  ~KeptWorkingDirectory();
  KeptWorkingDirectory(const KeptWorkingDirectory&) = delete;
  KeptWorkingDirectory& operator=(const KeptWorkingDirectory&) = delete;

 private:
  const std::filesystem::path path_;
};

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
