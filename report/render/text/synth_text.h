// The output of `scalediag synth`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

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
  double took_s = 0;

  double total_s() const { return result.total_s + connections_s; }
};

std::string synth_text(const SynthOutcome& outcome, const core::TableStyle& style);

nlohmann::ordered_json synth_json(const SynthOutcome& outcome);

}  // namespace scalediag::report
