// The script of a job that measures one number of processes, or of an array with a task for each of several.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/batch/batch_system.h"

namespace scalediag::launch {

// Set in a job that was submitted: the number of processes of -n that it measures.
constexpr char kJobProcesses[] = "SCALEDIAG_JOB_PROCESSES";

struct JobScript {
  std::string name;               // of the job, in the batch system's lists
  std::string log;                // file for what the job prints, and the batch system about it
  std::vector<JobSize> sizes;     // one, or one for each task of an array
  std::vector<std::string> done;  // for each size: the file that gets the exit status
  std::vector<std::string> logs;  // for each size: where a task of an array prints
  std::string working_directory;
  std::vector<std::string> command;  // scalediag with the words that it was called with
};

// The text of the script. Its first lines ask for what the largest size needs.
std::string text_of(const JobScript& script, const BatchSystem& system);

// The words that submit a script: `options` are the user's, and have precedence over those in the script.
std::vector<std::string> submit_command(const BatchSystem& system, const std::vector<std::string>& options,
                                        const std::string& script_file);

}  // namespace scalediag::launch
