#include "collector/launch/process/command_output.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "collector/launch/process/interruption.h"

namespace scalediag::launch {
namespace {

constexpr int kTick_us = 10'000;

Error cannot_run(const std::string& command, int reason) {
  return {ErrorCode::kEnvironment, "cannot run " + command + ": " + std::strerror(reason), "", command};
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n > 0) {
      text.append(buffer, static_cast<size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return text;
    }
  }
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int exit_status_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// Also where it is no longer known.
bool has_ended(pid_t pid, int& status) { return waitpid(pid, &status, WNOHANG) != 0; }

bool ends_within(pid_t pid, int ticks) {
  int status = 0;
  for (int i = 0; i < ticks; ++i) {
    if (has_ended(pid, status)) return true;
    usleep(kTick_us);
  }
  return false;
}

}  // namespace

Result<CommandOutput> run_and_capture(const std::vector<std::string>& command) {
  const std::vector<char*> arguments = pointers_to(command);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return cannot_run(command[0], errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    return cannot_run(command[0], failed);
  }
  CommandOutput output;
  output.text = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  output.exit_status = exit_status_of(status);
  return output;
}

Result<Tried> try_command(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                          const std::string& output_file, double time_limit_s, const std::function<bool()>& is_done) {
  const std::vector<char*> arguments = pointers_to(command);
  std::vector<std::string> variables = environment;
  for (char** v = environ; *v != nullptr; ++v) {
    const std::string name(*v, std::strcspn(*v, "=") + 1);
    const auto replaces = [&](const std::string& given) { return given.starts_with(name); };
    if (std::ranges::none_of(environment, replaces)) variables.emplace_back(*v);
  }
  const std::vector<char*> variable_pointers = pointers_to(variables);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const InterruptionGuard interruption;
  sigset_t ignored_here;
  sigemptyset(&ignored_here);
  sigaddset(&ignored_here, SIGPIPE);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigdefault(&attributes, &ignored_here);
  pid_t pid = 0;
  const int failed =
      posix_spawnp(&pid, command[0].c_str(), &actions, &attributes, arguments.data(), variable_pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) return cannot_run(command[0], failed);

  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(time_limit_s);
  Tried tried;
  bool ended = false;
  while (tried.until == Tried::Until::kTimeLimit && std::chrono::steady_clock::now() < limit) {
    int status = 0;
    ended = has_ended(pid, status);
    if (is_done()) {
      tried.until = Tried::Until::kDone;
    } else if (ended) {
      tried.until = Tried::Until::kEnded;
      tried.exit_status = exit_status_of(status);
    } else if (interruption.signal() != 0) {
      tried.until = Tried::Until::kInterrupted;
      tried.signal = interruption.signal();
    } else {
      usleep(kTick_us);
    }
  }
  // A launcher that the command started ends its ranks when it is asked to.
  kill(-pid, SIGTERM);
  if (!ended) ended = ends_within(pid, 100);
  kill(-pid, SIGKILL);
  if (!ended) waitpid(pid, nullptr, 0);
  return tried;
}

}  // namespace scalediag::launch
