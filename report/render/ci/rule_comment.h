// Rules as a comment for a merge request: Markdown with a table, and a picture of values against their limits.
#pragma once

#include <string>

#include "report/rules/rule_check.h"

namespace scalediag::report {

// `picture`: the name under which the SVG of check_svg() stands beside the comment; empty: none. The line above the
// table says how many rules are broken; the table has all rules in their order.
std::string check_markdown(const RuleCheck& check, const std::string& picture);

// One line a rule that has a limit: the value and its 90 % interval as multiples of the limit, on a logarithmic axis.
// Empty where no rule has a positive value and limit.
std::string check_svg(const RuleCheck& check);

}  // namespace scalediag::report
