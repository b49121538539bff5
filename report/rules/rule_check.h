// Rules applied to data: for each the value, its interval, and whether the rule holds.
//
// The value decides. Where the interval reaches over the limit the verdict is uncertain, and says so; strictly, what is
// uncertain fails. scales(kernel) has no limit: it fails where the findings say that the kernel stops scaling, and is
// uncertain where they say that the data do not decide it. Where nothing can be concluded from the runs (trust.h), no
// rule about a predicted value passes: one that holds by the value is undecided, which fails strictly only.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "report/rules/rule_application.h"
#include "report/rules/rule_value.h"

namespace scalediag::report {

struct RuleVerdict {
  Rule rule;
  Point at;
  RuleFact fact;
  bool holds = false;    // by the value
  bool certain = false;  // by all of the interval
  bool passed = false;   // holds and, strictly, certain; and something can be concluded
  bool undecided = false;
  KernelPlace place;  // of the kernel that the rule names
};

struct RuleCheck {
  std::string input;
  bool strict = false;
  std::vector<RuleVerdict> verdicts;  // in the order of the rules
  std::vector<std::string> notes;     // about the check as a whole
  Trust trust;                        // in predicted values
  size_t failed() const;              // the number of rules that fail
  bool passed() const { return failed() == 0; }
  bool fails(const RuleVerdict& verdict) const { return !verdict.passed && (strict || !verdict.undecided); }
};

// Predicts the targets of all rules at once. `source` has the data. Errors: a kernel, metric or parameter that the data
// do not have; a scale below the measured ones; a parameter that is needed and not given (kUsage); no model can be made
// (kInput).
core::Result<RuleCheck> check_rules(const std::vector<Rule>& rules, ApplicationRules& source, bool strict);

// The point at which a rule is judged, in the order of the domain's parameters. For growth and scales without a target
// it is four times the largest measured number of processes.
core::Result<std::vector<double>> rule_target(const Rule& rule, const RuleDomain& domain);

bool compare(double value, Relation comparison, double limit);

}  // namespace scalediag::report
