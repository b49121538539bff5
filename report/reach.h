// How far predictions are asked for.
#pragma once

namespace scalediag::report {

// Far beyond any machine, and whole numbers are exact.
constexpr double kMostProcesses = 1e9;

}  // namespace scalediag::report
