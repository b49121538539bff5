#include "collector/launch/process/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace scalediag::launch {
namespace {

struct ProcessState {
  pid_t parent = 0;
  char state = '?';
};

// The command's name is in parentheses and may hold any character, so that the later fields are found from the right.
bool read_state(const std::string& pid, ProcessState& state) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const size_t end = line.rfind(')');
  int parent = 0;
  if (end == line.npos || std::sscanf(line.c_str() + end + 1, " %c %d", &state.state, &parent) != 2) return false;
  state.parent = parent;
  return true;
}

}  // namespace

void become_subreaper() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<pid_t> descendants() {
  std::multimap<pid_t, pid_t> children;
  std::set<pid_t> zombies;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return {};
  while (const dirent* entry = readdir(folder)) {
    ProcessState state;
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0 || !read_state(entry->d_name, state)) continue;
    children.emplace(state.parent, pid);
    if (state.state == 'Z' || state.state == 'X') zombies.insert(pid);
  }
  closedir(folder);

  std::vector<pid_t> found;
  std::vector<pid_t> pending = {getpid()};
  while (!pending.empty()) {
    const pid_t parent = pending.back();
    pending.pop_back();
    const auto [begin, end] = children.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
      pending.push_back(child->second);
      if (zombies.count(child->second) == 0) found.push_back(child->second);
    }
  }
  return found;
}

void continue_stopped_descendants() {
  for (const pid_t pid : descendants()) {
    ProcessState state;
    if (read_state(std::to_string(pid), state) && state.state == 'T') kill(pid, SIGCONT);
  }
}

std::vector<pid_t> processes_with(const std::string& variable) {
  std::vector<pid_t> found;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return {};
  while (const dirent* entry = readdir(folder)) {
    const pid_t pid = std::atoi(entry->d_name);
    ProcessState state;
    if (pid <= 0 || !read_state(entry->d_name, state) || state.state == 'Z' || state.state == 'X') continue;
    std::ifstream file(std::string("/proc/") + entry->d_name + "/environ", std::ios::binary);
    for (std::string text; std::getline(file, text, '\0');) {
      if (text != variable) continue;
      found.push_back(pid);
      break;
    }
  }
  closedir(folder);
  return found;
}

void kill_descendants() {
  // A process may fork between being listed and being killed: look again until none is left.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const auto pids = descendants();
    for (const pid_t pid : pids) kill(pid, SIGKILL);
    reap_children();
    if (pids.empty()) return;
    usleep(10'000);
  }
}

void reap_children() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace scalediag::launch
