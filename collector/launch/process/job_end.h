// The end of a run that the resource manager brought about: a time limit, a node that failed, another job that needed
// the nodes. The program did nothing wrong, and the same run may succeed another time.
#pragma once

#include <string>

namespace scalediag::launch {

// The reason in what the launcher printed, in one sentence: "Slurm ended it at the time limit of the job"; empty: there
// is none. Slurm's own words are looked for (slurmstepd and srun print them), and those of Open MPI's launcher and of
// Hydra where they lose a node.
std::string find_job_end(const std::string& output);

// The same in the last 64 KiB of these files; the first that has it.
std::string find_job_end_in_logs(const std::string& stdout_log, const std::string& stderr_log);

}  // namespace scalediag::launch
