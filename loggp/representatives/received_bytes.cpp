#include "loggp/representatives/received_bytes.h"

#include <algorithm>

namespace scalediag::loggp {
namespace {

using mpi::Collective;
using trace::EventKind;

// The result of a collective on `ranks` ranks; bytes of an event are those that mpi::Collective says.
uint64_t result_bytes(const TraceEvent& event, uint64_t ranks, bool is_root) {
  switch (event.collective) {
    case Collective::kBarrier: return 0;
    case Collective::kBcast: return is_root ? 0 : event.bytes;
    case Collective::kReduce: return is_root ? event.bytes : 0;
    case Collective::kGather: return is_root ? event.bytes * ranks : 0;
    case Collective::kAllgather:
    case Collective::kAlltoall: return event.bytes * ranks;
    case Collective::kReduceScatter: return event.bytes / std::max<uint64_t>(1, ranks);
    case Collective::kAllreduce:
    case Collective::kScatter:
    case Collective::kScan:
    case Collective::kExscan: return event.bytes;
  }
  return 0;
}

class Receiver {
 public:
  Receiver(const RankTrace& trace, const RecordedPart& part) : trace_(trace), part_(part) {}

  // `largest`: contents of more bytes are left out.
  uint64_t bytes_of(const TraceEvent& event, uint64_t largest) const {
    // Messages of neighbourhood collectives are in every log.
    const auto message = [&](int from, int tag, uint64_t bytes) {
      const bool is_left_out = tag > trace::kNeighborTag && from >= part_.first_rank && from < part_.end_rank;
      return is_left_out || bytes > largest ? 0 : bytes;
    };
    switch (event.kind) {
      case EventKind::kRecv:
      case EventKind::kIrecv: return message(event.peer, event.tag, event.bytes);
      case EventKind::kSendrecv: return message(event.source, event.source_tag, event.source_bytes);
      case EventKind::kExchange: {
        uint64_t bytes = 0;
        for (const auto& [from, n] : event.received) bytes += n > largest ? 0 : n;
        return bytes;
      }
      case EventKind::kCollective: {
        const auto& members = trace_.communicators[event.communicator].members;
        const uint64_t ranks = members.empty() ? trace_.size : members.size();
        const auto root = static_cast<size_t>(event.root);
        const bool is_root = members.empty() ? event.root == static_cast<int>(trace_.rank)
                                             : root < members.size() && members[root] == static_cast<int>(trace_.rank);
        const uint64_t bytes = result_bytes(event, ranks, is_root);
        return bytes > largest ? 0 : bytes;
      }
      default: return 0;
    }
  }

 private:
  const RankTrace& trace_;
  const RecordedPart& part_;
};

}  // namespace

uint64_t received_bytes(const RankTrace& trace, const RecordedPart& part) {
  const Receiver receiver(trace, part);
  uint64_t bytes = 0, at = 0;
  auto small = part.only_small.begin();
  each_occurrence(trace.steps, [&](const TraceStep& step, uint64_t) {
    while (small != part.only_small.end() && at >= small->second) ++small;
    const bool is_small = small != part.only_small.end() && at >= small->first;
    if (at < part.events) {
      bytes += receiver.bytes_of(trace.events[step.event], is_small ? part.small_bytes : UINT64_MAX);
    }
    ++at;
  });
  return bytes;
}

}  // namespace scalediag::loggp
