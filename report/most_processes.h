// The limit of the scales that predictions may be asked for.
#pragma once

namespace scalediag::report {

// The largest number of processes: far beyond any machine, and exact as a double.
constexpr double kMostProcesses = 1e9;

}  // namespace scalediag::report
