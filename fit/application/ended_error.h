// The error of times of runs that were ended after some rounds of their main loop (profile --iterations).
#pragma once

#include <algorithm>

#include "fit/application/application_data.h"

namespace scalediag::fit {

// The name of one of ApplicationData::totals: core::EndedAndWhole::apart() of each configuration that has it.
constexpr char kEndedError[] = "ended_error";

// The largest of them, a part of the time; 0 where there is none. Ended runs at all scales may be as far off.
inline double ended_error(const ApplicationData& data) {
  const auto found = data.totals.find(kEndedError);
  if (found == data.totals.end()) return 0;
  double most = 0;
  for (const Observation& o : found->second.observations) most = std::max(most, o.values.front());
  return most;
}

}  // namespace scalediag::fit
