#include "collector/launch/process/rank_failure.h"

#include <signal.h>
#include <string.h>

#include <cstdio>

#include "collector/launch/process/log_tail.h"

namespace scalediag::launch {
namespace {

// What a line of srun's says of a task, "Killed" or "Segmentation fault (core dumped)".
std::optional<RankSignal> signal_named(const std::string& what, int rank) {
  if (what.starts_with("Out Of Memory")) return RankSignal{0, rank, true};
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    const char* const name = sigdescr_np(signal);
    if (name != nullptr && what.starts_with(name)) return RankSignal{signal, rank};
  }
  return std::nullopt;
}

// Of several tasks srun says "tasks 1-3: Killed".
std::optional<RankSignal> find_in_output_of_srun(const std::string& output) {
  const std::string begin = "srun: error: ";
  for (size_t at = output.find(begin); at != output.npos; at = output.find(begin, at + 1)) {
    const std::string line = output.substr(at, output.find('\n', at) - at);
    const size_t task = line.find(": task");
    const size_t what = task == line.npos ? line.npos : line.find(": ", task + 1);
    int rank = -1;
    if (what == line.npos || std::sscanf(line.c_str() + task, ": task%*[s ]%d", &rank) != 1) continue;
    if (const auto found = signal_named(line.substr(what + 2), rank)) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<RankSignal> find_rank_signal(const std::string& output) {
  RankSignal found;
  if (const size_t at = output.rfind(" exited on signal "); at != output.npos) {
    if (std::sscanf(output.c_str() + at, " exited on signal %d", &found.signal) != 1) return std::nullopt;
    // mpirun's help formatter may break the sentence over lines, but not inside these words.
    const size_t rank_at = output.rfind("process rank ", at);
    if (rank_at == output.npos || std::sscanf(output.c_str() + rank_at, "process rank %d", &found.rank) != 1) {
      found.rank = -1;
    }
    return found;
  }
  if (const size_t at = output.rfind("TERMINATED WITH THE EXIT STRING: "); at != output.npos) {
    const size_t signal_at = output.find("(signal ", at);
    if (signal_at == output.npos || std::sscanf(output.c_str() + signal_at, "(signal %d)", &found.signal) != 1) {
      return std::nullopt;
    }
    return found;
  }
  return find_in_output_of_srun(output);
}

std::optional<RankSignal> find_rank_signal_in_logs(const std::string& stdout_log, const std::string& stderr_log) {
  if (const auto found = find_rank_signal(tail_of_log(stderr_log))) return found;
  return find_rank_signal(tail_of_log(stdout_log));
}

}  // namespace scalediag::launch
