#include "pmpi-comm/replay/node_exchange.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

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

// How long a rank that waits keeps its core, unless others want it, and how long it then sleeps before it looks again.
constexpr uint64_t kPatience_ns = 10'000'000;
constexpr useconds_t kSleep_us = 300;

// A rank, and the descriptor of the memory that is to be shared with it; -1: none.
struct Greeting {
  int rank = -1;
  int memory = -1;
};

// How a descriptor is handed on beside the bytes of a message.
struct Enclosed {
  alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(int))] = {};
};

bool greet(int socket, const Greeting& greeting) {
  int rank = greeting.rank;
  iovec words{&rank, sizeof rank};
  msghdr message{};
  message.msg_iov = &words;
  message.msg_iovlen = 1;
  Enclosed enclosed;
  if (greeting.memory >= 0) {
    message.msg_control = enclosed.bytes;
    message.msg_controllen = sizeof enclosed.bytes;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &greeting.memory, sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof rank;
}

Greeting greeted(int socket) {
  Greeting greeting;
  iovec words{&greeting.rank, sizeof greeting.rank};
  Enclosed enclosed;
  msghdr message{};
  message.msg_iov = &words;
  message.msg_iovlen = 1;
  message.msg_control = enclosed.bytes;
  message.msg_controllen = sizeof enclosed.bytes;
  ssize_t n = 0;
  do {
    n = recvmsg(socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  const cmsghdr* const header = n >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&greeting.memory, CMSG_DATA(header), sizeof(int));
  if (n != sizeof greeting.rank) greeting.rank = -1;
  return greeting;
}

// -1: none can be had, for the reason in errno.
int new_memory(size_t bytes) {
  const int memory = memfd_create("scalediag-replay", MFD_CLOEXEC);
  if (memory < 0 || ftruncate(memory, static_cast<off_t>(bytes)) == 0) return memory;
  const int cause = errno;
  close(memory);
  errno = cause;
  return -1;
}

}  // namespace

size_t NodeExchange::Ring::put(const char* from, size_t n) {
  const uint64_t at = written.load(std::memory_order_relaxed);
  n = std::min<size_t>(n, kBytes - (at - taken.load(std::memory_order_acquire)));
  const size_t begin = at % kBytes, until_end = std::min(n, kBytes - begin);
  std::memcpy(bytes + begin, from, until_end);
  std::memcpy(bytes, from + until_end, n - until_end);
  written.store(at + n, std::memory_order_release);
  return n;
}

size_t NodeExchange::Ring::take(char* to, size_t n) {
  const uint64_t at = taken.load(std::memory_order_relaxed);
  n = std::min<size_t>(n, written.load(std::memory_order_acquire) - at);
  const size_t begin = at % kBytes, until_end = std::min(n, kBytes - begin);
  std::memcpy(to, bytes + begin, until_end);
  std::memcpy(to + until_end, bytes, n - until_end);
  taken.store(at + n, std::memory_order_release);
  return n;
}

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

bool NodeExchange::share(Peer& with, int rank, int memory) const {
  void* const at =
      memory < 0 ? MAP_FAILED : mmap(nullptr, 2 * sizeof(Ring), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  const int cause = errno;
  if (memory >= 0) close(memory);
  errno = cause;
  if (at == MAP_FAILED) return false;
  with.rings = static_cast<Ring*>(at);  // memory of zeros is two empty rings of busy ranks
  with.in = with.rings + (rank < rank_ ? 0 : 1);
  with.out = with.rings + (rank < rank_ ? 1 : 0);
  return true;
}

// Waits until the rank listens, and answers. Who listens may still be its replay before this one, which does not.
std::string NodeExchange::meet(const std::string& path, int rank) {
  sockaddr_un address{};
  if (!address_of(path, address)) return path + " is too long a name for a socket";
  const int memory = new_memory(2 * sizeof(Ring));
  if (memory < 0) return failure("memory to share with rank " + std::to_string(rank));
  std::string failed;
  for (bool is_met = false; !is_met && failed.empty();) {
    const int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (end >= 0 && connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      if (errno == ENOENT || errno == ECONNREFUSED || errno == EINTR || errno == EAGAIN) {
        usleep(1000);
        continue;
      }
      failed = failure(path);
      break;
    }
    if (end < 0) {
      failed = failure("a socket");
    } else if (failed.empty()) {
      is_met = greet(end, {rank_, memory}) && greeted(end).rank == rank;
      if (!is_met) usleep(1000);
    }
    close(end);
  }
  if (!failed.empty()) {
    close(memory);
    return failed;
  }
  if (!share(peers_[static_cast<size_t>(rank - first_)], rank, memory)) return failure("memory that is shared");
  return "";
}

std::string NodeExchange::meet_later_ranks(const std::string& path, int listener) {
  const size_t n = peers_.size() - static_cast<size_t>(rank_ - first_) - 1;
  for (size_t met = 0; met < n; ++met) {
    int end = -1;
    do {
      end = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    } while (end < 0 && errno == EINTR);
    if (end < 0) return failure(path);
    const Greeting came = greeted(end);
    Peer* const from = peer(came.rank);
    std::string failed;
    if (from == nullptr || came.rank <= rank_ || from->rings != nullptr) {
      failed = path + " was called by a stranger";
      if (came.memory >= 0) close(came.memory);
    } else if (!share(*from, came.rank, came.memory)) {
      failed = failure("memory that rank " + std::to_string(came.rank) + " shares");
    } else if (!greet(end, {rank_, -1})) {
      failed = failure(path);
    }
    close(end);
    if (!failed.empty()) return failed;
  }
  return "";
}

NodeExchange::Peer* NodeExchange::peer(int rank) {
  const int i = rank - first_;
  return i >= 0 && static_cast<size_t>(i) < peers_.size() ? &peers_[static_cast<size_t>(i)] : nullptr;
}

void NodeExchange::set_state(State state) {
  for (const Peer& peer : peers_) {
    if (peer.out != nullptr) peer.out->state.store(state, std::memory_order_release);
  }
}

bool NodeExchange::are_all_done() const {
  return std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) {
    return peer.in == nullptr || peer.in->state.load(std::memory_order_acquire) != kBusy;
  });
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

// False: the rank has left.
bool NodeExchange::write_all(Peer& to, const char* data, size_t bytes) {
  if (to.out == nullptr) return false;
  while (bytes > 0) {
    if (to.in->state.load(std::memory_order_acquire) == kHasLeft) return false;
    const size_t n = to.out->put(data, bytes);
    data += n;
    bytes -= n;
    if (n == 0) wait(&to);
  }
  return true;
}

bool NodeExchange::is_something_there(const Peer* writes_to) const {
  return std::any_of(peers_.begin(), peers_.end(), [writes_to](const Peer& peer) {
    if (peer.in == nullptr || peer.is_gone) return false;
    return peer.in->has_some() || peer.in->state.load(std::memory_order_acquire) == kHasLeft ||
           (&peer == writes_to && peer.out->has_room());
  });
}

void NodeExchange::wait(const Peer* writes_to) {
  // Who sleeps may be woken on another core, whose caches are not its own. MPI's ranks ask again and again, too.
  const uint64_t until_ns = monotonic_ns() + kPatience_ns;
  while (!is_something_there(writes_to)) {
    if (monotonic_ns() < until_ns) {
      sched_yield();
    } else {
      usleep(kSleep_us);
    }
  }
  for (Peer& peer : peers_) {
    if (peer.in == nullptr || peer.is_gone) continue;
    const bool has_left = peer.in->state.load(std::memory_order_acquire) == kHasLeft;
    take_in(peer);
    peer.is_gone = has_left;
  }
}

// Where the message whose header has come goes: to the receive that waits for it, or into memory of its own.
void NodeExchange::begin_message(Peer& from) {
  const Channel channel{from.header.communicator, from.header.tag};
  from.contents = {nullptr, from.header.bytes};
  const bool has_place = awaited_.place.at != nullptr && awaited_.place.bytes == from.header.bytes;
  if (&from == awaited_.from && channel == awaited_.channel && has_place) {
    const Inbox& inbox = from.inboxes[channel];
    from.contents.is_placed = inbox.first + inbox.messages.size() == awaited_.before;
  }
  if (!from.contents.is_placed) from.contents.at.reset(new char[from.header.bytes]);
  from.to = from.contents.is_placed ? awaited_.place.at : from.contents.at.get();
}

// Takes what is there, straight to where it stays.
void NodeExchange::take_in(Peer& from) {
  for (;;) {
    const bool is_header = from.came < sizeof from.header;
    char* const to =
        is_header ? reinterpret_cast<char*>(&from.header) + from.came : from.to + (from.came - sizeof from.header);
    const size_t all = sizeof from.header + (is_header ? 0 : from.contents.bytes);
    const size_t n = from.in->take(to, all - from.came);
    if (n == 0) return;
    from.came += n;
    if (is_header && from.came == sizeof from.header) begin_message(from);
    if (from.came >= sizeof from.header && from.came == sizeof from.header + from.contents.bytes) {
      put(from, from.header, std::move(from.contents));
      from.came = 0;
    }
  }
}

std::optional<NodeExchange::Contents> NodeExchange::receive(int from, const Channel& channel, uint64_t before,
                                                            Place place) {
  Peer* const other = peer(from);
  if (other == nullptr) return std::nullopt;
  Inbox& inbox = other->inboxes[channel];
  if (before < inbox.first) return std::nullopt;  // was given already
  const size_t at = before - inbox.first;
  awaited_ = {other, channel, before, place};
  while (inbox.messages.size() <= at && other->in != nullptr && !other->is_gone) wait(nullptr);
  awaited_ = {};
  if (inbox.messages.size() <= at) return std::nullopt;
  std::optional<Contents> message = std::move(inbox.messages[at]);
  inbox.messages[at].reset();
  const auto kept =
      std::find_if(inbox.messages.begin(), inbox.messages.end(), [](const auto& m) { return m.has_value(); });
  inbox.first += static_cast<uint64_t>(kept - inbox.messages.begin());
  inbox.messages.erase(inbox.messages.begin(), kept);
  return message;
}

void NodeExchange::leave() {
  set_state(kHasLeft);
  for (const Peer& peer : peers_) {
    if (peer.rings != nullptr) munmap(peer.rings, 2 * sizeof(Ring));
  }
  peers_.clear();
}

}  // namespace scalediag::pmpi
