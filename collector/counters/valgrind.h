// The valgrind of this machine, how callgrind is run, and what its messages mean.
#pragma once

#include <string>
#include <vector>

#include "collector/counters/simulated_caches.h"
#include "core/result.h"

namespace scalediag::counters {

// Path of `valgrind` in PATH. Errors (kEnvironment): it is not installed; libscalediag.so was built without its header,
// so that MPI could not be left out.
core::Result<std::string> find_valgrind();

// How many times longer simulated code is taken to need than the same code by itself, for announcing what a pass costs.
// Measured with valgrind 3.19, CPU time of one rank: LAMMPS (melt, 32,000 atoms, 100 steps) 93 s against 1.9 s, the
// sample cg (700 x 700, 60 steps) 26.6 s against 0.47 s.
constexpr double kSimulationSlowdown = 50;
// What starting a rank under valgrind takes besides, MPI_Init included.
constexpr double kSimulationStart_s = 5;

// Options of valgrind, files and application apart. `follows_children` for scripts, whose program is started by them.
std::vector<std::string> callgrind_options(const SimulatedCaches& caches, bool follows_children);

// What a rank's valgrind log says about an instruction that this valgrind cannot run, one sentence; empty if nothing.
std::string find_unsupported_instruction(const std::string& log);

// What the user can do about it.
extern const char* const kUnsupportedInstructionHint;

}  // namespace scalediag::counters
