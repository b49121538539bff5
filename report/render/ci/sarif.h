// Broken rules as SARIF 2.1.0 (OASIS), which GitHub shows at the lines of the code.
#pragma once

#include <string>

#include "core/result.h"
#include "report/rules/rule_check.h"

namespace scalediag::report {

// A result a rule that fails: level "error", or "warning" where that is uncertain. Its place is that of the kernel,
// where debug information tells it, else that of the rule in its file. `root` is the folder of the checkout: files
// below it are named relative to it.
core::Result<std::string> check_sarif(const RuleCheck& check, const std::string& root);

}  // namespace scalediag::report
