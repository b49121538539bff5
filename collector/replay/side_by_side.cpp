#include "collector/replay/side_by_side.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "collector/launch/process/interruption.h"
#include "core/raw/raw_records.h"

namespace scalediag::replay {
namespace {

static_assert(std::is_trivially_copyable_v<ReplayedRank>);

struct Child {
  pid_t pid = -1;
  int read_end = -1;
  std::string said;
};

std::string encoded(const Result<ReplayedRank>& result) {
  raw::Encoder out;
  out.u32(result ? 1 : 0);
  if (result) {
    out.bytes({reinterpret_cast<const char*>(&result.value()), sizeof(ReplayedRank)});
  } else {
    const Error& error = result.error();
    out.u32(static_cast<uint32_t>(error.code));
    for (const std::string* text : {&error.message, &error.hint, &error.where}) out.string(*text);
  }
  return {out.data(), out.size()};
}

Result<ReplayedRank> decoded(const std::string& said) {
  raw::Decoder in(said.data(), said.size(), false);
  if (in.u32() == 1 && said.size() == sizeof(uint32_t) + sizeof(ReplayedRank)) {
    ReplayedRank rank;
    std::memcpy(&rank, said.data() + sizeof(uint32_t), sizeof rank);
    return rank;
  }
  Error error;
  error.code = static_cast<ErrorCode>(in.u32());
  for (std::string* text : {&error.message, &error.hint, &error.where}) *text = in.string();
  if (in.ok()) return error;
  return Error{ErrorCode::kEnvironment, "a replay was killed", "look whether the machine has run out of memory"};
}

void write_all(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) at += static_cast<size_t>(n);
  }
}

// Whether the child is still there.
bool read_some(Child& child) {
  std::array<char, 4096> bytes;
  const ssize_t n = read(child.read_end, bytes.data(), bytes.size());
  if (n > 0) child.said.append(bytes.data(), static_cast<size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

// Ends the children that run, once: with the signal that came, or when one has failed, since others may wait for it.
// Gives the first failure.
std::optional<Error> wait_for(std::vector<Child>& children) {
  const launch::InterruptionGuard interruption;
  std::optional<Error> failure;
  bool are_ended = false;
  const auto end_all = [&](int signal) {
    if (signal == 0 || are_ended) return;
    are_ended = true;
    for (const Child& child : children) {
      if (child.read_end >= 0) kill(child.pid, signal);
    }
  };
  for (size_t running = children.size(); running > 0;) {
    std::vector<pollfd> ends = {{are_ended ? -1 : interruption.fd(), POLLIN, 0}};
    for (const Child& child : children) ends.push_back({child.read_end, POLLIN, 0});
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) break;
    end_all(interruption.signal());
    for (size_t i = 0; i < children.size(); ++i) {
      Child& child = children[i];
      if (ends[i + 1].revents == 0 || read_some(child)) continue;
      close(child.read_end);
      child.read_end = -1;
      --running;
      if (const auto rank = decoded(child.said); !rank && !failure) failure = rank.error();
      if (failure) end_all(SIGTERM);
    }
  }
  for (Child& child : children) {
    if (child.read_end >= 0) close(child.read_end);
    waitpid(child.pid, nullptr, 0);
  }
  return failure;
}

}  // namespace

Result<std::vector<ReplayedRank>> side_by_side(size_t n,
                                               const std::function<Result<ReplayedRank>(size_t)>& replay_one) {
  const pid_t parent = getpid();
  std::vector<Child> children;
  int failed = 0;
  for (size_t i = 0; i < n && failed == 0; ++i) {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) {
      failed = errno;
      break;
    }
    Child child;
    child.read_end = ends[0];
    child.pid = fork();
    if (child.pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) _exit(1);
      write_all(ends[1], encoded(replay_one(i)));
      _exit(0);
    }
    if (child.pid < 0) {
      failed = errno;
      close(ends[0]);
    } else {
      children.push_back(child);
    }
    close(ends[1]);
  }
  if (failed != 0) {
    for (const Child& child : children) kill(child.pid, SIGTERM);
  }
  const auto failure = wait_for(children);
  if (failed != 0) {
    return Error{ErrorCode::kEnvironment, std::string("replays cannot be started: ") + std::strerror(failed),
                 "replay fewer ranks at once"};
  }
  if (failure) return *failure;
  std::vector<ReplayedRank> ranks;
  for (const Child& child : children) ranks.push_back(decoded(child.said).value());
  return ranks;
}

}  // namespace scalediag::replay
