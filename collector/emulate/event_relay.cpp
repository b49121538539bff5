#include "collector/emulate/event_relay.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace scalediag::emulate {
namespace {

using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr size_t kMostWays = 8;
constexpr size_t kMostWaiting = 2 * stream::kRingBytes;  // bytes of a connection; no more are read until they are taken
constexpr int kPause_ms = 1'000;
constexpr int kPauseOfFull_ms = 1;  // while there is no room for what has come
constexpr seconds kUntilHello{10};
constexpr seconds kUntilLost{5};

// The addresses by which other hosts, and containers of this one, may reach it: those of version 4 first.
std::vector<std::string> own_addresses() {
  std::vector<std::string> four, six;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET6_ADDRSTRLEN] = "";
    if (i->ifa_addr->sa_family == AF_INET) {
      inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
      four.emplace_back(text);
    } else if (i->ifa_addr->sa_family == AF_INET6) {
      const in6_addr& address = reinterpret_cast<sockaddr_in6*>(i->ifa_addr)->sin6_addr;
      if (IN6_IS_ADDR_LINKLOCAL(&address)) continue;
      inet_ntop(AF_INET6, &address, text, sizeof text);
      six.emplace_back(text);
    }
  }
  freeifaddrs(all);
  four.insert(four.end(), six.begin(), six.end());
  if (four.size() >= kMostWays) four.resize(kMostWays - 1);
  four.emplace_back("127.0.0.1");
  return four;
}

// Listens on a port that is free, of both versions where this host has them. -1: it cannot.
int listen_on_any_port(uint16_t& port) {
  for (const int family : {AF_INET6, AF_INET}) {
    const int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);  // any address, any port
    socklen_t bytes = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    const int off = 0;
    if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    if (bind(fd, at, bytes) == 0 && listen(fd, SOMAXCONN) == 0 && getsockname(fd, at, &bytes) == 0) {
      port = ntohs(family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(at)->sin6_port
                                      : reinterpret_cast<sockaddr_in*>(at)->sin_port);
      return fd;
    }
    ::close(fd);
  }
  return -1;
}

// What is sent is little, and the other side always reads: it fits into the socket's buffer.
template <class Message>
void send_message(int fd, const Message& message) {
  [[maybe_unused]] const ssize_t sent = send(fd, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

EventRelay::EventRelay(EventChannel& channel) : channel_(channel), by_rank_(channel.ranks(), -1) {
  listen_here();
  if (listener_ < 0) return;
  channel_.set_far_ranks(this);
  thread_ = std::thread([this] { work(); });
}

EventRelay::~EventRelay() {
  if (thread_.joinable()) {
    channel_.set_far_ranks(nullptr);
    over_.store(true, std::memory_order_release);
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
    thread_.join();
  }
  for (const Connection& connection : connections_) ::close(connection.fd);
  if (listener_ >= 0) ::close(listener_);
  if (wake_ >= 0) ::close(wake_);
}

void EventRelay::listen_here() {
  uint16_t port = 0;
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ < 0) return;
  listener_ = listen_on_any_port(port);
  if (listener_ < 0) return;
  ways_ = stream::kWays + std::to_string(port);
  for (const std::string& address : own_addresses()) ways_ += "," + address;
}

std::optional<core::Error> EventRelay::look() const {
  const std::lock_guard<std::mutex> guard(loss_lock_);
  if (!loss_ || SteadyClock::now() - lost_at_ < kUntilLost) return std::nullopt;
  return loss_;
}

void EventRelay::note_loss(const std::string& what, const std::string& hint) {
  const std::lock_guard<std::mutex> guard(loss_lock_);
  if (loss_) return;
  loss_ = core::Error{core::ErrorCode::kEnvironment, what, hint, ""};
  lost_at_ = SteadyClock::now();
}

void EventRelay::answer(uint32_t rank, const stream::Answer& answer) { give(rank, {0, answer}); }

void EventRelay::close() {
  const std::lock_guard<std::mutex> guard(by_rank_lock_);
  is_closed_ = true;
  for (const int fd : by_rank_) {
    if (fd >= 0) send_message(fd, stream::Given{1, {}});
  }
}

void EventRelay::give(uint32_t rank, const stream::Given& given) {
  const std::lock_guard<std::mutex> guard(by_rank_lock_);
  if (by_rank_[rank] >= 0) send_message(by_rank_[rank], given);
}

void EventRelay::drop(Connection& connection) {
  if (connection.rank) {
    const std::lock_guard<std::mutex> guard(by_rank_lock_);
    by_rank_[*connection.rank] = -1;
  }
  ::close(connection.fd);
}

void EventRelay::work() {
  std::vector<pollfd> files;
  while (!over_.load(std::memory_order_acquire)) {
    bool is_full = false;
    files.assign({{wake_, POLLIN, 0}, {listener_, POLLIN, 0}});
    for (const Connection& of : connections_) {
      const bool waits = of.bytes.size() - of.at >= kMostWaiting;
      is_full |= of.left > 0 && of.at < of.bytes.size();
      files.push_back({waits ? -1 : of.fd, POLLIN, 0});
    }
    poll(files.data(), files.size(), is_full ? kPauseOfFull_ms : kPause_ms);
    const Time now = SteadyClock::now();
    for (size_t i = connections_.size(); i-- > 0;) {
      Connection& from = connections_[i];
      bool stays = files[i + 2].revents == 0 || receive(from);
      stays = take(from) && stays && (from.rank || now - from.since < kUntilHello);
      if (stays) continue;
      if (from.rank && !from.has_ended) {
        note_loss("the connection to rank " + std::to_string(*from.rank) + " on host " + from.host + " is lost",
                  "look at what the program and its launcher printed, and at the network between the hosts");
      }
      drop(from);
      connections_.erase(connections_.begin() + static_cast<ptrdiff_t>(i));
    }
    if (files[1].revents != 0) accept_one();
  }
}

void EventRelay::accept_one() {
  const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    if (errno == EMFILE || errno == ENFILE) {
      note_loss(std::string("no connection to a rank on another host can be made: ") + std::strerror(errno),
                "raise the limit of open files (ulimit -n): each rank on another host needs one");
      ::close(std::exchange(listener_, -1));  // it would be ready all the time
    }
    return;
  }
  stream::set_options(fd);
  Connection connection;
  connection.fd = fd;
  connection.since = SteadyClock::now();
  connections_.push_back(std::move(connection));
}

bool EventRelay::receive(Connection& from) {
  from.bytes.erase(0, from.at);
  from.at = 0;
  char bytes[stream::kRingBytes];
  const ssize_t n = recv(from.fd, bytes, sizeof bytes, 0);
  if (n > 0) from.bytes.append(bytes, static_cast<size_t>(n));
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool EventRelay::take(Connection& from) {
  if (!from.rank && !welcome(from)) return false;
  while (from.rank) {
    const std::string_view waiting = std::string_view(from.bytes).substr(from.at);
    if (from.left > 0) {
      const size_t n = channel_.append(*from.rank, waiting.substr(0, from.left));
      from.at += n;
      from.left -= n;
      if (from.left > 0) {
        if (n < waiting.size()) channel_.ring();
        return true;
      }
    }
    if (from.told) {
      channel_.set_state(*from.rank, from.told->state);
      from.has_ended = from.told->state.attached == static_cast<uint32_t>(stream::Attached::kEnded);
      if (from.told->state.rings != 0) channel_.ring();
      if (from.has_ended) give(*from.rank, {1, {}});
      from.told.reset();
      continue;
    }
    if (waiting.size() < sizeof(stream::Told)) return true;
    std::memcpy(&from.told.emplace(), waiting.data(), sizeof(stream::Told));
    from.at += sizeof(stream::Told);
    from.left = from.told->n_bytes;
  }
  return true;
}

// Once somebody has said who it is. False: it is no rank of this emulation.
bool EventRelay::welcome(Connection& from) {
  if (from.bytes.size() < sizeof(stream::Hello)) return true;
  stream::Hello hello;
  std::memcpy(&hello, from.bytes.data(), sizeof hello);
  from.at = sizeof hello;
  if (hello.magic != stream::kRelayMagic) return false;
  const stream::Header& header = channel_.header();
  stream::Welcome reply;
  reply.reply = hello.version != stream::kVersion                           ? stream::Reply::kOtherVersion
                : hello.run != header.run                                   ? stream::Reply::kOtherRun
                : hello.ranks != header.ranks || hello.rank >= header.ranks ? stream::Reply::kOtherSize
                : !channel_.attach(hello.rank)                              ? stream::Reply::kTwice
                                                                            : stream::Reply::kWelcome;
  reply.demands = header.demands;
  // Whatever is given to the rank from now on comes after the reply.
  const std::lock_guard<std::mutex> guard(by_rank_lock_);
  send_message(from.fd, reply);
  if (reply.reply != stream::Reply::kWelcome) return false;
  if (is_closed_) send_message(from.fd, stream::Given{1, {}});
  hello.host[sizeof hello.host - 1] = '\0';
  from.rank = hello.rank;
  from.host = hello.host;
  by_rank_[hello.rank] = from.fd;
  return true;
}

}  // namespace scalediag::emulate
