#include "collector/inject/sampling/event_exchange.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include "collector/inject/cpus/cpu_set.h"
#include "collector/inject/sampling/cpu_ring.h"

namespace scalediag::inject {
namespace {

constexpr size_t kMostDescriptors = 128;  // in a message; the kernel's limit is 253
constexpr auto kPatience = std::chrono::seconds(5);

// A name that is the same for all ranks that share, and for no others: FNV-1a over the run, the user, the PID namespace
// and the period.
std::string name_of_exchange(const std::string& run, uint64_t period_ns) {
  struct stat pids {};
  if (stat("/proc/self/ns/pid", &pids) != 0) pids.st_ino = 0;
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](const void* data, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  };
  const uint64_t user = geteuid();
  add(run.data(), run.size());
  add(&user, sizeof user);
  add(&pids.st_ino, sizeof pids.st_ino);
  add(&period_ns, sizeof period_ns);
  char text[64];
  std::snprintf(text, sizeof text, "scalediag-%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// A name that begins with a zero byte is not one of a file.
socklen_t address_of(const std::string& name, sockaddr_un& address) {
  std::memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

int new_socket() { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

// Whether the other side's user is ours: any process may take the name, so that each side checks it.
bool is_same_user(int socket) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

void limit_waiting(int socket) {
  const timeval limit{std::chrono::seconds(kPatience).count(), 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// A message is an errno, with descriptors beside it.
bool send_descriptors(int socket, int failed, const int* descriptors, size_t n) {
  iovec text{&failed, sizeof failed};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  if (n > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(n * sizeof(int));
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n * sizeof(int));
    std::memcpy(CMSG_DATA(c), descriptors, n * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof failed);
}

// Appends the received descriptors. Returns 0 or an errno.
int receive_descriptors(int socket, std::vector<int>& descriptors) {
  int failed = 0;
  iovec text{&failed, sizeof failed};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (bytes < 0) return errno;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const size_t before = descriptors.size();
    descriptors.resize(before + n);
    std::memcpy(&descriptors[before], CMSG_DATA(c), n * sizeof(int));
  }
  if (bytes != static_cast<ssize_t>(sizeof failed)) return ECONNRESET;
  // Our limit of descriptors shortens the list.
  return failed != 0 ? failed : (message.msg_flags & MSG_CTRUNC) != 0 ? EMFILE : 0;
}

}  // namespace

void EventExchange::close_all(std::vector<int>& descriptors) {
  for (const int fd : descriptors) close(fd);
  descriptors.clear();
}

int EventExchange::find(const std::string& run, uint64_t period_ns, const std::vector<uint32_t>& cpus,
                        std::vector<int>& descriptors) {
  period_ns_ = period_ns;
  if (server_.runs()) return open_events(cpus, descriptors);
  const std::string name = name_of_exchange(run, period_ns);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const int asked = ask_server(name, cpus, descriptors);
    if (asked != ECONNREFUSED) return asked;
    const int served = become_server(name);
    if (served == 0) return open_events(cpus, descriptors);
    // Another rank was faster, and may not be listening yet.
    if (served != EADDRINUSE) return served;
    if (std::chrono::steady_clock::now() > until) return ETIMEDOUT;
    usleep(1000);
  }
}

int EventExchange::ask_server(const std::string& name, const std::vector<uint32_t>& cpus,
                              std::vector<int>& descriptors) {
  const int fd = new_socket();
  if (fd < 0) return errno;
  limit_waiting(fd);
  sockaddr_un address;
  const socklen_t bytes = address_of(name, address);
  int failed = connect(fd, reinterpret_cast<sockaddr*>(&address), bytes) == 0 ? 0 : errno;
  if (failed == 0 && !is_same_user(fd)) failed = EPERM;
  const size_t question = cpus.size() * sizeof(uint32_t);
  if (failed == 0 && send(fd, cpus.data(), question, MSG_NOSIGNAL) != static_cast<ssize_t>(question)) failed = errno;
  while (failed == 0 && descriptors.size() < cpus.size()) {
    const size_t before = descriptors.size();
    failed = receive_descriptors(fd, descriptors);
    if (failed == 0 && descriptors.size() == before) failed = ECONNREFUSED;  // it ended while we asked
  }
  close(fd);
  if (failed != 0) close_all(descriptors);
  return failed == ECONNRESET || failed == EPIPE ? ECONNREFUSED : failed;
}

int EventExchange::become_server(const std::string& name) {
  const int fd = new_socket();
  if (fd < 0) return errno;
  raw::OwnDescriptor listener(fd);
  sockaddr_un address;
  const socklen_t bytes = address_of(name, address);
  if (bind(listener.get(), reinterpret_cast<sockaddr*>(&address), bytes) != 0 ||
      listen(listener.get(), SOMAXCONN) != 0) {
    return errno;
  }
  name_ = name;
  listener_ = std::move(listener);
  const int failed = server_.start(&EventExchange::server_main, this);
  if (failed != 0) listener_.close();
  return failed;
}

int EventExchange::open_events(const std::vector<uint32_t>& cpus, std::vector<int>& descriptors) {
  const std::lock_guard<std::mutex> guard(events_lock_);
  for (const uint32_t cpu : cpus) {
    auto found = std::find_if(events_.begin(), events_.end(), [cpu](const Event& e) { return e.cpu == cpu; });
    if (found == events_.end()) found = events_.insert(events_.end(), Event{cpu, {}});
    if (found->descriptor.get() < 0) {
      const int fd = open_cpu_event(static_cast<int>(cpu), period_ns_);
      if (fd < 0) return -fd;
      found->descriptor = raw::OwnDescriptor(fd);
    }
    descriptors.push_back(found->descriptor.get());
  }
  return 0;
}

void* EventExchange::server_main(void* exchange) {
  prctl(PR_SET_NAME, "scalediag-share");
  auto* e = static_cast<EventExchange*>(exchange);
  for (;;) {
    const int listener = e->listener_.get();
    if (listener < 0) return nullptr;  // a rank that asks later becomes the server
    const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (client < 0) return nullptr;
    try {
      e->serve(client);
    } catch (const std::bad_alloc&) {
      send_descriptors(client, ENOMEM, nullptr, 0);
    }
    close(client);
  }
}

void EventExchange::serve(int client) {
  limit_waiting(client);
  if (!is_same_user(client)) return;
  std::vector<uint32_t> cpus(kMostCpus);
  const ssize_t bytes = recv(client, cpus.data(), cpus.size() * sizeof(uint32_t), 0);
  if (bytes <= 0) return;
  cpus.resize(static_cast<size_t>(bytes) / sizeof(uint32_t));
  for (size_t at = 0; at < cpus.size(); at += kMostDescriptors) {
    const std::vector<uint32_t> some(
        cpus.begin() + static_cast<ptrdiff_t>(at),
        cpus.begin() + static_cast<ptrdiff_t>(std::min(cpus.size(), at + kMostDescriptors)));
    std::vector<int> descriptors;
    const int failed = open_events(some, descriptors);
    const bool sent = send_descriptors(client, failed, descriptors.data(), failed == 0 ? descriptors.size() : 0);
    if (failed != 0 || !sent) return;
  }
}

void EventExchange::stop() {
  if (!server_.runs()) return;
  if (const int listener = listener_.get(); listener >= 0) {
    shutdown(listener, SHUT_RDWR);
  } else if (const int fd = new_socket(); fd >= 0) {
    // The application has closed it, and the server's thread waits all the same: for a client.
    sockaddr_un address;
    const socklen_t bytes = address_of(name_, address);
    [[maybe_unused]] const int called = connect(fd, reinterpret_cast<sockaddr*>(&address), bytes);
    close(fd);
  }
  // Events stay open while the server's thread still uses them.
  if (server_.join(2)) close_events();
}

void EventExchange::forget_after_fork() {
  server_.forget();
  close_events();
}

void EventExchange::close_events() {
  listener_.close();
  events_.clear();
}

}  // namespace scalediag::inject
