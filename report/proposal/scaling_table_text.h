// A scaling table for people.
#pragma once

#include <string>

#include "report/document/document.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report {

DocumentTable scaling_table_text(const ScalingTable& table);

// The subject of the rows' times, for a column's title: "time", "main loop", "solve".
std::string name_of_times(const ScalingTable& table);

// The region in a sentence: "the main loop", "the region solve"; "the run" where there is none.
std::string name_of_region(const std::string& region);

// "12.3 - 14.5", "above 12.3" without an upper end, "-" without both; `format` makes text of a value.
template <class Format>
std::string interval_text(const Bounded& value, Format format) {
  if (value.low && value.high) return format(*value.low) + " - " + format(*value.high);
  if (value.low) return "above " + format(*value.low);
  return value.high ? "below " + format(*value.high) : "-";
}

// "13.4 s (12.3 - 14.5)", in the unit that is right for the value; the value alone without an interval.
std::string time_and_interval(const Bounded& seconds);

// Digits that do not matter are left out of a number: 0.03519, 12.34, 1235.
std::string number_text(double value);

}  // namespace scalediag::report
