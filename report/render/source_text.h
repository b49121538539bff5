// Where the parts of a prediction are from, in words.
#pragma once

#include <string>
#include <vector>

#include "report/findings/findings.h"

namespace scalediag::report {

// "measured trends": a source in a reader's words.
const char* words_of(predict::Source source);

// "computation: measured trends and extended traces; communication and waiting: simulated messages": the
// sources that are taken. Empty: none is named.
std::string sources_text(const TargetFindings& target);

// "np=64: computation 69.60 ms (61.00 - 79.30), scaled trace, missed np=16 by -3.1%: taken, ..."; a line a source, and
// more about replays, points and traces that are taken. Empty: there is one source of everything.
std::vector<std::string> source_lines(const Findings& findings, const TargetFindings& target);

// "pipeline 70.10 ms, collective 3.20 ms", "" where nothing is known of it.
std::string causes_text(const std::vector<predict::CauseOfWaiting>& causes);

// "two sources of computation disagree: extended traces say 70 ms, measured trends say
// 49 ms"; empty: none do.
std::string disagreement_text(const TargetFindings& target);

}  // namespace scalediag::report
