// Rules about a history (`< history`), applied to the runs of an experiment and those of earlier ones.
#pragma once

#include <vector>

#include "core/result.h"
#include "fit/application/application_data.h"
#include "report/rules/rule_check.h"

namespace scalediag::report {

struct HistoryInput {
  fit::ApplicationData now;
  std::vector<fit::ApplicationData> earlier;  // of the same program, the oldest first
  std::string whole_program;                  // of a table: the kernel that stands for it
};

// The verdict on a rule, which is that of the kernel and configuration that exceeds its limit by most; all that do are
// named in the evidence. A kernel is judged where it takes at least kShareThatIsJudged of the time; with the CPU clock
// time in MPI is not. Errors (kUsage): none or several kernels fit the name; a configuration was not measured; fewer
// than kFewestExperiments earlier experiments have it.
core::Result<RuleVerdict> check_against_history(const Rule& rule, const HistoryInput& input);

}  // namespace scalediag::report
