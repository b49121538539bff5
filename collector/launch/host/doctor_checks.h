// The checks of `scalediag doctor`: the things that work on this machine and those that do not. Everything is tried,
// not only looked up, as far as that is possible without running the application.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/host/finding.h"
#include "core/experiment/experiment.h"

namespace scalediag::launch {

// A line of the table below the findings: the source of a metric on this machine.
struct MetricSource {
  std::string metric;
  std::string papi;       // events and their combination; empty: this CPU has none that counts
  std::string simulated;  // callgrind's; empty: it has none
};

struct Diagnosis {
  core::Host host;
  std::vector<Finding> findings;
  std::vector<MetricSource> metrics;  // in the order of core::kCounterMetrics
  bool can_profile() const;
};

// `program` may be empty. Takes a second or two: events are counted on loops.
Diagnosis diagnose(const std::string& program);

}  // namespace scalediag::launch
