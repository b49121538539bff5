// Why a kernel does not scale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scalediag::report {

enum class Cause : uint8_t {
  kNone,  // it scales, or what was measured does not tell
  kWork,
  kGrowingWork,
  kMemory,
  kStalls,  // counted as stalls of any kind, for memory or not
  kVolume,
  kLatency,
  kMessages,      // number and volume have about equal shares of the cost
  kLateSender,    // nonblocking messages are sent late
  kLateReceiver,  // the receiver of an own one is late
  kImbalance,
  kSerial,
  kRooted,  // messages that one rank sends or receives for all
  kIdleThreads,
  kTransfers,   // copies between host and device do not shrink
  kLaunches,    // launches of short kernels do not shrink
  kDeviceWork,  // the device's work for a rank does not
  kIdleDevice,  // messages that do not shrink, while devices have nothing to do
};

// "work does not shrink", ...; "" for kNone.
const char* name_of(Cause cause);

struct CauseFinding {
  Cause cause = Cause::kNone;                // kNone where the metrics do not tell
  std::string evidence = {};                 // one sentence
  std::optional<double> work_exponent = {};  // KernelFinding::work_exponent
};

// "rank 0", "the last rank"; "" for an empty `rank` (fit::KernelFacts::slowest_rank).
std::string rank_text(const std::optional<int>& rank);

}  // namespace scalediag::report
