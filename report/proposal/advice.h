// The number of processes for the next job: by cost, by time and by an efficiency that is to be kept; what limits it;
// and the measurement that would tell more.
#pragma once

#include <optional>
#include <string>

#include "core/result.h"
#include "report/proposal/proposal.h"

namespace scalediag::report {

// A run that would tell more.
struct NextMeasurement {
  std::string text;                   // "np=64: ..."; empty: none would help
  std::optional<Bounded> node_hours;  // of one run; empty: not known
};
NextMeasurement next_measurement(const Study& study, const ScalingTable& table);

// For people, one screen for each problem; ends with a newline.
std::string advice_text(const Study& study, double efficiency_bound);

// scalediag-advise/1
core::Result<std::string> advice_json(const Study& study, double efficiency_bound);

}  // namespace scalediag::report
