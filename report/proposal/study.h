// One experiment of a scaling section.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fit/data/scales_needed.h"
#include "report/findings/findings.h"
#include "report/findings/provenance.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report {

// The number of scales that a prediction needs to be in a section without being asked for.
constexpr size_t kScalesForSection = fit::kScalesAdvised;

struct Study {
  std::string input;  // as given
  Findings findings;  // of the whole program; its trust is that of the region as well
  Provenance provenance;
  std::vector<ScalingTable> tables;        // one a problem
  std::string region;                      // whose times the tables have; empty: those of the run
  std::string why_run;                     // where that is for want of a main loop: why there is none
  std::vector<Efficiencies> efficiencies;  // of what the tables have the times of
  std::string how_certain;                 // of its predictions: the last sentence of its verdict
  std::vector<std::string> remarks;        // reservations that a reader must know, each a sentence or two
  std::string host;                        // "" where not known
  std::string mpi;
  std::string executable_fingerprint;
};

}  // namespace scalediag::report
