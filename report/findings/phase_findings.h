// The phases of a program, from its traces at several numbers of processes, as a report shows them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace scalediag::loggp {
struct ScalingModel;
}

namespace scalediag::report {

struct PhaseFinding {
  int number = 1;                       // in the order of the program
  std::map<int, double> weight;         // how often, by number of ranks
  double share = 0;                     // of the computation of all ranks at the largest scale
  bool is_relevant = false;             // among the longest that make up 95 % of that
  bool is_regular = false;              // equations explain all of it
  bool is_certain = false;              // and no other equation explains it as well
  std::vector<std::string> operations;  // "MPI_Send with (+1) of a line, open: 64 B"
};

struct PhaseLoop {
  int first = 1, last = 1;       // numbers of phases
  int depth = 0;                 // the number of loops around it
  std::map<int, double> rounds;  // by number of ranks, of the rank that has most
};

struct PhaseFindings {
  std::vector<int> ranks;  // that were recorded
  int target = 0;          // at which equations are held against one another
  // Of the events at the largest scale: those that equations explain, and those that one alone explains.
  double regular_share = 0, certain_share = 0;
  // Iterations by number of ranks, of the main loop that `show` and --region know, else of the loop of the traces in
  // which all ranks spend most; empty: no loop is shared by all ranks.
  std::map<int, double> main_loop;
  std::vector<PhaseFinding> phases;
  std::vector<PhaseLoop> loops;  // outer ones before those inside
};

// `profile`: of the same runs.
PhaseFindings phase_findings(const loggp::ScalingModel& model, const core::Profile& profile);

// "The main loop goes round 800 times. 2 of 5 phases make up 99.9 % of the computation. ..."
std::string text_of(const PhaseFindings& findings);
// "800", or "2 on 4, 3 on 8" where it differs.
std::string text_by_ranks(const std::map<int, double>& values);

}  // namespace scalediag::report
