#include "collector/launch/batch/submission.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "collector/launch/process/command_output.h"
#include "collector/launch/process/log_tail.h"
#include "collector/launch/store/experiment_store.h"
#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;
using core::JsonNode;
using Phase = JobState::Phase;

using Json = nlohmann::ordered_json;

constexpr char kJobsSchema[] = "scalediag-jobs";
constexpr int kJobsVersion = 1;

Json to_json(const SubmittedJob& job) {
  return {{"np", job.size.np}, {"nodes", job.size.nodes},    {"ranks_per_node", job.size.ranks_per_node},
          {"job", job.job},    {"collected", job.collected}, {"fault", job.fault}};
}

SubmittedJob read_job(const JsonNode& node) {
  SubmittedJob job;
  node.read("np", job.size.np, 1);
  node.read("nodes", job.size.nodes, 0);
  node.read("ranks_per_node", job.size.ranks_per_node, 0);
  node.read("job", job.job);
  node.read("collected", job.collected);
  node.read("fault", job.fault);
  return job;
}

// The last line with content.
std::string last_line_of(const std::string& log) {
  std::string text = tail_of_log(log);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  const size_t newline = text.rfind('\n');
  return newline == text.npos ? text : text.substr(newline + 1);
}

// The reason that scalediag in the job gave: the run that failed, or an error; else the last line of its log.
std::string complaint_in_log(const std::string& log) {
  const std::string text = "\n" + tail_of_log(log);
  for (const std::string_view begin : {"failed: np", "error: "}) {
    const size_t found = text.rfind("\n" + std::string(begin));
    const size_t said = found == text.npos ? text.npos : text.find(' ', found) + 1;
    if (said != text.npos) return text.substr(said, text.find('\n', said) - said);
  }
  return last_line_of(log);
}

}  // namespace

std::string Submission::name_of(int np) {
  const std::string run = core::run_id({np, {}}, 0);  // "np0004.r0"
  return run.substr(0, run.find('.'));
}

Result<Submission> Submission::load(const std::string& folder, const BatchSystem& system) {
  Submission submission(folder, system);
  const std::string file = submission.folder() + "/jobs.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return submission;
  const auto text = TRY(core::read_file(file));
  const auto document = TRY(core::parse_json(text, file));
  TRY(core::check_schema(document, kJobsSchema, kJobsVersion, file, "measure again into another folder (-o)"));
  std::optional<std::string> failure;
  std::string name;
  const JsonNode root(document, failure);
  root.read("batch_system", name);
  root.read("measures", submission.measures_);
  root.each("jobs", [&](const JsonNode& job) { submission.jobs_.push_back(read_job(job)); });
  if (failure) return Error{ErrorCode::kInput, file + " is damaged: " + *failure, "", file};
  if (name != system.name) {
    return Error{ErrorCode::kInput, file + " has jobs of " + name + ", not of " + system.name,
                 "give --batch-system " + name + ", or another folder with -o", file};
  }
  return submission;
}

Status Submission::save() const {
  Json jobs = Json::array();
  for (const SubmittedJob& job : jobs_) jobs.push_back(to_json(job));
  const Json document = {{"schema", std::string(kJobsSchema) + "/" + std::to_string(kJobsVersion)},
                         {"batch_system", system_->name},
                         {"measures", measures_},
                         {"jobs", jobs}};
  const auto text = TRY(core::to_json_text(document, 2));
  std::error_code failed;
  fs::create_directories(folder(), failed);
  if (failed) return core::write_error(folder(), failed.value());
  return core::write_own_file_atomically(folder() + "/jobs.json", text);
}

SubmittedJob* Submission::job_of(int np) {
  const auto found = std::ranges::find_if(jobs_, [np](const SubmittedJob& job) { return job.size.np == np; });
  return found == jobs_.end() ? nullptr : &*found;
}

Status Submission::set_measured(const std::string& measures) {
  if (!jobs_.empty() && measures_ != measures) {
    return Error{ErrorCode::kInput,
                 folder() + " has jobs of another measurement: " + measures_ + ", and not " + measures, kBeginAgain,
                 folder_};
  }
  measures_ = measures;
  return Done{};
}

void Submission::add(const std::vector<JobSize>& sizes) {
  for (const JobSize& size : sizes) {
    if (SubmittedJob* job = job_of(size.np); job == nullptr) {
      jobs_.push_back({size, "", false, ""});
    } else if (!job->collected) {
      job->size = size;
    }
  }
  std::ranges::sort(jobs_, {}, [](const SubmittedJob& job) { return job.size.np; });
}

void Submission::look(double patience_s) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
  for (SubmittedJob& job : jobs_) {
    if (job.collected || job.job.empty()) continue;
    std::string status = tail_of_log(status_file_of(job.size.np));
    if (status.empty()) {
      job.state = state_of_job(*system_, job.job);
      // A job that failed has failed with or without the file.
      const bool has_status = job.state.phase == Phase::kEnded || job.state.phase == Phase::kGone;
      while (has_status && status.empty()) {
        std::error_code ignored;
        fs::directory_iterator(folder(), ignored);  // opened anew, NFS asks the server about it
        status = tail_of_log(status_file_of(job.size.np));
        if (!status.empty() || std::chrono::steady_clock::now() >= give_up) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    }
    if (!status.empty()) {
      const int value = std::atoi(status.c_str());
      job.state = {value == 0 ? Phase::kEnded : Phase::kFailed, "exit status " + std::to_string(value)};
      job.fault = value == 0 ? "" : job.state.text + ": " + complaint_in_log(log_of(job.size.np));
      // A job that was ended at its time limit may still write a status, which says less.
      const JobState said = value == 0 ? JobState{} : state_of_job(*system_, job.job);
      if (said.phase == Phase::kFailed && !said.text.starts_with("FAILED")) {
        job.fault = std::string(system_->title) + " says " + said.text;
      }
    } else if (job.state.phase == Phase::kFailed || job.state.phase == Phase::kEnded) {
      job.state.phase = Phase::kFailed;
      job.fault = std::string(system_->title) + " says " + job.state.text;
    } else if (job.state.phase == Phase::kGone) {
      job.state.phase = Phase::kFailed;
      job.fault = std::string(system_->title) + " does not know it any more, and it left no exit status";
    }
  }
}

std::vector<JobScript> Submission::scripts(const std::vector<const SubmittedJob*>& jobs, bool as_array,
                                           const std::string& name, const std::string& working_directory,
                                           const std::vector<std::string>& command) const {
  std::vector<JobScript> scripts;
  for (const SubmittedJob* job : jobs) {
    const int np = job->size.np;
    if (scripts.empty() || !as_array) {
      scripts.push_back({name + "." + name_of(np), log_of(np), {}, {}, {}, working_directory, command});
    }
    JobScript& script = scripts.back();
    script.sizes.push_back(job->size);
    script.done.push_back(status_file_of(np));
    script.logs.push_back(log_of(np));
    if (script.sizes.size() > 1) {
      script.name = name;
      script.log = folder() + "/array.log";
    }
  }
  return scripts;
}

Status Submission::submit(const JobScript& script, const std::vector<std::string>& options) {
  const bool is_array = script.sizes.size() > 1;
  const std::string file = is_array ? folder() + "/array.sh" : script_of(script.sizes.front().np);
  if (auto saved = save(); !saved) return saved;  // makes the folder
  TRY(core::write_own_file_atomically(file, text_of(script, *system_)));
  for (const std::string& status : script.done) {
    std::error_code ignored;
    fs::remove(status, ignored);
  }
  const std::vector<std::string> command = submit_command(*system_, options, file);
  const auto output = TRY(run_and_capture(command));
  const std::string number = output.exit_status == 0 ? system_->job_in(output.text) : "";
  if (number.empty()) {
    const std::string said = output.text.substr(0, output.text.find('\n'));
    return Error{ErrorCode::kEnvironment, std::string(system_->title) + " does not take the job: " + said,
                 "see what it says: " + core::join_shell_words(command), file};
  }
  for (size_t task = 0; task < script.sizes.size(); ++task) {
    SubmittedJob* job = job_of(script.sizes[task].np);
    if (job == nullptr) continue;
    job->job = is_array ? number + "_" + std::to_string(task) : number;
    job->state = {Phase::kQueued, "submitted"};
    job->fault.clear();
  }
  return save();
}

}  // namespace scalediag::launch
