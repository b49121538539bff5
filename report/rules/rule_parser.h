// The parser of rules.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "report/rules/rule.h"

namespace scalediag::report {

// Errors (kUsage) name the rule and the column, counted from 1, of the part that cannot be understood, and suggest what
// may have been meant. `where` as in Rule.
core::Result<Rule> parse_rule(const std::string& text, const std::string& where = "");

// Reads one rule a line; empty lines and comments are left out. A comment begins with a # outside of quotes, at the
// beginning or after a blank. In the order of the lines; errors name `file` and the line.
std::vector<core::Result<Rule>> parse_rules(const std::string& text, const std::string& file);

}  // namespace scalediag::report
