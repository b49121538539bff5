// Why a kernel does not scale.
#pragma once

#include <cstdint>

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

}  // namespace scalediag::report
