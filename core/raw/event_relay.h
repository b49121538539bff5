// The connection by which a rank on another host joins an emulation. The library inside the application sends over it
// to `scalediag emulate` the contents that ranks of this host write into shared memory (event_stream.h). Header only,
// C++17.
//
//                                      reader: Challenge
//   rank: Hello                        reader: Welcome
//   rank: Told, its n_bytes bytes      reader: Given, after each question and at the end
//
// Both sides have the same byte order and layout, or the magic number differs.
//
// Both sides know the key of the emulation, which ranks get in kKeyVariable. Hello and Welcome end with a proof of
// that: the keyed hash of all that was said before, which contains a random number of each side, so that what was
// overheard proves nothing in another connection.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/raw/event_stream.h"
#include "core/raw/siphash.h"

namespace scalediag::stream {

constexpr uint32_t kRelayMagic = 0x53434452;  // "SCDR"

// In the address that ranks are given, behind the memory and the number of the run: "@40123,10.0.0.1,10.1.0.1", the
// port and the addresses of the reader's host.
constexpr char kWays = '@';

constexpr char kKeyVariable[] = "SCALEDIAG_EMULATION_KEY";  // 32 hexadecimal digits

struct Challenge {
  uint32_t magic = kRelayMagic;
  uint32_t version = kVersion;
  uint64_t nonce = 0;
};

struct Hello {
  uint32_t magic = kRelayMagic;
  uint32_t version = kVersion;
  uint64_t run = 0;
  uint32_t rank = 0, ranks = 0;
  char host[64] = "";
  uint64_t nonce = 0;
  uint64_t proof = 0;
};

enum class Reply : uint32_t {
  kWelcome = 0,
  kOtherVersion = 1,
  kOtherRun = 2,
  kOtherSize = 3,
  kTwice = 4,
  kNoProof = 5
};

struct Welcome {
  uint32_t magic = kRelayMagic;
  Reply reply = Reply::kWelcome;
  Demands demands;
  uint64_t proof = 0;
};

inline std::string key_text(const raw::SipKey& key) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(key.high),
                static_cast<unsigned long long>(key.low));
  return text;
}
// The key in such a text; zeros where it is none.
inline raw::SipKey key_of(const std::string& text) {
  if (text.size() != 32) return {};
  return {std::strtoull(text.substr(16).c_str(), nullptr, 16), std::strtoull(text.substr(0, 16).c_str(), nullptr, 16)};
}

// The proof that belongs to `message`, which follows `before`. Both are taken as they are in memory, padding included:
// the other side has received them so.
template <class Before, class Message>
uint64_t proof_of(const raw::SipKey& key, const Before& before, const Message& message) {
  char bytes[sizeof before + sizeof message - sizeof message.proof];
  std::memcpy(bytes, &before, sizeof before);
  std::memcpy(bytes + sizeof before, &message, sizeof message - sizeof message.proof);
  return raw::siphash(key, bytes, sizeof bytes);
}
static_assert(offsetof(Hello, proof) + sizeof(uint64_t) == sizeof(Hello) &&
                  offsetof(Welcome, proof) + sizeof(uint64_t) == sizeof(Welcome),
              "the proof is the last member");

// The numbers of a rank's Lane, which it sends beside its bytes.
struct LaneState {
  uint64_t real_order = 0, unknown_times = 0, slept_ns = 0, waited_ns = 0, blocked_ns = 0, polls = 0, untold_ns = 0;
  uint32_t attached = 0, idle = 0, polled_with = 0;
  uint32_t rings = 0;  // 1: the rank waits for the reader
};

struct Told {
  LaneState state;
  uint64_t n_bytes = 0;  // of records, which follow
};

struct Given {
  uint32_t is_over = 0;  // 1: the reader reads no more, or has all that the rank has told to its end
  Answer answer;         // where it is not over
};

// Options of both sides' connections: little messages go at once, and a host that is gone, which closes nothing, is
// noticed within two minutes.
inline void set_options(int connection) {
  const int on = 1, idle_s = 60, between_s = 10, times = 6;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &between_s, sizeof between_s);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

// The numbers as a rank's memory has them. Where the rank has ended, they are the last ones.
inline LaneState state_of(const Lane& lane) {
  constexpr auto kAny = std::memory_order_relaxed;
  const uint32_t attached = lane.attached.load(std::memory_order_acquire);
  return {lane.real_order.load(kAny),
          lane.unknown_times.load(kAny),
          lane.slept_ns.load(kAny),
          lane.waited_ns.load(kAny),
          lane.blocked_ns.load(kAny),
          lane.polls.load(kAny),
          lane.untold_ns.load(kAny),
          attached,
          lane.idle.load(kAny),
          lane.polled_with.load(kAny),
          0};
}

// The reverse, for the reader.
inline void set_state(Lane& lane, const LaneState& state) {
  constexpr auto kAny = std::memory_order_relaxed;
  lane.real_order.store(state.real_order, kAny);
  lane.unknown_times.store(state.unknown_times, kAny);
  lane.slept_ns.store(state.slept_ns, kAny);
  lane.waited_ns.store(state.waited_ns, kAny);
  lane.blocked_ns.store(state.blocked_ns, kAny);
  lane.polls.store(state.polls, kAny);
  lane.untold_ns.store(state.untold_ns, kAny);
  lane.idle.store(state.idle, kAny);
  lane.polled_with.store(state.polled_with, kAny);
  lane.attached.store(state.attached, std::memory_order_release);
}

}  // namespace scalediag::stream
