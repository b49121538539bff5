// The message log of a rank: its calls of MPI, in order, and all that MPI gave back. Shared by the library inside the
// application, which writes it and answers calls from it, and by the programs that check it. Header only, C++17.
//
//   file   = prelude chunk* footer     prelude, chunk and footer as in raw_format.h, with the magic and version below
//   kCalls = the next bytes of the stream, one frame of zstd that tells its size; a chunk may end anywhere in it
//   stream = call*
//   call   = Call, number MPI's error code, where that is 0: outcome
//
// Numbers and signed numbers are those of trace_format.h. An outcome has, in an order that follows from the call and
// its arguments, what MPI wrote for the application: integers, statuses and names as they stand in memory, and of each
// block of data the number of its elements and their bytes, without gaps. Where Identity::node is set, a block
// that is a message has before its bytes 0; or 1 + the rank that sent it, and then instead of them the communicator's
// checksum and the tag (8 bytes each) and the number of messages from that rank with both before this one; and a
// communicator that is made has its checksum, and the number of the node's ranks in it with their ranks in it and in
// MPI_COMM_WORLD. While the rank has windows, the differences
// of each window stand before the error code and after the outcome, but for calls that put or get: their number, and of
// each how many bytes after the end of the last one it begins, its length, and its bytes. The reader has the same call
// with the same arguments before it, so that nothing says which is which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/mpi_routines.h"
#include "core/raw/raw_records.h"
#include "core/raw/trace_format.h"

namespace scalediag::message_log {

constexpr char kMagic[8] = {'S', 'C', 'D', 'M', 'L', 'G', '\r', '\n'};
constexpr uint32_t kVersion = 6;

// The stream in a chunk is not longer than this.
constexpr size_t kMaxChunkBytes = size_t{2} << 20;

enum class ChunkKind : uint32_t {
  kIdentity = 1,  // Identity
  kCalls = 2,
  kRefused = 3,  // string: the reason why the rank cannot be replayed; no calls follow
  kEnd = 4,      // End
  kFooter = 255,
};

// Iterations of a loop whose large contents are not in the log: a replay receives there what it received in the last
// iteration before them. Numbers of events.
struct LeftOut {
  uint64_t begin = 0, end = 0;
  uint64_t per_iteration = 0;
  SCALEDIAG_FIELDS(begin, end, per_iteration)
};
// Contents up to this are in every log, since programs decide by them what to do: norms, counts.
constexpr int64_t kSmallContents = 4096;

struct Identity {
  uint32_t rank = 0, size = 0;
  uint32_t routines = 0;  // checksum of the routines' names, by whose position calls are numbered
  std::string host, executable, mpi_library_version;
  uint64_t events = 0;  // of a trace, after which the log ends before the program does; 0: it has the whole run
  // Events that follow them in the log all the same, for other ranks of the node that wait for what this one sends.
  uint64_t more_events = 0;
  std::vector<LeftOut> left_out = {};  // ascending
  // Ranks of a node, where the log lacks the messages between them: ranks are replayed with ranks_of_node(). 0: it has
  // all.
  uint32_t node = 0;
  uint32_t system = 0;  // 1: it has what the system told the program about time, machine and chance
  SCALEDIAG_FIELDS(rank, size, routines, host, executable, mpi_library_version, events, more_events, left_out, node,
                   system)
};

// The ranks of a node that has `rank`, where `node` ranks are on each but the last: from `first` up to `end`, which is
// no more of them.
struct NodeRange {
  uint32_t first = 0, end = 0;
  uint32_t size() const { return end - first; }
  bool has(uint32_t rank) const { return first <= rank && rank < end; }
};
inline NodeRange ranks_of_node(uint32_t rank, uint32_t node, uint32_t size) {
  const uint32_t first = rank - rank % node;
  return {first, size - first < node ? size : first + node};
}

struct End {
  uint64_t calls = 0;
  uint64_t stream_bytes = 0;
  uint64_t recorder_ns = 0;  // elapsed time in calls, without that in MPI itself
  uint64_t events = 0;       // that a trace of the same calls has
  SCALEDIAG_FIELDS(calls, stream_bytes, recorder_ns, events)
};

// A call, by what the application asked for. 0 where a routine has no such argument.
struct Call {
  uint64_t routine = 0;       // its position among the routines
  int64_t communicator = -1;  // in the order in which the rank got to know them, from MPI_COMM_WORLD's 0; -1: none
  int64_t peer = 0;           // or the root
  int64_t tag = 0;
  int64_t bytes = 0;  // sent; for completions the number of requests
  int64_t source = 0, source_tag = 0;
  int64_t room = 0;  // bytes that may be received

  template <class Visit> void each_number(Visit visit) {
    for (int64_t* number : {&communicator, &peer, &tag, &bytes, &source, &source_tag, &room}) visit(*number);
  }
  bool operator==(const Call& o) const {
    return routine == o.routine && communicator == o.communicator && peer == o.peer && tag == o.tag &&
           bytes == o.bytes && source == o.source && source_tag == o.source_tag && room == o.room;
  }
};

inline void put(std::string& to, Call call) {
  trace::put(to, call.routine);
  call.each_number([&to](int64_t number) { trace::put_signed(to, number); });
}

// `next()` gives the stream's next number.
template <class Next> Call get_call(Next next) {
  Call call;
  call.routine = next();
  call.each_number([&next](int64_t& number) { number = trace::unzigzag(next()); });
  return call;
}

// "rank000003.messages"; of a replay "rank000003.vector" and "rank000003.elapsed", seconds as text from the end of
// MPI_Init to the end of the log, then what unpacking the log took before, and what of it; or "rank000003.departure"
// with the reason.
inline std::string rank_file(uint32_t rank, const char* ending) {
  const std::string number = std::to_string(rank);
  return "rank" + std::string(number.size() < 6 ? 6 - number.size() : 0, '0') + number + ending;
}
constexpr char kLogEnding[] = ".messages";
constexpr char kVectorEnding[] = ".vector";
constexpr char kElapsedEnding[] = ".elapsed";
constexpr char kDepartureEnding[] = ".departure";

// "rank000003.loop", beside a log that is to have only the first iterations of the rank's main loops. A line
// "scalediag-loop 3 RANK MORE_EVENTS MOST_APART LOOPS COUNT", and LOOPS lines "BEFORE PER_ITERATION ITERATIONS RECORDED
// ITERATION_S", which are explained where such a file is made (collector/replay/partial_log.h). The log ends
// MORE_EVENTS events after the RECORDED iterations of the last loop, and leaves contents of the others' later ones out.
constexpr char kLoopEnding[] = ".loop";
constexpr char kLoopWord[] = "scalediag-loop 3 ";

// The reason of a rank that ended by itself before MPI_Finalize.
constexpr char kWithoutFinalize[] = "it ended without MPI_Finalize";
// The beginning of the reason of a log that became larger than --max-log.
constexpr char kReachedLimit[] = "its log reached the ";

}  // namespace scalediag::message_log
