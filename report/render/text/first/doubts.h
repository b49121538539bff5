// Reasons why a prediction may be wrong, in short sentences for a first screen. The notes in full are in
// Findings::notes; a table in doubts.cpp has the known ones, by words in them, and how harmful each is.
#pragma once

#include <string>
#include <vector>

#include "report/findings/findings.h"

namespace scalediag::report {

enum class Harm {
  kOtherSource,  // the answer is made of something else than was asked for or is usual
  kWrong,        // it may be wrong, also beyond its interval
  kDoubt,        // it is less certain than its interval says
  kRemark,       // how it was made
};

struct HarmfulDoubt {
  Harm harm = Harm::kDoubt;
  std::string text;  // without a full stop; a line of 25 words at most where the table has it
};

// A note, or a warning of a measurement, in short.
HarmfulDoubt doubt_of(const std::string& note);

// The most harmful first, those of a kind in the order of the findings' notes, each once.
std::vector<HarmfulDoubt> doubts_of(const Findings& findings);

}  // namespace scalediag::report
