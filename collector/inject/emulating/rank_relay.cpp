#include "collector/inject/emulating/rank_relay.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "collector/inject/files/file_totals.h"
#include "core/raw/network_addresses.h"
#include "pmpi-comm/ticks.h"

namespace scalediag::inject {
namespace {

constexpr int kConnecting_s = 2;
constexpr int kPatience_s = 5;  // for the reply
constexpr long kBetweenRounds_ms = 20;
constexpr uint32_t kLatestAsking = 100;  // rounds
constexpr uint64_t kUntilListens_ns = 20'000'000'000;
constexpr int kPause_ms = 50;  // between looks at what the rank has told, if it does not ring
constexpr int kPauseWithoutBell_ms = 1;
constexpr int kUntilRead_s = 3600;  // at the end: the reader may have much to simulate before it takes the rest

// The C library's poll() is interposed, as sleep of the application's.
int wait_for(pollfd* files, nfds_t n, int patience_ms) {
  const timespec patience = {patience_ms / 1000, (patience_ms % 1000) * 1'000'000L};
  return static_cast<int>(syscall(SYS_ppoll, files, n, &patience, nullptr, 0));
}

// Returns 0 or an errno.
int connect_to(int socket, const raw::SocketAddress& way) {
  if (connect(socket, way.get(), way.bytes) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd file = {socket, POLLOUT, 0};
  int ready = -1;
  do {
    ready = wait_for(&file, 1, kConnecting_s * 1000);
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  int failed = 0;
  socklen_t bytes = sizeof failed;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &failed, &bytes);
  return failed;
}

// A connection that waits no longer than its patience. Returns 0 or an errno.
int open_way(const raw::SocketAddress& way, raw::OwnDescriptor& opened) {
  const int fd = socket(way.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  opened = raw::OwnDescriptor(fd);
  if (const int failed = connect_to(opened.get(), way); failed != 0) return failed;
  const int flags = fcntl(opened.get(), F_GETFL);
  fcntl(opened.get(), F_SETFL, flags & ~O_NONBLOCK);
  stream::set_options(opened.get());
  return 0;
}

bool send_all(int socket, iovec* pieces, size_t n) {
  for (size_t i = 0; i < n;) {
    msghdr message{};
    message.msg_iov = pieces + i;
    message.msg_iovlen = n - i;
    ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    for (; i < n && static_cast<size_t>(sent) >= pieces[i].iov_len; ++i) {
      sent -= static_cast<ssize_t>(pieces[i].iov_len);
    }
    if (i == n) break;
    pieces[i].iov_base = static_cast<char*>(pieces[i].iov_base) + sent;
    pieces[i].iov_len -= static_cast<size_t>(sent);
  }
  return true;
}

template <class Message> bool receive(int socket, Message& message) {
  auto* to = reinterpret_cast<char*>(&message);
  for (size_t left = sizeof message; left > 0;) {
    const ssize_t n = recv(socket, to, left, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    left -= static_cast<size_t>(n);
  }
  return true;
}

// The reason why a reply is no welcome; null: it is one.
const char* reason_of(const stream::Welcome& welcome) {
  if (welcome.magic != stream::kRelayMagic) return "somebody else answers there";
  switch (welcome.reply) {
    case stream::Reply::kWelcome: return nullptr;
    case stream::Reply::kOtherVersion: return stream::kOtherVersionText;
    case stream::Reply::kOtherRun: return "it is that of another emulation";
    case stream::Reply::kOtherSize: return "MPI_COMM_WORLD has another number of ranks";
    case stream::Reply::kTwice: return "there are two processes of this rank";
    case stream::Reply::kNoProof: return "the key is not that of the emulation";
  }
  return "its reply is unknown";
}

// Returns why this is not the emulation, or null.
const char* greet(int socket, const raw::SipKey& key, stream::Hello hello, stream::Welcome& welcome) {
  static constexpr char kSilent[] = "it does not answer";
  static constexpr char kStranger[] = "somebody else answers there";
  stream::Challenge challenge;
  if (!receive(socket, challenge)) return kSilent;
  if (challenge.magic != stream::kRelayMagic) return kStranger;
  if (challenge.version != stream::kVersion) {
    welcome.reply = stream::Reply::kOtherVersion;
    return reason_of(welcome);
  }
  if (getrandom(&hello.nonce, sizeof hello.nonce, 0) != static_cast<ssize_t>(sizeof hello.nonce)) {
    return "there is no random number";
  }
  hello.proof = stream::proof_of(key, challenge, hello);
  iovec all = {&hello, sizeof hello};
  if (!send_all(socket, &all, 1) || !receive(socket, welcome)) return kSilent;
  if (welcome.reply != stream::Reply::kNoProof && welcome.proof != stream::proof_of(key, hello, welcome)) {
    return kStranger;
  }
  return reason_of(welcome);
}

const char* greet_in_time(int socket, const raw::SipKey& key, const stream::Hello& hello, stream::Welcome& welcome) {
  const timeval limit = {kPatience_s, 0}, none = {0, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const char* const wrong = greet(socket, key, hello, welcome);
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  return wrong;
}

std::string addresses_here() {
  std::string list;
  for (const std::string& address : raw::addresses_of_this_host()) list += (list.empty() ? "" : ",") + address;
  return list;
}

void sleep_ms(long ms) {
  const timespec pause = {0, ms * 1'000'000};
  syscall(SYS_nanosleep, &pause, nullptr);
}

}  // namespace

RankRelay::~RankRelay() {
  if (memory_ != nullptr) munmap(memory_, stream::memory_bytes(1, stream::kRingBytes));
}

std::string RankRelay::start(const std::string& address, const std::string& key, uint32_t rank, uint32_t ranks,
                             const std::string& host, const Say& say) {
  const files::OwnCalls own;
  const size_t at = address.find(stream::kWays);
  if (at == address.npos) return "it takes no connections";
  if (key.empty()) {
    return std::string("its launcher did not hand on ") + stream::kKeyVariable + ", which Open MPI's does with -x " +
           stream::kKeyVariable;
  }
  say_ = say;
  stream::Hello hello;
  hello.run = std::strtoull(address.c_str() + address.find(':') + 1, nullptr, 10);
  hello.rank = rank;
  hello.ranks = ranks;
  host.copy(hello.host, sizeof hello.host - 1);
  stream::Welcome welcome;
  if (std::string wrong = connect(address.substr(at + 1), stream::key_of(key), hello, welcome); !wrong.empty()) {
    return wrong;
  }
  int bell[2];
  if (pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0) return std::strerror(errno);
  bell_ = raw::OwnDescriptor(bell[0]);
  bell_to_ring_ = raw::OwnDescriptor(bell[1]);
  if (!make_memory(welcome)) return std::strerror(errno);
  const int failed = thread_.start(&RankRelay::main, this);
  return failed == 0 ? "" : std::string("the collector has no thread of its own: ") + std::strerror(failed);
}

// "40123,10.0.0.1,10.1.0.1": the first that leads there. The reader listens once a rank has asked for it; those of the
// first ranks to come may do for the others, which ask a little later.
std::string RankRelay::connect(const std::string& ways, const raw::SipKey& key, const stream::Hello& hello,
                               stream::Welcome& welcome) {
  const auto port = static_cast<uint16_t>(std::strtoul(ways.c_str(), nullptr, 10));
  const uint32_t asks_after = std::min<uint32_t>(hello.rank, kLatestAsking);
  const uint64_t until_ns = pmpi::monotonic_ns() + kUntilListens_ns;
  for (uint32_t round = 0;; ++round) {
    std::string tried;
    bool may_listen_later = false;
    for (size_t comma = ways.find(','); comma != ways.npos;) {
      const size_t next = ways.find(',', comma + 1);
      const std::string text = ways.substr(comma + 1, next == ways.npos ? next : next - comma - 1);
      comma = next;
      const raw::SocketAddress way = raw::parse_address(text, port);
      if (way.bytes == 0) continue;
      const int failed = open_way(way, socket_);
      const char* const wrong = failed != 0 ? std::strerror(failed) : greet_in_time(socket_.get(), key, hello, welcome);
      if (wrong == nullptr) return "";
      socket_.close();
      may_listen_later |= failed == ECONNREFUSED;
      tried += (tried.empty() ? "" : ", ") + text + ": " + wrong;
    }
    const bool is_refused = welcome.reply != stream::Reply::kWelcome;
    if (is_refused || !may_listen_later || pmpi::monotonic_ns() > until_ns) {
      return "by port " + std::to_string(port) + " of " + tried;
    }
    if (round == asks_after) say_(stream::kAsksToJoin + addresses_here());
    sleep_ms(kBetweenRounds_ms);
  }
}

bool RankRelay::make_memory(const stream::Welcome& welcome) {
  const size_t bytes = stream::memory_bytes(1, stream::kRingBytes);
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  memory_ = at;
  auto* const header = new (at) stream::Header;
  header->ranks = 1;
  header->reader = static_cast<uint32_t>(getpid());
  header->demands = welcome.demands;
  new (stream::lane_of(*header, 0)) stream::Lane;
  return true;
}

void RankRelay::ring() {
  const int bell = bell_to_ring_.get();
  // Without it the thread looks by itself, and a full pipe rings, too.
  if (bell >= 0) {
    [[maybe_unused]] const auto written = syscall(SYS_write, bell, "", 1);
  }
}

// The reader waits no longer for a rank that seems to wait inside a call: it is not to learn only at the next look that
// this one has told an event since.
void RankRelay::computes_again() {
  if (says_idle_.load() && says_idle_.exchange(false)) ring();
}

// The thread ends when the reader has said that it has everything.
void RankRelay::finish() { thread_.join(kUntilRead_s); }

void RankRelay::forget_after_fork() {
  thread_.forget();
  for (raw::OwnDescriptor* of : {&socket_, &bell_, &bell_to_ring_}) of->close();
}

void* RankRelay::main(void* relay) {
  const files::OwnCalls own;
  prctl(PR_SET_NAME, "scalediag");
  static_cast<RankRelay*>(relay)->work();
  return nullptr;
}

void RankRelay::work() {
  for (;;) {
    // The application may close ours at any time.
    const int bell = bell_to_ring_.get() >= 0 ? bell_.get() : -1;
    pollfd files[] = {{socket_.get(), POLLIN, 0}, {bell, POLLIN, 0}};
    if (wait_for(files, 2, bell >= 0 ? kPause_ms : kPauseWithoutBell_ms) < 0 && errno != EINTR) break;
    if (socket_.get() < 0) {
      say_(std::string(stream::kNotEmulated) + "the program has closed the connection over which it is emulated" +
           stream::kHint +
           "start all ranks on the host of `scalediag emulate`, where there is none, or let the program close no "
           "descriptors that it has not opened");
      break;
    }
    if (files[0].revents != 0 && !take_given()) break;
    char rings[64];
    const bool rang = bell < 0 || (files[1].revents != 0 && syscall(SYS_read, bell_.get(), rings, sizeof rings) > 0);
    if (!send_told(rang)) break;
  }
  // The reader is not to wait for anything that is told from now on.
  if (const int socket = socket_.get(); socket >= 0) shutdown(socket, SHUT_RDWR);
  memory().is_over.store(1, std::memory_order_release);
  syscall(SYS_futex, &stream::lane_of(memory(), 0)->answered, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// False: it is over.
bool RankRelay::take_given() {
  stream::Given given;
  if (!receive(socket_.get(), given) || given.is_over != 0) return false;
  stream::Lane& lane = *stream::lane_of(memory(), 0);
  lane.answer = given.answer;
  lane.answered.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &lane.answered, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  return true;
}

// The state first, so that no event that it speaks of is missing. False: the connection is lost.
bool RankRelay::send_told(bool rings) {
  stream::Lane& lane = *stream::lane_of(memory(), 0);
  stream::Told told;
  says_idle_.store(true);  // before the rank's state is looked at, or its next change could be missed
  told.state = stream::state_of(lane);
  told.state.idle = lane.idle.load();
  if (told.state.idle == static_cast<uint32_t>(stream::Idle::kComputes)) says_idle_.store(false);
  const uint64_t begin = lane.read.load(std::memory_order_relaxed);
  const uint64_t end = lane.written.load(std::memory_order_acquire);
  told.n_bytes = end - begin;
  if (told.n_bytes == 0 && !rings && std::memcmp(&told.state, &sent_, sizeof sent_) == 0) return true;
  sent_ = told.state;
  told.state.rings = rings ? 1 : 0;
  char* const ring = stream::ring_of(memory(), 0);
  const uint64_t size = memory().ring_bytes, at = begin % size;
  const uint64_t first = std::min(told.n_bytes, size - at);
  iovec pieces[] = {{&told, sizeof told}, {ring + at, first}, {ring, told.n_bytes - first}};
  if (!send_all(socket_.get(), pieces, 3)) return false;
  lane.read.store(end, std::memory_order_release);
  return true;
}

}  // namespace scalediag::inject
