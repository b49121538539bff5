#include "collector/emulate/event_relay.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/raw/network_addresses.h"

namespace scalediag::emulate {
namespace {

using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr size_t kMostWays = 8;
constexpr size_t kMostWaiting = 2 * stream::kRingBytes;  // bytes of a connection; no more are read until they are taken
constexpr int kPause_ms = 1'000;
constexpr int kPauseOfFull_ms = 1;  // while there is no room for what has come
// The limits of connections that have not proved to be a rank's. A rank answers the challenge at once.
constexpr ptrdiff_t kMostUnproved = 64;
constexpr seconds kUntilHello{5};
constexpr seconds kUntilLost{5};

// Addresses of this host; the last one leads only to itself.
std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses = raw::addresses_of_this_host();
  if (addresses.size() >= kMostWays) addresses.resize(kMostWays - 1);
  addresses.emplace_back("127.0.0.1");
  return addresses;
}

raw::SocketAddress address_of_socket(int fd) {
  raw::SocketAddress own;
  own.bytes = sizeof own.address;
  if (getsockname(fd, own.get(), &own.bytes) != 0) own.bytes = 0;
  return own;
}

// A socket that has this port of the address, where nobody can connect yet. Port 0: any, which is then set. -1: it
// cannot be had.
int keep_port(const std::string& address, uint16_t& port) {
  const raw::SocketAddress at = raw::parse_address(address, port);
  if (at.bytes == 0) return -1;
  const int fd = socket(at.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  if (at.is_six()) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(fd, at.get(), at.bytes) == 0) {
    if (const raw::SocketAddress own = address_of_socket(fd); own.bytes > 0) {
      port = own.port();
      return fd;
    }
  }
  ::close(fd);
  return -1;
}

// The address of this host from which that one is reached; empty: it is not.
std::string own_address_towards(const std::string& address) {
  constexpr uint16_t kAnyPort = 9;  // nothing is sent
  const raw::SocketAddress to = raw::parse_address(address, kAnyPort);
  if (to.bytes == 0) return "";
  const int fd = socket(to.address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "";
  const raw::SocketAddress own = connect(fd, to.get(), to.bytes) == 0 ? address_of_socket(fd) : raw::SocketAddress{};
  ::close(fd);
  return own.bytes > 0 ? raw::text_of(*own.get()) : "";
}

uint64_t random_number() {
  uint64_t number = 0;
  // It cannot fail for so few bytes once the system has started, and waits for that.
  while (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
  }
  return number;
}

// A rank's ring holds no more bytes, and it can be in these states only.
bool is_possible(const stream::Told& told) {
  const auto last = [](auto state) { return static_cast<uint32_t>(state); };
  return told.n_bytes <= stream::kRingBytes && told.state.attached >= last(stream::Attached::kYes) &&
         told.state.attached <= last(stream::Attached::kEnded) && told.state.idle <= last(stream::Idle::kInsideTold);
}

// What is sent is little, and the other side always reads: it fits into the socket's buffer.
void send_message(int fd, const auto& message) {
  [[maybe_unused]] const ssize_t sent = send(fd, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

EventRelay::EventRelay(EventChannel& channel)
    : channel_(channel), key_{random_number(), random_number()}, by_rank_(channel.ranks(), -1) {
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ >= 0) open_ways();
}

EventRelay::~EventRelay() {
  if (thread_.joinable()) {
    channel_.set_far_ranks(nullptr);
    over_.store(true, std::memory_order_release);
    wake();
    thread_.join();
  }
  for (const Connection& connection : connections_) ::close(connection.fd);
  for (const auto& way : listeners_) ::close(way->socket);
  if (wake_ >= 0) ::close(wake_);
}

// One port for all addresses; another one where somebody else has it on one of them.
void EventRelay::open_ways() {
  constexpr int kTries = 20;
  const std::vector<std::string> addresses = own_addresses();
  for (int i = 0; i < kTries && listeners_.size() < addresses.size(); ++i) {
    uint16_t port = 0;
    std::vector<std::unique_ptr<Way>> ways;
    for (const std::string& address : addresses) {
      const int fd = keep_port(address, port);
      if (fd < 0) continue;
      ways.push_back(std::make_unique<Way>());
      ways.back()->address = address;
      ways.back()->socket = fd;
    }
    if (ways.size() > listeners_.size()) listeners_.swap(ways);
    for (const auto& way : ways) ::close(way->socket);
  }
  if (listeners_.empty()) return;
  ways_ = stream::kWays + std::to_string(address_of_socket(listeners_.front()->socket).port());
  for (const auto& way : listeners_) ways_ += "," + way->address;
}

void EventRelay::expect(const std::vector<std::string>& addresses) {
  std::vector<std::string> own;
  for (const std::string& address : addresses) own.push_back(own_address_towards(address));
  if (addresses.empty()) own.emplace_back("127.0.0.1");
  for (const auto& way : listeners_) {
    if (way->listens || std::find(own.begin(), own.end(), way->address) == own.end()) continue;
    way->listens = listen(way->socket, SOMAXCONN) == 0;
  }
  if (thread_.joinable()) return wake();
  channel_.set_far_ranks(this);
  thread_ = std::thread([this] { work(); });
}

void EventRelay::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

std::optional<Error> EventRelay::look() const {
  const std::lock_guard<std::mutex> guard(loss_lock_);
  if (!loss_ || SteadyClock::now() - lost_at_ < kUntilLost) return std::nullopt;
  return loss_;
}

void EventRelay::note_loss(const std::string& what, const std::string& hint) {
  const std::lock_guard<std::mutex> guard(loss_lock_);
  if (loss_) return;
  loss_ = Error{ErrorCode::kEnvironment, what, hint};
  lost_at_ = SteadyClock::now();
}

void EventRelay::answer(uint32_t rank, const stream::Answer& answer) { give(rank, {0, answer}); }

void EventRelay::close() {
  const std::lock_guard<std::mutex> guard(by_rank_lock_);
  for (const int fd : by_rank_) {
    if (fd >= 0) send_message(fd, stream::Given{1, {}});
  }
}

void EventRelay::give(uint32_t rank, const stream::Given& given) {
  const std::lock_guard<std::mutex> guard(by_rank_lock_);
  if (by_rank_[rank] >= 0) send_message(by_rank_[rank], given);
}

void EventRelay::drop(size_t i) {
  const Connection& connection = connections_[i];
  if (connection.rank) {
    const std::lock_guard<std::mutex> guard(by_rank_lock_);
    by_rank_[*connection.rank] = -1;
  }
  ::close(connection.fd);
  connections_.erase(connections_.begin() + static_cast<ptrdiff_t>(i));
}

void EventRelay::work() {
  std::vector<pollfd> files;
  while (!over_.load(std::memory_order_acquire)) {
    bool is_full = false;
    files.assign({{wake_, POLLIN, 0}});
    for (const auto& way : listeners_) files.push_back({way->listens ? way->socket : -1, POLLIN, 0});
    const size_t begin = files.size();
    for (const Connection& of : connections_) {
      const bool waits = of.bytes.size() - of.at >= kMostWaiting;
      is_full |= of.left > 0 && of.at < of.bytes.size();
      files.push_back({waits ? -1 : of.fd, POLLIN, 0});
    }
    poll(files.data(), files.size(), is_full ? kPauseOfFull_ms : kPause_ms);
    uint64_t wakes = 0;
    if (files[0].revents != 0) [[maybe_unused]]
      const ssize_t taken = ::read(wake_, &wakes, sizeof wakes);
    const Time now = SteadyClock::now();
    for (size_t i = connections_.size(); i-- > 0;) {
      Connection& from = connections_[i];
      bool stays = files[i + begin].revents == 0 || receive(from);
      stays = take(from) && stays && (from.rank || now - from.since < kUntilHello);
      if (stays) continue;
      if (from.rank && !from.has_ended) {
        note_loss("the connection to rank " + std::to_string(*from.rank) + " on host " + from.host + " is lost",
                  "look at what the program and its launcher printed, and at the network between the hosts");
      }
      drop(i);
    }
    // After those that are there: a rank that answers at once is never the one that has to make room.
    for (size_t i = 1; i < begin; ++i) {
      if (files[i].revents != 0) accept_one(*listeners_[i - 1]);
    }
  }
}

// Makes room for a connection. False: all are those of ranks.
bool EventRelay::drop_unproved() {
  for (size_t i = 0; i < connections_.size(); ++i) {
    if (connections_[i].rank) continue;
    drop(i);
    return true;
  }
  return false;
}

void EventRelay::accept_one(Way& way) {
  const auto n_unproved = std::ranges::count_if(connections_, [](const auto& of) { return !of.rank; });
  if (n_unproved >= kMostUnproved) drop_unproved();
  const int fd = accept4(way.socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    if ((errno == EMFILE || errno == ENFILE) && !drop_unproved()) {
      note_loss(std::string("no connection to a rank on another host can be made: ") + std::strerror(errno),
                "raise the limit of open files (ulimit -n): each rank on another host needs one");
      way.listens = false;  // it would be ready all the time
    }
    return;
  }
  stream::set_options(fd);
  Connection connection;
  connection.fd = fd;
  connection.since = SteadyClock::now();
  connection.challenge.nonce = random_number();
  send_message(fd, connection.challenge);
  connections_.push_back(std::move(connection));
}

bool EventRelay::receive(Connection& from) {
  from.bytes.erase(0, from.at);
  from.at = 0;
  char bytes[stream::kRingBytes];
  const size_t most = from.rank ? sizeof bytes : sizeof(stream::Hello) - from.bytes.size();
  const ssize_t n = recv(from.fd, bytes, most, 0);
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
    if (!is_possible(*from.told)) return false;
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
  const bool is_proved = hello.proof == stream::proof_of(key_, from.challenge, hello);
  const stream::Header& header = channel_.header();
  stream::Welcome reply;
  // Somebody without the key learns nothing about the run.
  reply.reply = hello.version != stream::kVersion                                   ? stream::Reply::kOtherVersion
                : !is_proved                                                        ? stream::Reply::kNoProof
                : hello.run != header.run                                           ? stream::Reply::kOtherRun
                : hello.ranks != channel_.ranks() || hello.rank >= channel_.ranks() ? stream::Reply::kOtherSize
                : !channel_.attach(hello.rank)                                      ? stream::Reply::kTwice
                                                                                    : stream::Reply::kWelcome;
  const bool is_welcome = reply.reply == stream::Reply::kWelcome;
  if (is_welcome) reply.demands = header.demands;
  if (is_proved) reply.proof = stream::proof_of(key_, hello, reply);
  // Whatever is given to the rank from now on comes after the reply.
  const std::lock_guard<std::mutex> guard(by_rank_lock_);
  send_message(from.fd, reply);
  if (!is_welcome) return false;
  if (header.is_over.load(std::memory_order_acquire) != 0) send_message(from.fd, stream::Given{1, {}});
  hello.host[sizeof hello.host - 1] = '\0';
  from.rank = hello.rank;
  from.host = hello.host;
  by_rank_[hello.rank] = from.fd;
  return true;
}

}  // namespace scalediag::emulate
