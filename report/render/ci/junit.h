// Rules as a JUnit report, which GitLab and others show beside tests.
#pragma once

#include <string>

#include "report/rules/rule_check.h"

namespace scalediag::report {

// One <testcase> a rule, whose name is the rule, in a <testsuite> named after the input. A rule that fails has a
// <failure>, one that is left undecided is <skipped>; <system-out> has the evidence. Elements and attributes are those
// of https://docs.gitlab.com/ci/testing/unit_test_reports/.
std::string check_junit(const RuleCheck& check);

}  // namespace scalediag::report
