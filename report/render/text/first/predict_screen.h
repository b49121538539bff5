// The first screen of a prediction: the answer, what limits it, how sure it is, and what to do next. The terminal and
// the page show the same.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/findings/findings.h"
#include "report/render/text/first/screen_table.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {

// The text in place of the table `limits` where that has no rows.
constexpr const char* kNothingLimits = "no kernel of at least 2 % stops scaling for certain";

struct PredictScreen {
  std::string title;                 // the program, and where it was measured
  std::vector<std::string> answers;  // answer_sentences(); none for data in Extra-P's formats
  std::string worth;                 // worth_text(); empty where that is not told
  // A row a target, below the smallest and the largest measured scale; for Extra-P's formats a table a metric, a column
  // a target.
  std::vector<ScreenTable> targets;
  std::vector<std::string> remarks;  // on these tables
  ScreenTable limits;                // at answered_target(); without a title where there is none, and for Extra-P's formats
  std::vector<std::pair<std::string, std::string>> certainty;  // name and text
  std::vector<std::string> warnings;                           // at most three, the most harmful first
  size_t more_warnings = 0;
  std::string next;  // next_step()
};

PredictScreen predict_screen_of(const Findings& findings, bool full_names);

// The first screen of `scalediag predict`, of at most 40 lines of 100 columns for up to four targets. All else is in
// findings_text() (--details).
std::string predict_screen(const Findings& findings, const TerminalOptions& options);

// The one thing that would make the prediction more certain; empty: nothing is known to.
std::string next_step(const Findings& findings);

}  // namespace scalediag::report
