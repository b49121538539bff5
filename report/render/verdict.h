// The verdict in three texts of short sentences: the cost of the run at the largest target; the obstacle and the number
// of processes up to which more are worth it; and the reliability of both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/text/bounded.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// With its first letter as that of a sentence.
std::string capitalised(std::string text);

// Kernels of a target that matter and do not scale for certain, the largest by their slowest rank first: parts of the
// run, or what devices do meanwhile.
std::vector<const KernelFinding*> stopping_kernels(const TargetFindings& target, bool on_devices = false);

// "12.3% of the run are in no function: ...", "starting and ending take 1.234 s more", which is no part of the run:
// each where it is a tenth of the run or more, else empty.
std::string unattributed_text(const TargetFindings& target);
std::string start_and_end_text(const TargetFindings& target);

// " Not counted: ranks ...", the sentence of what is not in their time; empty where that is nothing that matters.
std::string left_out_text(const Findings& findings);

// The middle of a title before the name of a metric: ": kernels by predicted ", or where the target is unchecked
// ": kernels, neither ranked nor judged, by measured ".
std::string kernels_by_text(const TargetFindings& target);

// The lines below the table of runs: the definition of a run, or of the region that is predicted instead, and the rank
// whose time it is; the time of starting and ending, empty for a region.
std::string run_line(const Findings& findings);
std::string start_and_end_line(const Findings& findings);

// A column of tables of predicted totals.
struct TotalsPart {
  const char* title;
  const char* short_title;
  std::optional<Estimate> TargetFindings::*value;  // in seconds
};
// The parts of the run that the findings have, in the order of their columns; unattributed time where it is above a
// thousandth of the run at some target.
std::vector<TotalsPart> totals_parts(const Findings& findings);

// "np=64 (interval: 16 to more than 1024)", "np=8 (measured)", "np=1024, the largest that was looked at": the sweet
// spot, for a sentence.
std::string sweet_spot_text(const SweetSpot& spot, const std::string& parameter);

// "Efficiency stays at or above 50 % up to np=64 (interval: 16 to 90).": up to how many processes more are worth it.
// Empty where there is no curve.
std::string worth_text(const Findings& findings);

// The machine and the network that a prediction is about, in a sentence with a space behind it; empty: not known.
std::string where_text(const Findings& findings);

// "At np=64 the run takes 17 ms, between 8 and 1500: not known within a factor of 180.", as weakened() says it;
// `with_cores`: with the CPU clock that each process has a core. Precondition: target.run_s.
std::string answer_sentence(const Findings& findings, const TargetFindings& target, bool with_cores = false);
// One for each target; where two cannot be told for the same reason, one for both. Of more than four targets that of
// the main one.
std::vector<std::string> answer_sentences(const Findings& findings);

// The numbers of an interval in other units (core::units_a_second()), with the digits that it allows.
core::Bounded in_units(const Estimate& e, double units);

// With the efficiency's interval, times the same factor.
std::optional<Estimate> speedup_of(const TargetFindings& target);
// "13%", with the digits that its interval allows; "-" where it is not known.
std::string efficiency_cell(const TargetFindings& target);

// ", inside its interval", ", OUTSIDE its interval"; empty where that would reassure although the error is large.
std::string inside_text(const BacktestFindings& backtest);

// How the largest measured scale came out as predicted from the smaller ones: one sentence where `brief`, else four at
// most, with single functions. Precondition: there is a target.
std::string backtest_text(const Findings& findings, bool brief);

// The second text of verdict_of() without the sweet spot and what starting and ending take, in lower case, to follow
// a colon in a text that chooses the number of processes itself, weakened. Precondition: there is a target.
std::string what_limits(const Findings& findings);
// The backtest, which ends the third text of verdict_of(). Precondition: there is a target.
std::string how_certain(const Findings& findings);

// Three texts of whole sentences, printable(). Names of kernels are in them: a page has to escape them.
std::vector<std::string> verdict_of(const Findings& findings);

}  // namespace scalediag::report
