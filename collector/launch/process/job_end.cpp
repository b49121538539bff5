#include "collector/launch/process/job_end.h"

#include <array>
#include <string_view>

#include "collector/launch/process/log_tail.h"

namespace scalediag::launch {
namespace {

struct KnownEnd {
  const char* words;
  const char* reason;
};

// "*** STEP 12.3 ON node1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***" is slurmstepd's, as are the other
// reasons in capitals. It prints such a line without a reason where a rank failed and the others are ended.
constexpr std::array<KnownEnd, 10> kKnownEnds = {{
    {"DUE TO TIME LIMIT", "Slurm ended it at the time limit of the job"},
    {"DUE TO NODE FAILURE", "a node failed, and Slurm ended it"},
    {"DUE TO PREEMPTION", "Slurm gave its nodes to another job (preemption)"},
    {"DUE TO JOB REQUEUE", "Slurm put the job back into the queue"},
    {"srun: error: Node failure", "a node failed, and Slurm ended it"},
    {"srun: error: Timed out waiting for job step to complete", "Slurm lost ranks of it"},
    {"has lost communication with a remote daemon",
     "the launcher lost its daemon on a node, which failed or whose job ended"},
    {"An ORTE daemon has unexpectedly failed",
     "the launcher lost its daemon on a node, which failed or whose job ended"},
    {"A daemon (pid unknown) died unexpectedly",
     "the launcher lost its daemon on a node, which failed or whose job ended"},
    {"lost connection to proxy", "the launcher lost its daemon on a node, which failed or whose job ended"},
}};

}  // namespace

std::string find_job_end(const std::string& output) {
  for (const KnownEnd& end : kKnownEnds) {
    const size_t found = output.find(end.words);
    if (found == output.npos) continue;
    // A program may print such words itself; Slurm's line has "CANCELLED AT" before them.
    const size_t line = output.rfind('\n', found) + 1;
    const bool is_of_slurmstepd = std::string_view(end.words).starts_with("DUE TO ");
    if (is_of_slurmstepd && output.substr(line, found - line).find("CANCELLED AT") == output.npos) continue;
    return end.reason;
  }
  return "";
}

std::string find_job_end_in_logs(const std::string& stdout_log, const std::string& stderr_log) {
  const std::string found = find_job_end(tail_of_log(stderr_log));
  return found.empty() ? find_job_end(tail_of_log(stdout_log)) : found;
}

}  // namespace scalediag::launch
