// The phases of a program, which are what it does between and inside its loops: its main loop, and what no equation
// explains, by phase.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loggp/phases/scaling_model.h"

namespace scalediag::loggp {

// A part of the program between two loops, or of a loop's body: what it communicates, and how often.
struct ProgramPhase {
  std::vector<const Slot*> slots;
  std::map<int, double> weight;                      // repetitions by number of ranks, of the rank that has most
  double target_weight = 1;                          // the same at the target, by the equations
  double share = 0;                                  // of the computation of all ranks at the largest scale
  bool relevant = false;                             // among the longest that make up 95 % of that time
  std::vector<std::string> why_not, open;            // of its operations
  std::vector<std::string> loop_why_not, loop_open;  // of the loops around it: of all its events

  bool is_regular() const { return why_not.empty() && loop_why_not.empty(); }
};

// In the order of the program.
std::vector<ProgramPhase> phases_of(const ScalingModel& model);

// "MPI_Send of phase 2", by Slot::id; empty: no phase has it.
std::string place_of(const ScalingModel& model, int slot);

struct MainLoop {
  std::map<int, double> iterations;   // by number of ranks
  std::map<int, double> iteration_s;  // mean computation of a rank in an iteration
};

// The outermost loop that all ranks share with the most computation. Nothing: there is none.
std::optional<MainLoop> main_loop_of(const ScalingModel& model);

// Something about operations that no equation explains or that the measured scales leave open.
struct Uncertainty {
  std::string text;  // "MPI_Send of phase 2, MPI_Recv of phase 2: ..."
  bool is_irregular = false;
  uint64_t events = 0;  // of the largest scale, all ranks
};

// Each reason once, the most events first, the irregular ones before those that are left open.
std::vector<Uncertainty> uncertainties_of(const ScalingModel& model);

}  // namespace scalediag::loggp
