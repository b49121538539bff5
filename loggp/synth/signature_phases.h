// The phases of a run as the synthetic signature executes them, chosen so that they give the simulated time of the
// whole run.
//
// The smallest phases are the bodies of the innermost loops, as Panadero et al. have them. But a round of an inner loop
// does not always stand for the others: in a wavefront the first one waits until the wave arrives. Then a round of the
// loop around it is the phase, or, where there is none, the whole loop. A loop is divided into the phases of its body
// where the sum of simulated phases times weights stays within kMostDeviation of the simulated whole, or comes nearer
// to it. What is not divided is executed as a whole where that brings the sum nearer by kWorthwhile and takes longer by
// at most kMostOfWhole of the run.
#pragma once

#include <vector>

#include "core/result.h"
#include "loggp/synth/signature_result.h"

namespace scalediag::loggp {

struct SignaturePhases {
  SteppedProgram stepped;
  SimulatedMessages simulated;
  double whole_s = 0;        // simulated, of the whole run without making connections
  double connections_s = 0;  // by how much longer it takes with them
};

constexpr double kMostDeviation = 0.005;
constexpr double kWorthwhile = 0.001;
constexpr double kMostOfWhole = 0.25;

// Errors: as of TraceProgram::of(), AlgorithmChoice::of(), simulate() and stepped_program().
core::Result<SignaturePhases> signature_phases(const std::vector<RankTrace>& run, const Network& network, int warm_up);

}  // namespace scalediag::loggp
