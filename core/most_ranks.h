// The largest numbers that commands take for ranks.
#pragma once

namespace scalediag::core {

// Ranks that a command starts, records, scales to or simulates one by one; traces that name more count as damaged.
constexpr int kMostRanks = 1 << 20;

// Processes for which formulas are evaluated: far beyond any machine, and exact as a double.
constexpr double kMostProcesses = 1e9;

}  // namespace scalediag::core
