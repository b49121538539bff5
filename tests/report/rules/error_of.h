#pragma once

#include <string>

#include "report/rules/rule_check.h"

namespace scalediag::report {

// The message from its column on, and the hint; empty where there is no error.
inline std::string error_of(const core::Result<RuleCheck>& checked) {
  if (checked.ok()) return "";
  const std::string& message = checked.error().message;
  const size_t column = message.find("column ");
  return message.substr(column == std::string::npos ? 0 : column) + "; " + checked.error().hint;
}

}  // namespace scalediag::report
