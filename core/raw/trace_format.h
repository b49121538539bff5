// The trace of a rank: its calls of MPI, in order, and its computation before each of them. Shared by the library
// inside the application (writer) and the simulator's reader. Header only, C++17.
//
//   file    = prelude chunk* footer      prelude, chunk and footer as in raw_format.h, with the magic and version
//                                        below; a file without a footer is that of a rank that was killed
//             No checksum covers the prelude, which is written again where recording stops: readers refuse one that
//             cannot be, so that every flipped bit is seen. It is zero behind the byte order, but in files without a
//             footer, where stop_reason and stop_errno are both set or both zero.
//   payload = numbers and texts without padding. A number is a varint: 7 bits a byte, the lowest first, the highest bit
//             set in all bytes but the last. "signed": 0, -1, 1, -2, ... as 0, 1, 2, 3, ... A text is its length and
//             its bytes.
//
// Times are CPU time of the thread that called MPI_Init, in ns, but those of waiting for a GPU. Only that thread's
// calls are events.
//
// Ranks are those of MPI_COMM_WORLD. Receives from any rank or with any tag have the sender and the tag of the message
// that they matched. Repetitions are loops: the events are stored once, with the mean, extremes and standard deviation
// of the computations before each. The order of longer and shorter computations is lost, but where it was asked for:
// then every computation is stored beside the folded events. Where instructions are counted, they stand beside the
// times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace scalediag::trace {

constexpr char kMagic[8] = {'S', 'C', 'D', 'T', 'R', 'C', '\r', '\n'};
constexpr uint32_t kVersion = 4;  // the newest that is read; of files with kComputations, kInstructionSeries and kMarks
constexpr uint32_t kVersionWithoutSeries = 3;
constexpr uint32_t kVersionWithoutInstructions = 1;  // nor any series

enum class ChunkKind : uint32_t {
  // rank, size, text host, text executable, text version of the MPI library
  kIdentity = 1,
  // n, n x { ordinal, n_members, n_members x signed difference to the member before (to 0 for the first) }
  // Communicators in the order of their numbers, which go on from chunk to chunk and belong to this rank; 0 is
  // MPI_COMM_WORLD. No members: all ranks in order. Those of two ranks are the same if members and ordinal are.
  kCommunicators = 2,
  // n_names, n_names x { routine, text name },
  // n_definitions, n_definitions x definition (below), n_items, n_items x item
  //   item = event, times | loop, count, as many items as the loop says
  //   event = 2 x the index of its definition in this chunk;  loop = 2 x the number of items in its body + 1
  //   times = total [least, most, standard deviation], the latter three only inside loops: of the computations before
  //           all occurrences
  // The next chunk of this kind goes on where this one ends.
  kEvents = 3,
  // Once, at the end: events, End, computation after the last event, wall time from the end of MPI_Init to here
  kEnd = 4,
  // n, n x the computation before an event, in the order of the events; before kEnd. The next chunk of this kind goes
  // on where this one ends. All events have one, or none has.
  kComputations = 5,
  // for each event of the last kEvents, in its order, those in loops once: n [total, least, most, standard deviation],
  // the latter four where n > 0: instructions of the computations before n of its occurrences. n may be smaller than
  // the number of occurrences, since counting has a limit.
  kInstructions = 6,
  // n, n x { Mark, name, signed difference of the computation's number to that of the mark before (to 0 for the first
  // of the file), ns since the beginning of this computation, its instructions until then and 1 (0: not counted),
  // [kParameter: the value, the bits of a double] }
  // name = its number; where that is the next new one of the file, the text follows. Numbers of computations are those
  // of kComputations; the last one is after the last event. The next chunk of this kind goes on where this one ends.
  kMarks = 7,
  // n, n x the instructions of a computation and 1, or 0 where they were not counted; else as kComputations
  kInstructionSeries = 8,
  kFooter = 255,
};

// A definition is its EventKind, the number of its routine, and:
enum class EventKind : uint32_t {
  kSend = 1,          // peer, signed tag, communicator, bytes
  kRecv = 2,          // the same; bytes: room for
  kIsend = 3,         // the same, request
  kIrecv = 4,         // the same, request
  kBufferedSend = 5,  // peer, signed tag, communicator, bytes: complete without a rank that waits for it
  kSendrecv = 6,      // communicator, destination + 1 (0: none), signed tag, bytes, source + 1, signed tag, bytes
  kWait = 7,          // n, n x request; n = 0: for all that are outstanding. Also a Test that found them complete
  kCollective = 8,    // communicator, mpi::Collective, bytes (as core/mpi_routines.h defines them), root (in the
                      // communicator)
  kExchange = 9,      // communicator, n, n x { peer, bytes } sent, n, n x { peer, bytes } received: all at once
  kCollectiveBegins =
      10,             // communicator: a nonblocking one. It stands as kCollective or kExchange where it is complete
  kNotReplayed = 11,  // Reason
  kCommunicatorMade = 12,  // communicator: whose members agreed on it
  // nothing: the thread begins to wait for its GPU. These two are in files of any version, and older readers refuse
  // them by their kind.
  kDeviceBegins = 13,
  // nothing: that waiting ends. The time before this event is the elapsed time of the waiting, and no computation.
  kDeviceWait = 14,
  kRemote = 15,  // Remote, peer, communicator, bytes, request: an access to the memory of another rank, or a lock of it
};
// Accesses of windows, which have a communicator of their own. Their requests are over where the rank that makes them
// may go on: kPut where the bytes have arrived (epochs between fences), kPutLeft where they have left (Win_start to
// Win_complete), the others where an answer has come. kFetch sends its bytes there and back.
enum class Remote : uint32_t {
  kPut = 0,
  kPutLeft = 1,
  kPutAnswered = 2,
  kGet = 3,
  kFetch = 4,
  kLock = 5,  // exclusive
  kLockShared = 6,
  kUnlock = 7,
};
constexpr uint32_t kRemotes = 8;
// Tags below 0 are those of messages that the application does not see: of neighbourhood collectives, in Cartesian
// grids one for each direction from kNeighborTag - 1 down, and of Win_post and Win_complete.
constexpr int kNeighborTag = -16;
constexpr int kPostTag = -2, kCompleteTag = -3;
// Numbers of routines from here on are those of GPUs' libraries: this and the row in gpu_functions.def.
constexpr uint32_t kFirstGpuRoutine = 1u << 16;
// Marks of the application between two calls of MPI: where a part of its computation begins and ends, and the values
// of what it depends on.
enum class Mark : uint32_t { kBegin = 0, kEnd = 1, kParameter = 2 };

// Requests have the lowest number that is free when they begin.
constexpr uint32_t kMostRequests = 1u << 28;

enum class Reason : uint32_t {
  kOneSided = 0,
  kNeighborhood = 1,
  kIntercommunicator = 2,
  kCancelled = 3,
  kUnknownSender = 4,  // of a receive from any rank
  kOtherThread = 5,    // a thread other than the one that called MPI_Init
  kOtherProcess = 6,   // outside of MPI_COMM_WORLD
  kUnknown = 7,
  kUnknownDevices = 8,  // communication of GPUs whose ranks are not known
};
constexpr uint32_t kReasons = 9;

enum class End : uint32_t { kFinalize = 0, kExit = 1, kAbort = 2 };

// An unsigned number for a signed one.
constexpr uint64_t zigzag(int64_t v) { return static_cast<uint64_t>(v) << 1 ^ static_cast<uint64_t>(v >> 63); }
constexpr int64_t unzigzag(uint64_t v) { return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1); }

inline void put(std::string& to, uint64_t v) {
  for (; v >= 0x80; v >>= 7) to.push_back(static_cast<char>(v | 0x80));
  to.push_back(static_cast<char>(v));
}
inline void put_signed(std::string& to, int64_t v) { put(to, zigzag(v)); }
inline void put_text(std::string& to, std::string_view text) {
  put(to, text.size());
  to.append(text);
}

// Reads a payload. After a read past the end, or of a number of more than 64 bits, every value is 0 or empty and ok()
// is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  bool ok() const { return ok_; }
  size_t left() const { return left_.size(); }

  uint64_t number() {
    uint64_t v = 0;
    for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      v |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return v;
    }
    fail();
    return 0;
  }
  int64_t signed_number() { return unzigzag(number()); }
  std::string text() {
    const uint64_t n = number();
    if (n > left_.size()) {
      fail();
      return {};
    }
    std::string result(left_.substr(0, n));
    left_.remove_prefix(n);
    return result;
  }
  void fail() {
    ok_ = false;
    left_ = {};
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

}  // namespace scalediag::trace
