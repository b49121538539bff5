// Programs whose operations depend on one another in any way, as GOAL schedules do: per rank a directed graph instead
// of a sequence.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "loggp/simulator/simulator.h"

namespace scalediag::loggp {

struct ScheduleOp {
  enum class Kind : uint8_t { kCalc, kSend, kRecv } kind = Kind::kCalc;
  uint8_t cpu = 0;               // operations of different CPUs of a rank run at the same time
  uint32_t n_requirements = 0;   // the number of the rank's operations that have to be over, or to have begun, before
                                 // it
  uint32_t first_dependent = 0;  // in Schedule::Rank::dependents; they end where the next operation's begin
  int32_t peer = 0;
  int32_t tag = 0;
  uint32_t line = 0;  // of the input, for messages
  uint64_t bytes = 0;
  double seconds = 0;  // kCalc
};

struct Dependent {
  uint32_t op = 0;
  bool on_start = false;  // it may begin when the other one has begun, not only when that is over
};

struct Schedule {
  struct Rank {
    std::vector<ScheduleOp> ops;  // and one unused entry, which ends the dependents of the last operation
    std::vector<Dependent> dependents;

    uint32_t size() const { return ops.empty() ? 0 : static_cast<uint32_t>(ops.size() - 1); }
  };
  std::vector<Rank> ranks;
};

// The simulation of a schedule: a send is over when its CPU is free (above S_sync: when its last byte has left); a
// receive is posted when all its requirements are met, and is over when its message was received. A CPU does one thing
// at a time, the one that can begin first; of several at the same time, calculations and sends before receives,
// messages in the order of arrival, and then by number.
//
// A rank whose next step might still be overtaken by an unknown message waits in a heap until no other rank can do
// anything earlier, so that the order of time is exact; a rank is in the heap at most a few times. Errors: as
// simulate() for programs; handshakes that wait for calls
// (Progress::kInCalls), of which a schedule has none; also requirements that form a circle, named with rank and line.
Result<Simulation> simulate(const Schedule& schedule, const Network& network, const SimulationOptions& options = {});

}  // namespace scalediag::loggp
