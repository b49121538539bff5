#include "collector/launch/batch/batch_system.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "collector/launch/process/command_output.h"
#include "collector/launch/program/executable_file.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

using core::quote_shell_word;
using Phase = JobState::Phase;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// The word after `key`, as in "JobState=PENDING"; empty: it is not there.
std::string value_after(const std::string& text, const std::string& key) {
  for (size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    if (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])) == 0) continue;
    const size_t begin = at + key.size();
    return text.substr(begin, text.find_first_of(" \t\n", begin) - begin);
  }
  return "";
}

std::string with_reason(const std::string& state, const std::string& reason) {
  return reason.empty() || reason == "None" ? state : state + " (" + reason + ")";
}

std::vector<std::string> slurm_options(const JobSize& size, const std::string& name, const std::string& log,
                                       int tasks) {
  std::string pattern;  // Slurm replaces "%j", but not "%%j"
  for (const char c : log) pattern += c == '%' ? "%%" : std::string(1, c);
  std::vector<std::string> options = {"--job-name=" + quote_shell_word(name), "--output=" + quote_shell_word(pattern),
                                      "--open-mode=append", "--ntasks=" + std::to_string(size.np)};
  if (size.nodes > 0) options.push_back("--nodes=" + std::to_string(size.nodes));
  if (size.ranks_per_node > 0) options.push_back("--ntasks-per-node=" + std::to_string(size.ranks_per_node));
  if (tasks > 0) options.push_back("--array=0-" + std::to_string(tasks - 1));
  return options;
}

// `sbatch --parsable` prints the number, and after a semicolon the cluster.
std::string slurm_job(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::string number = line.substr(0, line.find(';'));
    if (!number.empty() && std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; })) {
      return number;
    }
  }
  return "";
}

// Reads the output of `scontrol -o show job`, or of `sacct -X -n -P -o State,Reason`.
JobState slurm_state(const std::string& output) {
  std::string state = value_after(output, "JobState="), reason = value_after(output, "Reason=");
  if (state.empty()) {
    const std::string line = output.substr(0, output.find('\n'));
    state = line.substr(0, line.find('|'));
    if (line.find('|') != line.npos) reason = line.substr(line.find('|') + 1);
  }
  const std::string word = state.substr(0, state.find(' '));  // "CANCELLED by 1000"
  JobState found{Phase::kFailed, with_reason(state, reason)};
  if (word.empty()) return {};
  if (is_one_of(word, {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD",
                       "SPECIAL_EXIT", "SUSPENDED"})) {
    found.phase = Phase::kQueued;
  } else if (is_one_of(word, {"RUNNING", "COMPLETING", "SIGNALING", "STAGE_OUT", "STOPPED", "RESIZING"})) {
    found.phase = Phase::kRunning;
  } else if (word == "COMPLETED") {
    found.phase = Phase::kEnded;
  }
  return found;
}

std::vector<std::string> pbs_options(const JobSize& size, const std::string& name, const std::string& log, int) {
  const int nodes = size.nodes > 0 ? size.nodes : size.np;
  const std::string each = std::to_string(size.ranks_per_node > 0 ? size.ranks_per_node : 1);
  return {"-N " + quote_shell_word(name), "-j oe", "-o " + quote_shell_word(log), "-V",
          "-l select=" + std::to_string(nodes) + ":ncpus=" + each + ":mpiprocs=" + each};
}

std::string first_word(const std::string& output) {
  std::istringstream words(output);
  std::string word;
  words >> word;
  return word;
}

// `qstat -x -f` prints "job_state = Q", "comment = ..." and "Exit_status = 0".
JobState pbs_state(const std::string& output) {
  const auto field = [&output](const std::string& name) {
    const size_t at = output.find(name + " = ");
    if (at == output.npos) return std::string();
    const size_t begin = at + name.size() + 3;
    return output.substr(begin, output.find('\n', begin) - begin);
  };
  const std::string state = field("job_state"), status = field("Exit_status");
  if (state.empty()) return {};
  if (is_one_of(state, {"Q", "H", "W", "T", "S"})) return {Phase::kQueued, with_reason(state, field("comment"))};
  if (is_one_of(state, {"R", "E", "B"})) return {Phase::kRunning, state};
  return status == "0" ? JobState{Phase::kEnded, state}
                       : JobState{Phase::kFailed, with_reason(state, "exit status " + status)};
}

std::vector<std::string> lsf_options(const JobSize& size, const std::string& name, const std::string& log, int) {
  std::vector<std::string> options = {"-J " + quote_shell_word(name), "-o " + quote_shell_word(log),
                                      "-n " + std::to_string(size.np)};
  if (size.ranks_per_node > 0) options.push_back("-R span[ptile=" + std::to_string(size.ranks_per_node) + "]");
  return options;
}

// "Job <123> is submitted to queue <normal>."
std::string lsf_job(const std::string& output) {
  const size_t at = output.find("Job <");
  return at == output.npos ? "" : output.substr(at + 5, output.find('>', at) - at - 5);
}

// `bjobs -noheader -o 'stat pend_reason'`
JobState lsf_state(const std::string& output) {
  const std::string state = first_word(output);
  if (state.empty() || output.find("is not found") != output.npos) return {};
  std::string reason = output.substr(output.find(state) + state.size());
  reason = reason.substr(0, reason.find('\n'));
  reason.erase(0, reason.find_first_not_of(" -"));
  if (is_one_of(state, {"PEND", "PSUSP", "WAIT"})) return {Phase::kQueued, with_reason(state, reason)};
  if (is_one_of(state, {"RUN", "USUSP", "SSUSP", "PROV"})) return {Phase::kRunning, state};
  return state == "DONE" ? JobState{Phase::kEnded, state} : JobState{Phase::kFailed, state};
}

std::vector<std::string> flux_options(const JobSize& size, const std::string& name, const std::string& log, int) {
  std::vector<std::string> options = {"--job-name=" + quote_shell_word(name), "--output=" + quote_shell_word(log),
                                      "-n " + std::to_string(size.np)};
  if (size.nodes > 0) options.push_back("-N " + std::to_string(size.nodes));
  return options;
}

// `flux jobs -n -o '{state} {result}'`
JobState flux_state(const std::string& output) {
  std::istringstream words(output);
  std::string state, result;
  words >> state >> result;
  if (is_one_of(state, {"DEPEND", "PRIORITY", "SCHED"})) return {Phase::kQueued, state};
  if (is_one_of(state, {"RUN", "CLEANUP"})) return {Phase::kRunning, state};
  if (state != "INACTIVE") return {};
  return {result == "COMPLETED" ? Phase::kEnded : Phase::kFailed, with_reason(state, result)};
}

}  // namespace

const std::vector<BatchSystem>& batch_systems() {
  static const std::vector<BatchSystem> systems = {
      {"slurm",
       "Slurm",
       "SLURM_JOB_ID",
       {"sbatch", "--parsable"},
       false,
       "#SBATCH",
       "SLURM_ARRAY_TASK_ID",
       slurm_options,
       slurm_job,
       {{"scontrol", "-o", "show", "job", "{job}"}, {"sacct", "-X", "-n", "-P", "-o", "State,Reason", "-j", "{job}"}},
       slurm_state,
       "scancel"},
      {"pbs",
       "PBS",
       "PBS_JOBID",
       {"qsub"},
       false,
       "#PBS",
       "",
       pbs_options,
       first_word,
       {{"qstat", "-x", "-f", "{job}"}},
       pbs_state,
       "qdel"},
      {"lsf",
       "LSF",
       "LSB_JOBID",
       {"bsub"},
       true,
       "#BSUB",
       "",
       lsf_options,
       lsf_job,
       {{"bjobs", "-noheader", "-o", "stat pend_reason", "{job}"}},
       lsf_state,
       "bkill"},
      {"flux",
       "Flux",
       "FLUX_JOB_ID",
       {"flux", "batch"},
       false,
       "#flux:",
       "",
       flux_options,
       first_word,
       {{"flux", "jobs", "-n", "-o", "{state} {result}", "{job}"}},
       flux_state,
       "flux cancel"},
  };
  return systems;
}

const BatchSystem* batch_system_called(const std::string& name) {
  const auto found = std::ranges::find_if(batch_systems(), [&](const BatchSystem& row) { return name == row.name; });
  return found == batch_systems().end() ? nullptr : &*found;
}

const BatchSystem* installed_batch_system() {
  const auto found = std::ranges::find_if(
      batch_systems(), [](const BatchSystem& row) { return !find_in_path(row.submit.front()).empty(); });
  return found == batch_systems().end() ? nullptr : &*found;
}

const BatchSystem* current_batch_system() {
  const BatchSystem* innermost = nullptr;
  for (const BatchSystem& system : batch_systems()) {
    if (std::getenv(system.variable) != nullptr) innermost = &system;
  }
  return innermost;
}

std::string current_job() {
  const BatchSystem* system = current_batch_system();
  return system == nullptr ? "" : std::getenv(system->variable);
}

// In the words of Slurm, PBS, LSF and Flux.
bool says_no_such_job(const std::string& answer) {
  constexpr const char* kWords[] = {"Invalid job id", "Unknown Job Id", "Unknown Job ID",
                                    "is not found",   "invalid jobid",  "unknown job"};
  return std::ranges::any_of(kWords, [&](const char* words) { return answer.find(words) != answer.npos; });
}

JobState state_of_job(const BatchSystem& system, const std::string& job) {
  bool is_gone = false;
  for (std::vector<std::string> words : system.queries) {
    std::ranges::replace(words, std::string("{job}"), job);
    if (find_in_path(words.front()).empty()) continue;
    const auto answer = run_and_capture(words);
    if (!answer) continue;
    is_gone |= says_no_such_job(answer.value().text);
    if (answer.value().exit_status != 0) continue;
    const JobState state = system.state_in(answer.value().text);
    if (state.phase != Phase::kUnknown) return state;
  }
  return is_gone ? JobState{Phase::kGone, ""} : JobState{};
}

}  // namespace scalediag::launch
