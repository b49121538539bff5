// The output of `scalediag check`, as text and as JSON.
#pragma once

#include <string>

#include "core/result.h"
#include "report/render/text/terminal_options.h"
#include "report/rules/rule_check.h"

namespace scalediag::report {

// "PASS", "FAIL (uncertain)", "UNDECIDED"
std::string verdict_word(const RuleCheck& check, const RuleVerdict& verdict);

// "17 ms (8 to 1500), predicted at np=64"; of scales() without a value.
std::string verdict_value(const RuleVerdict& verdict);

// One paragraph a rule: PASS or FAIL, whether that is uncertain, and the evidence; then how many hold.
std::string check_text(const RuleCheck& check, const TerminalOptions& options);

// Schema scalediag-check/1. Values and limits in seconds, bytes or as they are; "low" and "high" are null where the
// error is unknown.
core::Result<std::string> check_json(const RuleCheck& check);

}  // namespace scalediag::report
