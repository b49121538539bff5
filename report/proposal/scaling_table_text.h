// A scaling table for people.
#pragma once

#include <string>

#include "report/document/document.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report {

DocumentTable scaling_table_text(const ScalingTable& table);

// The subject of the rows' times, for a column's title: "time", "main loop", "solve".
std::string name_of_times(const ScalingTable& table);

// Digits that do not matter are left out of a number: 0.03519, 12.34, 1235.
std::string number_text(double value);

}  // namespace scalediag::report
