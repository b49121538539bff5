// Where the parts of a prediction are from, in words.
#pragma once

#include <string>
#include <vector>

#include "report/findings/findings.h"

namespace scalediag::report {

// "np=64: computation 69.60 ms (61.00 - 79.30), scaled trace, missed np=16 by -3.1%: taken, ..."; a line a source, and
// more about replays, points and traces that are taken. Empty: there is one source of everything.
std::vector<std::string> source_lines(const Findings& findings, const TargetFindings& target);

// "pipeline 70.10 ms, collective 3.20 ms", "" where nothing is known of it.
std::string causes_text(const std::vector<predict::CauseOfWaiting>& causes);

// "two sources of computation disagree: scaled trace 69.60 ms, curves 49.40 ms"; empty: none do.
std::string disagreement_text(const TargetFindings& target);

}  // namespace scalediag::report
