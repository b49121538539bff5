// The checks of `scalediag doctor`: the things that work on this machine and those that do not. Everything is tried,
// not only looked up, as far as that is possible without running the application.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/experiment.h"

namespace scalediag::launch {

enum class Health {
  kWorks,
  kLimited,  // profiling works, with limits: the text names them
  kMissing,  // something does not work that profiling can do without
  kFails,    // profiling cannot work at all
};
const char* name_of(Health health);  // "works", "limited", "missing", "fails"

struct Finding {
  std::string subject;  // "PMU", "valgrind"
  Health health = Health::kWorks;
  std::string text;  // one line
  std::string mend;  // the command or setting that helps; empty where nothing is wrong or nothing would help
};

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
