// The jobs of an experiment that is measured by a batch system, and what became of them. A job is one number of
// processes and an experiment folder of its own, so that jobs need not wait for each other.
//
//   app.scalediag/
//     jobs/jobs.json        the jobs, by the number of processes
//     jobs/np0004/          the experiment that the job of 4 processes measures; removed once it was collected
//     jobs/np0004.sh        its script, beside np0004.log (what it printed) and np0004.status (its exit status)
#pragma once

#include <string>
#include <vector>

#include "collector/launch/batch/batch_system.h"
#include "collector/launch/batch/job_script.h"
#include "core/result.h"

namespace scalediag::launch {

struct SubmittedJob {
  JobSize size;
  std::string job;         // its number, as "12" or "12_0"; empty: not submitted yet
  bool collected = false;  // its runs are in the experiment
  std::string fault;       // the reason why it failed the last time; empty: it did not
  JobState state = {};     // as last seen; not kept
};

// NFS keeps what it knows of a folder for at most 60 seconds (acdirmax in nfs(5)).
constexpr double kFilesAreSeenWithin_s = 60;

class Submission {
 public:
  // The jobs of the experiment in `folder`, where there are any. Error: jobs.json is damaged, or of another batch
  // system (kInput).
  static Result<Submission> load(const std::string& folder, const BatchSystem& system);
  Status save() const;

  // The program, its arguments, folder and parameters, in words that only the same measurement has. Error (kInput): the
  // jobs that are kept measure something else.
  Status set_measured(const std::string& measures);
  // Adds jobs for numbers of processes that have none.
  void add(const std::vector<JobSize>& sizes);
  std::vector<SubmittedJob>& jobs() { return jobs_; }
  const std::vector<SubmittedJob>& jobs() const { return jobs_; }
  const BatchSystem& system() const { return *system_; }

  std::string folder() const { return folder_ + "/jobs"; }
  // "np0004", and the files of that name.
  static std::string name_of(int np);
  std::string experiment_of(int np) const { return folder() + "/" + name_of(np); }
  std::string script_of(int np) const { return experiment_of(np) + ".sh"; }
  std::string log_of(int np) const { return experiment_of(np) + ".log"; }
  std::string status_file_of(int np) const { return experiment_of(np) + ".status"; }

  // Asks the batch system about all jobs that are not collected. A job that has written its exit status has ended.
  // A shared file system may show that file late: where a job ended, or is not known any more, and has none yet, it is
  // waited for, all in all for at most `patience_s` seconds.
  void look(double patience_s = kFilesAreSeenWithin_s);

  // The scripts of these jobs: one each, or one array. `command` and `name` as of JobScript.
  std::vector<JobScript> scripts(const std::vector<const SubmittedJob*>& jobs, bool as_array, const std::string& name,
                                 const std::string& working_directory, const std::vector<std::string>& command) const;

  // Writes a script and submits it; notes its number with its jobs and saves. Errors (kEnvironment): a file cannot be
  // written, the batch system refuses the job, with its words.
  Status submit(const JobScript& script, const std::vector<std::string>& options);

 private:
  Submission(std::string folder, const BatchSystem& system) : folder_(std::move(folder)), system_(&system) {}
  SubmittedJob* job_of(int np);

  std::string folder_;
  const BatchSystem* system_;
  std::string measures_;  // empty: no job was submitted
  std::vector<SubmittedJob> jobs_;
};

}  // namespace scalediag::launch
