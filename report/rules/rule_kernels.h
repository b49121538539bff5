// The kernel that a rule means by a name.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/result.h"
#include "report/rules/rule.h"

namespace scalediag::report {

struct RuleKernel {
  std::string name;
  std::string module;
  std::string place;  // "file.c:12"; empty: unknown
};

// "ns::Matrix<double>::solve(int, int) const" -> "ns::Matrix::solve": without template arguments, parameters and what
// follows them. A name that cannot be taken apart stays as it is.
std::string bare_name(const std::string& name);

// The kernel that `rule.kernel` names: by its whole name, by "name [module]" or "name [module file.c:12]", by its bare
// name, or by the end of its bare name from a "::" or a call path's "->" on; the first of these forms that fits a
// kernel counts. Errors (kUsage): none fits (similar names are suggested), or several do (they are named).
core::Result<size_t> find_rule_kernel(const Rule& rule, std::span<const RuleKernel> kernels);

}  // namespace scalediag::report
