// What is known of a program besides the models of its measured times (fit): found once, before anything is predicted.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "loggp/network/network.h"
#include "predict/evidence/executed_messages.h"
#include "predict/evidence/trace_evidence.h"
#include "predict/sources/point_computation.h"
#include "predict/sources/replayed_computation.h"
#include "predict/target.h"

namespace scalediag::predict {

// Whether traces are simulated.
enum class Simulate {
  kNever,
  kWherePossible,  // and in seconds
  kAlways          // an error where it cannot be done
};

struct Evidence {
  Simulate simulate = Simulate::kNever;
  std::shared_ptr<const TraceEvidence> traces;  // null: there are none
  std::optional<loggp::Network> network;
  std::string why_no_simulation;  // where traces or the network are missing: the reason, for people
  // At targets, as far as they are known there.
  std::map<Target, ReplayedComputation> replayed;
  std::map<Target, PointComputation> points;
  std::map<Target, ExecutedMessages> executed;  // on `network`, and not disturbed

  // True where a run with so many ranks has more events than are simulated unasked: 2e7 take about ten seconds.
  // Precondition: there are traces.
  bool is_too_long(int ranks) const {
    constexpr double kMostEvents = 2e7;
    return simulate != Simulate::kAlways && traces->events_at(ranks) > kMostEvents;
  }
};

}  // namespace scalediag::predict
