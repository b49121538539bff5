// Rules as metrics in the OpenMetrics text format 1.0
// (https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md), which Prometheus scrapes and
// GitLab compares between branches.
#pragma once

#include <string>

#include "report/rules/rule_check.h"

namespace scalediag::report {

// Gauges with the labels `input`, `rule`, `number` (the rule's place, from 1) and `unit` (seconds, bytes, ratio,
// number): scalediag_rule_passed (0 or 1), scalediag_rule_uncertain, scalediag_rule_value, scalediag_rule_low and
// scalediag_rule_high, the ends of its 90 % interval, where known, and scalediag_rule_limit. Ends with "# EOF".
std::string check_openmetrics(const RuleCheck& check);

}  // namespace scalediag::report
