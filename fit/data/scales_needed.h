// How many numbers of processes a prediction takes, in one place for all that says so.
#pragma once

#include <string>

#include "fit/data/observations.h"

namespace scalediag::fit {

// From so many on, methods are chosen by one check and judged by another, and a section of a proposal predicts.
constexpr size_t kScalesAdvised = 4;

// "Predictions need ..."
inline std::string scales_rule() {
  return "Predictions need " + std::to_string(kScalesForTrend) + " numbers of processes, " +
         std::to_string(kScalesForCheck) + " to be checked, and " + std::to_string(kScalesAdvised) +
         " or more to be relied on.";
}

}  // namespace scalediag::fit
