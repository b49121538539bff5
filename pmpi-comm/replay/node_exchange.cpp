#include "pmpi-comm/replay/node_exchange.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pmpi-comm/ticks.h"

namespace scalediag::pmpi {
namespace {

std::string failure(const std::string& what) { return what + ": " + std::strerror(errno); }

std::string socket_of(const std::string& folder, int rank) { return folder + "/" + std::to_string(rank); }

// False: the path is too long for the address of a socket.
bool address_of(const std::string& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return true;
}

// How long a rank that waits keeps its core, unless others want it.
constexpr uint64_t kPatience_ns = 10'000'000;

bool read_all(int socket, void* to, size_t bytes) {
  ssize_t n = 0;
  do {
    n = recv(socket, to, bytes, MSG_WAITALL);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(bytes);
}

}  // namespace

std::string NodeExchange::join(const std::string& folder, int rank, int first, int n) {
  rank_ = rank;
  first_ = first;
  peers_.resize(static_cast<size_t>(n));
  const std::string path = socket_of(folder, rank);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return failure("a socket");
  std::string failed;
  sockaddr_un address{};
  if (!address_of(path, address)) {
    failed = path + " is too long a name for a socket";
  } else {
    unlink(path.c_str());  // of a replay that was killed
    const bool listens =
        bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && listen(listener, n) == 0;
    if (!listens) failed = failure(path);
  }
  for (int other = first; other < rank && failed.empty(); ++other) failed = meet(socket_of(folder, other), other);
  if (failed.empty()) failed = meet_later_ranks(path, listener);
  close(listener);
  unlink(path.c_str());  // the next replay of this rank begins anew
  return failed;
}

// Waits until the rank listens, and answers. Who listens may still be its replay before this one, which does not.
std::string NodeExchange::meet(const std::string& path, int rank) {
  sockaddr_un address{};
  if (!address_of(path, address)) return path + " is too long a name for a socket";
  Peer& peer = peers_[static_cast<size_t>(rank - first_)];
  for (;;) {
    const int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0) return failure("a socket");
    while (connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      if (errno == ENOENT || errno == ECONNREFUSED || errno == EINTR || errno == EAGAIN) {
        usleep(1000);
        continue;
      }
      const std::string failed = failure(path);
      close(end);
      return failed;
    }
    peer.socket = raw::OwnDescriptor(end);
    int answer = -1;
    const bool is_met = write_all(peer, reinterpret_cast<const char*>(&rank_), sizeof rank_) &&
                        read_all(peer.socket.get(), &answer, sizeof answer) && answer == rank;
    if (is_met) return "";
    peer.socket.close();
    usleep(1000);
  }
}

std::string NodeExchange::meet_later_ranks(const std::string& path, int listener) {
  const size_t n = peers_.size() - static_cast<size_t>(rank_ - first_) - 1;
  for (size_t met = 0; met < n;) {
    const int end = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (end < 0 && errno == EINTR) continue;
    if (end < 0) return failure(path);
    int rank = -1;
    Peer* from = read_all(end, &rank, sizeof rank) ? peer(rank) : nullptr;
    if (from == nullptr || rank <= rank_ || from->socket.is_kept()) {
      close(end);
      return path + " was called by a stranger";
    }
    from->socket = raw::OwnDescriptor(end);
    if (!write_all(*from, reinterpret_cast<const char*>(&rank_), sizeof rank_)) return failure(path);
    ++met;
  }
  return "";
}

NodeExchange::Peer* NodeExchange::peer(int rank) {
  const int i = rank - first_;
  return i >= 0 && static_cast<size_t>(i) < peers_.size() ? &peers_[static_cast<size_t>(i)] : nullptr;
}

void NodeExchange::put(Peer& from, const Header& header, Contents contents) {
  from.inboxes[{header.communicator, header.tag}].messages.emplace_back(std::move(contents));
}

bool NodeExchange::send(int to, const Channel& channel, std::string_view contents) {
  Peer* const other = peer(to);
  if (other == nullptr) return false;
  const Header header{channel.communicator, channel.tag, contents.size()};
  if (to == rank_) {
    Contents copy{std::unique_ptr<char[]>(new char[contents.size()]), contents.size()};
    std::copy(contents.begin(), contents.end(), copy.at.get());
    put(*other, header, std::move(copy));
    return true;
  }
  return write_all(*other, reinterpret_cast<const char*>(&header), sizeof header) &&
         write_all(*other, contents.data(), contents.size());
}

// False: the rank has left. Without waiting a socket takes what it has room for.
bool NodeExchange::write_all(Peer& to, const char* data, size_t bytes) {
  for (int socket; bytes > 0 && (socket = to.socket.get()) >= 0;) {
    const ssize_t n = ::send(socket, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      data += n;
      bytes -= static_cast<size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      wait(&to);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return bytes == 0;
}

void NodeExchange::wait(const Peer* writes_to) {
  std::vector<pollfd> ends;
  for (const Peer& peer : peers_) {
    ends.push_back({peer.socket.get(), static_cast<short>(&peer == writes_to ? POLLIN | POLLOUT : POLLIN), 0});
  }
  // Who sleeps may be woken on another core, whose caches are not its own. MPI's ranks ask again and again, too.
  const uint64_t until_ns = monotonic_ns() + kPatience_ns;
  int found = poll(ends.data(), ends.size(), 0);
  for (; found == 0 && monotonic_ns() < until_ns; found = poll(ends.data(), ends.size(), 0)) sched_yield();
  if (found == 0) found = poll(ends.data(), ends.size(), -1);
  if (found <= 0) return;
  for (size_t i = 0; i < ends.size(); ++i) {
    if ((ends[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) take_in(peers_[i]);
  }
}

// Takes what is there, straight to where it stays.
void NodeExchange::take_in(Peer& from) {
  for (int socket; (socket = from.socket.get()) >= 0;) {
    const bool is_header = from.came < sizeof from.header;
    char* const to = is_header ? reinterpret_cast<char*>(&from.header) + from.came
                               : from.contents.at.get() + (from.came - sizeof from.header);
    const size_t all = sizeof from.header + (is_header ? 0 : from.contents.bytes);
    const ssize_t n = recv(socket, to, all - from.came, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) from.socket.close();
    if (n <= 0) return;
    from.came += static_cast<size_t>(n);
    if (from.came == sizeof from.header) {
      from.contents = {std::unique_ptr<char[]>(new char[from.header.bytes]), from.header.bytes};
    }
    if (from.came >= sizeof from.header && from.came == sizeof from.header + from.contents.bytes) {
      put(from, from.header, std::move(from.contents));
      from.came = 0;
    }
  }
}

std::optional<NodeExchange::Contents> NodeExchange::receive(int from, const Channel& channel, uint64_t before) {
  Peer* const other = peer(from);
  if (other == nullptr) return std::nullopt;
  Inbox& inbox = other->inboxes[channel];
  if (before < inbox.first) return std::nullopt;  // was given already
  const size_t place = before - inbox.first;
  while (inbox.messages.size() <= place) {
    if (other->socket.get() < 0) return std::nullopt;
    wait(nullptr);
  }
  std::optional<Contents> message = std::move(inbox.messages[place]);
  inbox.messages[place].reset();
  const auto kept =
      std::find_if(inbox.messages.begin(), inbox.messages.end(), [](const auto& m) { return m.has_value(); });
  inbox.first += static_cast<uint64_t>(kept - inbox.messages.begin());
  inbox.messages.erase(inbox.messages.begin(), kept);
  return message;
}

bool NodeExchange::is_closed_here(int rank) {
  const Peer* const other = peer(rank);
  return other != nullptr && other->socket.is_kept() && other->socket.get() < 0;
}

void NodeExchange::leave() { peers_.clear(); }

}  // namespace scalediag::pmpi
