// One experiment of a scaling section.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/findings/findings.h"
#include "report/findings/provenance.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report {

// The number of scales that a prediction needs to be in a section without being asked for.
constexpr size_t kScalesForSection = 4;

struct Study {
  std::string input;  // as given
  Findings findings;
  Provenance provenance;
  std::vector<ScalingTable> tables;  // one a problem
  std::vector<std::string> remarks;  // reservations that a reader must know, each a sentence or two
  std::string host;                  // "" where not known
  std::string mpi;
  std::string executable_fingerprint;
};

}  // namespace scalediag::report
