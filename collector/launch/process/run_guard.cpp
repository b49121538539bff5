#include "collector/launch/process/run_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "collector/launch/process/process_tree.h"

namespace scalediag::launch {
namespace {

using SteadyClock = std::chrono::steady_clock;

void signal_all(const std::vector<pid_t>& pids, int signal) {
  for (const pid_t pid : pids) kill(pid, signal);
}

// Kernels before 5.9 cannot close a range.
void close_all(unsigned first, unsigned last) {
#ifdef SYS_close_range
  if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
#endif
  const auto most = static_cast<unsigned>(std::clamp(sysconf(_SC_OPEN_MAX), 0L, 65536L));
  for (unsigned fd = first; fd <= last && fd < most; ++fd) close(static_cast<int>(fd));
}

// It has a session of its own, so that a terminal's signals do not end it with the rest, and keeps no descriptor open.
[[noreturn]] void wait_and_end(int pipe, const std::string& stamp, double grace_s) {
  setsid();
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);
  const int null_fd = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null_fd, fd);
  close_all(3, static_cast<unsigned>(pipe) - 1);
  close_all(static_cast<unsigned>(pipe) + 1, ~0U);
  char byte = 0;
  ssize_t n = 0;
  do {
    n = read(pipe, &byte, 1);
  } while (n < 0 && errno == EINTR);
  if (n == 0) end_processes_of(stamp, grace_s);
  _exit(0);
}

}  // namespace

int end_processes_of(const std::string& stamp, double grace_s) {
  const std::string variable = std::string(kStampVariable) + "=" + stamp;
  const std::vector<pid_t> first = processes_with(variable);
  signal_all(first, SIGTERM);
  signal_all(first, SIGCONT);  // a stopped process gets its SIGTERM only when it goes on
  const auto until = SteadyClock::now() + std::chrono::duration<double>(grace_s);
  std::vector<pid_t> left = processes_with(variable);
  while (!left.empty() && SteadyClock::now() < until) {
    usleep(50'000);
    left = processes_with(variable);
  }
  // A process may fork between being listed and being killed: look again until none is left.
  for (int attempt = 0; !left.empty() && attempt < 100; ++attempt) {
    signal_all(left, SIGKILL);
    usleep(10'000);
    left = processes_with(variable);
  }
  return static_cast<int>(first.size());
}

int end_leftovers(const core::RunEntry& run) {
  constexpr double kGrace_s = 5;
  return run.state == core::RunState::kRunning && !run.stamp.empty() ? end_processes_of(run.stamp, kGrace_s) : 0;
}

RunGuard::RunGuard(const std::string& stamp, double grace_s) {
  int ends[2];
  if (stamp.empty() || pipe2(ends, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[1]);
    wait_and_end(ends[0], stamp, grace_s);
  }
  close(ends[0]);
  if (pid_ < 0) {
    close(ends[1]);
    return;
  }
  pipe_ = ends[1];
}

RunGuard::~RunGuard() {
  if (pipe_ < 0) return;
  [[maybe_unused]] const ssize_t ignored = ::write(pipe_, "", 1);
  close(pipe_);
  waitpid(pid_, nullptr, 0);
}

}  // namespace scalediag::launch
