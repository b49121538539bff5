// The output of `scalediag synth`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/text/table.h"
#include "loggp/synth/signature_phases.h"
#include "loggp/synth/signature_result.h"

namespace scalediag::report {

struct SynthOutcome {
  loggp::SignatureResult result;
  int ranks = 0;
  int processes = 0;
  int measured_at_once = 0;  // ranks, at most
  int black_holes = 0;       // at most
  size_t ranges = 0;         // lists of ranks that were measured together
  size_t groups = 0;         // of ranks that communicate alike, one of which was measured; 0: all were
  double whole_s = 0;        // simulated, without connections
  double connections_s = 0;  // simulated
  double computation_s = 0;  // of a rank in the mean
  double took_s = 0;
  std::string disturbed;  // the reason not to rely on it; empty: there is none

  double total_s() const { return result.total_s + connections_s; }
  double simulated_s() const { return whole_s + connections_s; }
};

double core_hours(int cores, double seconds);

// One number of ranks with its phases; of several a line each.
std::string synth_text(const std::vector<SynthOutcome>& outcomes, const core::TableStyle& style);

// The object of one number of ranks; of several "targets" has them.
nlohmann::ordered_json synth_json(const std::vector<SynthOutcome>& outcomes);

}  // namespace scalediag::report
