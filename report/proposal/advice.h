// The number of processes for the next job: by cost, by time and by an efficiency that is to be kept; what limits it;
// and the measurement that would tell more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "report/proposal/proposal.h"

namespace scalediag::report {

struct DoubtfulRuns {
  Point at;
  Doubt doubt;
};

// Runs that would tell more: those in doubt again, else a further one.
struct NextMeasurement {
  std::string text;                   // "np=64: ..."; empty: none would help
  std::vector<DoubtfulRuns> again;    // by table and row
  std::optional<FurtherRun> further;  // where no run is in doubt
  std::optional<Bounded> node_hours;  // of one further run; empty: not known
};
NextMeasurement next_measurement(const Study& study);

// For people, one screen for each problem, in lines of `width` columns; ends with a newline.
std::string advice_text(const Study& study, double efficiency_bound, size_t width);

// scalediag-advise/1
core::Result<std::string> advice_json(const Study& study, double efficiency_bound);

}  // namespace scalediag::report
