#include "report/findings/cause.h"

#include "fit/application/slowest_rank.h"

namespace scalediag::report {

const char* name_of(Cause cause) {
  switch (cause) {
    case Cause::kNone: return "";
    case Cause::kWork: return "work does not shrink";
    case Cause::kGrowingWork: return "work grows";
    case Cause::kMemory: return "memory stalls";
    case Cause::kStalls: return "stalls of any kind";
    case Cause::kVolume: return "message volume";
    case Cause::kLatency: return "message count or latency";
    case Cause::kMessages: return "message count and volume";
    case Cause::kLateSender: return "late sender";
    case Cause::kLateReceiver: return "late receiver";
    case Cause::kImbalance: return "imbalance";
    case Cause::kSerial: return "serial part";
    case Cause::kRooted: return "one rank alone";
    case Cause::kIdleThreads: return "idle OpenMP threads";
    case Cause::kTransfers: return "transfers do not shrink";
    case Cause::kLaunches: return "launches of short kernels";
    case Cause::kDeviceWork: return "device work does not shrink";
    case Cause::kIdleDevice: return "devices idle while MPI communicates";
  }
  return "";
}

std::string rank_text(const std::optional<int>& rank) {
  if (!rank) return "";
  return *rank == fit::kLastRank ? "the last rank" : "rank " + std::to_string(*rank);
}

}  // namespace scalediag::report
