#include "collector/launch/process/process_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "collector/launch/process/output_tee.h"
#include "collector/launch/process/process_tree.h"
#include "collector/launch/process/run_guard.h"

namespace scalediag::launch {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr double kTick_s = 0.2;
// After the launcher's end a process that it left behind may still hold the pipes; its output is awaited for this long
// only.
constexpr int kDrain_ms = 200;
// The limit for all of that output, in seconds, where the process goes on printing.
constexpr double kLongestDrain_s = 2;

Error cannot_start(const std::string& command, int reason) {
  return {ErrorCode::kEnvironment, "cannot start " + command + ": " + std::strerror(reason),
          "check that it is installed and executable", command};
}

// Runs between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_command(const char* program, char* const* arguments, int stdin_fd, int stdout_fd,
                                 int stderr_fd, int error_fd, pid_t parent) {
  setpgid(0, 0);
  InterruptionGuard::restore_in_child();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // the parent ended before the line above
  dup2(stdin_fd, STDIN_FILENO);
  dup2(stdout_fd, STDOUT_FILENO);
  dup2(stderr_fd, STDERR_FILENO);
  execvp(program, arguments);
  const int reason = errno;
  [[maybe_unused]] const ssize_t ignored = write(error_fd, &reason, sizeof reason);
  _exit(127);
}

class RunningProcess {
 public:
  RunningProcess(const ProcessRequest& request, const InterruptionGuard& interruption, OutputTee& out, OutputTee& err)
      : request_(request), interruption_(interruption), out_(out), err_(err) {}

  Result<pid_t> start() {
    std::vector<char*> arguments;
    const std::string& program = request_.program.empty() ? request_.command[0] : request_.program;
    for (const std::string& word : request_.command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int error_pipe[2];
    if (null_fd < 0 || pipe2(error_pipe, O_CLOEXEC) != 0) return cannot_start(program, errno);

    become_subreaper();
    guard_.emplace(request_.stamp, request_.grace_s);
    if (!request_.stamp.empty()) setenv(kStampVariable, request_.stamp.c_str(), 1);
    started_ = SteadyClock::now();
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      for (const auto& [name, value] : request_.environment) setenv(name.c_str(), value.c_str(), 1);
      become_command(program.c_str(), arguments.data(), request_.stdin_fd >= 0 ? request_.stdin_fd : null_fd,
                     out_.write_end(), err_.write_end(), error_pipe[1], parent);
    }
    const int fork_error = errno;
    unsetenv(kStampVariable);
    out_.close_write_end();
    err_.close_write_end();
    close(null_fd);
    close(error_pipe[1]);
    if (pid_ < 0) {
      close(error_pipe[0]);
      return cannot_start(program, fork_error);
    }
    setpgid(pid_, pid_);  // done by both processes, so that a signal to the group cannot come too early
    int reason = 0;
    const ssize_t n = read(error_pipe[0], &reason, sizeof reason);
    close(error_pipe[0]);
    if (n == sizeof reason) {
      waitpid(pid_, nullptr, 0);
      return cannot_start(program, reason);
    }
    pid_fd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));  // -1 on old kernels, where ticks find the end
    return pid_;
  }

  ProcessOutcome follow() {
    while (!ended_) {
      request_.on_tick(elapsed_s());
      enforce_limits();
      wait_for_events(poll_timeout_ms());
      check_end();
    }
    if (pid_fd_ >= 0) close(pid_fd_);
    // Ranks may be left if their launcher did not end by itself; other processes that the application left behind are
    // its own. This comes first, since the output of such ranks would otherwise be awaited.
    if (stage_ > 0 || WIFSIGNALED(status_)) kill_descendants();
    drain();
    reap_children();
    return outcome();
  }

 private:
  double elapsed_s() const { return std::chrono::duration<double>(SteadyClock::now() - started_).count(); }

  void drain() {
    const double until_s = elapsed_s() + kLongestDrain_s;
    while (!(out_.at_end() && err_.at_end()) && elapsed_s() < until_s && wait_for_events(kDrain_ms)) {
    }
  }

  void enforce_limits() {
    const double now = elapsed_s();
    if (stage_ == 0 && interruption_.signal() != 0) {
      end_ = ProcessOutcome::End::kInterrupted;
      terminate(now);
    } else if (stage_ == 0 && request_.timeout_s && now >= *request_.timeout_s) {
      end_ = ProcessOutcome::End::kTimedOut;
      terminate(now);
    } else if (stage_ == 0 && request_.given_up != nullptr && request_.given_up->load(std::memory_order_acquire)) {
      end_ = ProcessOutcome::End::kGivenUp;
      terminate(now);
    } else if (stage_ == 1 && now >= terminated_at_s_ + request_.grace_s) {
      stage_ = 2;
      kill(-pid_, SIGKILL);
    }
  }

  void terminate(double now) {
    stage_ = 1;
    terminated_at_s_ = now;
    kill(-pid_, SIGTERM);
    continue_stopped_descendants();  // a stopped process gets its SIGTERM only when it is continued
  }

  int poll_timeout_ms() const {
    double wait_s = pid_fd_ >= 0 ? kTick_s : 0.02;
    if (stage_ == 0 && request_.timeout_s) wait_s = std::min(wait_s, *request_.timeout_s - elapsed_s());
    return std::max(0, static_cast<int>(wait_s * 1000) + 1);
  }

  // Returns whether there was any event.
  bool wait_for_events(int timeout_ms) {
    std::array<pollfd, 4> fds = {pollfd{out_.read_end(), POLLIN, 0}, pollfd{err_.read_end(), POLLIN, 0},
                                 pollfd{ended_ ? -1 : pid_fd_, POLLIN, 0},
                                 pollfd{stage_ == 0 ? interruption_.fd() : -1, POLLIN, 0}};
    const int n = poll(fds.data(), fds.size(), timeout_ms);
    if (n < 0) return errno == EINTR;
    if (fds[0].revents != 0) pass_on(out_);
    if (fds[1].revents != 0) pass_on(err_);
    return n > 0 && (fds[0].revents != 0 || fds[1].revents != 0 || !ended_);
  }

  void pass_on(OutputTee& tee) {
    request_.before_output();
    // A stream that only ends, or never had output, does not move the cursor that both share.
    if (tee.transfer() > 0) line_ended_ = tee.line_ended();
    request_.after_output(line_ended_);
  }

  void check_end() { ended_ = waitpid(pid_, &status_, WNOHANG) == pid_; }

  ProcessOutcome outcome() const {
    ProcessOutcome outcome;
    outcome.elapsed_s = elapsed_s();
    outcome.end = end_;
    outcome.exit_status = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    if (end_ == ProcessOutcome::End::kInterrupted) {
      outcome.signal = interruption_.signal();
    } else if (end_ == ProcessOutcome::End::kExited && WIFSIGNALED(status_)) {
      outcome.end = ProcessOutcome::End::kSignalled;
      outcome.signal = WTERMSIG(status_);
    }
    outcome.stdout_error = out_.target_error();
    outcome.log_error = out_.log_error().empty() ? err_.log_error() : out_.log_error();
    return outcome;
  }

  const ProcessRequest& request_;
  const InterruptionGuard& interruption_;
  OutputTee& out_;
  OutputTee& err_;
  std::optional<RunGuard> guard_;
  SteadyClock::time_point started_;
  pid_t pid_ = -1;
  int pid_fd_ = -1;
  int status_ = 0;
  bool ended_ = false;
  bool line_ended_ = true;
  int stage_ = 0;  // 1: SIGTERM was sent, 2: SIGKILL
  double terminated_at_s_ = 0;
  ProcessOutcome::End end_ = ProcessOutcome::End::kExited;
};

}  // namespace

Result<ProcessOutcome> run_process(const ProcessRequest& request, const InterruptionGuard& interruption) {
  const int nowhere = request.passes_output_on ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
  const struct Closer {
    int fd;
    ~Closer() {
      if (fd >= 0) close(fd);
    }
  } closer{nowhere};
  auto out = TRY(OutputTee::open(request.stdout_log, nowhere >= 0               ? nowhere
                                                     : request.output_to_stderr ? STDERR_FILENO
                                                                                : STDOUT_FILENO));
  auto err = TRY(OutputTee::open(request.stderr_log, nowhere >= 0 ? nowhere : STDERR_FILENO));
  RunningProcess process(request, interruption, out, err);
  TRY(process.start());
  return process.follow();
}

}  // namespace scalediag::launch
