// The valgrind of this machine, the options of callgrind, and the meaning of its messages.
#pragma once

#include <string>
#include <vector>

#include "collector/counters/callgrind/callgrind_caches.h"
#include "core/result.h"

namespace scalediag::counters {

// The path of `valgrind` in PATH. Errors (kEnvironment): it is not installed; libscalediag.so was built without its
// header, so that MPI could not be left out.
Result<std::string> find_valgrind();

// The factor by which code under callgrind is assumed to be slower than by itself, for announcing the duration of a
// pass. Measured with valgrind 3.19, CPU time of one rank: LAMMPS (melt, 32,000 atoms, 100 steps) 93 s against 1.9 s,
// the sample cg (700 x 700, 60 steps) 26.6 s against 0.47 s.
constexpr double kCountingSlowdown = 50;
// The time to start a rank under valgrind, in seconds, MPI_Init included.
constexpr double kSimulationStart_s = 5;

// Options of valgrind, without files and application. `follows_children` is for scripts, which start the program.
std::vector<std::string> callgrind_options(const CallgrindCaches& caches, bool follows_children);

// One sentence about an instruction that this valgrind cannot run, from a rank's valgrind log; empty if there is none.
std::string find_unsupported_instruction(const std::string& log);

// The remedy for it.
extern const char* const kUnsupportedInstructionHint;

}  // namespace scalediag::counters
