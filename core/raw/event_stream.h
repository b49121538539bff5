// The memory through which the ranks of an emulated run tell their events while they run, and get answers. Shared by
// the library inside the application (writer) and `scalediag emulate` (reader). Header only, C++17.
//
//   memory = Header, a Lane for each rank, a ring of ring_bytes for each rank
//
// A rank appends records to its ring; byte n is at n modulo ring_bytes. Numbers are those of trace_format.h:
//
//   record = 2 x the number of a definition, ns of computation before the event
//          | 2 x a chunk's kind + 1, the payload's bytes, the payload
//
// Chunks are kIdentity, kCommunicators and kEnd of trace_format.h, and the kinds below. The memory has no name in
// any file system: ranks open it through the reader's descriptor (/proc/PID/fd/N), so that it is gone when the last
// process that uses it ends, however it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace scalediag::stream {

constexpr uint32_t kMagic = 0x53434456;  // "SCDV"
constexpr uint32_t kVersion = 7;
constexpr char kMemoryName[] = "scalediag-emulate";  // of the memory's file, which is in no folder

// A definition of the next number, from 0 on: the routine's name as a text, the definition as in trace_format.h.
constexpr uint32_t kDefinition = 30;
// ns of computation, a Question; of all but kTime also communicator, rank + 1 in MPI_COMM_WORLD or 0 for any, 1 for any
// tag, signed tag. The rank waits for the answer.
constexpr uint32_t kQuestion = 31;
enum class Question : uint32_t {
  kTime = 0,   // the rank's time
  kMatch = 1,  // the message that a receive or a probe will match
};

// The next of the names of regions, from 0 on: a text.
constexpr uint32_t kRegionName = 32;
// ns of computation, the number of a region's name, 1: the rank enters it, 0: it leaves it. In the order of events.
constexpr uint32_t kMark = 33;

// A rank that cannot join prints "scalediag: rank 3 on host node2" and these with the reason and what to do, in a line.
constexpr char kNotEmulated[] = " is not emulated: ";
constexpr char kHint[] = "; hint: ";
// One that finds nobody who listens prints these with its host's addresses, separated by commas.
constexpr char kAsksToJoin[] = " asks to join the emulation from ";

constexpr char kOtherVersionText[] = "the emulation is that of another version of scalediag";

constexpr uint64_t kLargestDefinition = (uint64_t{1} << 23) - 2;
constexpr uint64_t kRingBytes = uint64_t{1} << 16;

// The emulation's demands on ranks.
struct Demands {
  bool virtual_wtime = false;  // the emulated time stands in for MPI_Wtime
  bool virtual_order = false;  // ranks ask which message a receive from any rank matches
  bool marks_regions = false;  // ranks tell where they enter and leave regions
  double compute_factor = 1;   // the reader multiplies computation by it, but sleep is as long on any processor
};

struct Header {
  uint32_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t ranks = 0;
  uint32_t reader = 0;  // its process
  uint64_t ring_bytes = kRingBytes;
  uint64_t run = 0;                  // a random number, also in the address by which ranks open the memory; no secret
  std::atomic<uint32_t> bell{0};     // a futex: rung by ranks that wait for the reader
  std::atomic<uint32_t> is_over{0};  // the reader reads no more
  Demands demands;
};

struct Answer {
  double clock_s = 0;  // the rank's virtual time
  uint32_t found = 0;
  int32_t rank = 0;  // in MPI_COMM_WORLD
  int32_t tag = 0;
};

enum class Attached : uint32_t { kNot = 0, kYes = 1, kEnded = 2 };

// The state of a rank that has told nothing for a while.
// kInsideTold: in a call whose event has been told, so that it will go on once the real messages have come.
enum class Idle : uint32_t { kComputes = 0, kInsideCall = 1, kPolls = 2, kInsideTold = 3 };

struct alignas(64) Lane {
  std::atomic<uint64_t> written{0};  // bytes, by the rank
  std::atomic<uint32_t> attached{0};
  std::atomic<uint32_t> idle{0};
  std::atomic<uint64_t> real_order{0};     // receives, probes and waits that depend on this machine's order of messages
  std::atomic<uint64_t> unknown_times{0};  // that were asked for while an event was held back
  std::atomic<uint64_t> slept_ns{0};       // told as computation
  std::atomic<uint64_t> waited_ns{0};      // slept between tests that found nothing, which is not told
  std::atomic<uint64_t> blocked_ns{0};     // neither on a core nor waiting for one, nor asleep, nor for an answer
  // Tests and probes that found nothing; the routine of the last one; ns of computation that are not told yet.
  std::atomic<uint64_t> polls{0}, untold_ns{0};
  std::atomic<uint32_t> polled_with{0};
  alignas(64) std::atomic<uint64_t> read{0};  // bytes, by the reader
  std::atomic<uint32_t> answered{0};          // a futex: the number of questions that were answered
  Answer answer;                              // to the last one
};

static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<double>::is_always_lock_free,
              "shared between processes");

inline size_t lanes_at() { return (sizeof(Header) + 63) / 64 * 64; }
inline size_t rings_at(uint32_t ranks) { return (lanes_at() + ranks * sizeof(Lane) + 4095) / 4096 * 4096; }
// Of a process that becomes the lane's rank. False: there is another one.
inline bool attach(Lane& lane) {
  uint32_t nobody = static_cast<uint32_t>(Attached::kNot);
  return lane.attached.compare_exchange_strong(nobody, static_cast<uint32_t>(Attached::kYes));
}

inline Lane* lane_of(Header& memory, uint32_t rank) {
  return reinterpret_cast<Lane*>(reinterpret_cast<char*>(&memory) + lanes_at()) + rank;
}
inline char* ring_of(Header& memory, uint32_t rank) {
  return reinterpret_cast<char*>(&memory) + rings_at(memory.ranks) + rank * memory.ring_bytes;
}
inline size_t memory_bytes(uint32_t ranks, uint64_t ring_bytes) { return rings_at(ranks) + ranks * ring_bytes; }

}  // namespace scalediag::stream
