// The problem size D from a program's parameters: NAME=EXPRESSION, a product of numbers and powers of parameters.
//
//   EXPRESSION = factor { ("*" | "/") factor }
//   factor     = number | parameter [ "^" number ]
//
// "cells=n^2", "cells=nx*ny*nz", "bytes=8*n^1.5"; "cells=32000" is the size of all runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::core {

struct SizeExpression {
  struct Factor {
    std::string parameter;  // empty: `number` alone
    double number = 1;      // the power of the parameter
  };
  std::string name;
  std::vector<Factor> factors;

  std::vector<std::string> parameters() const;  // each once
  // Precondition: `values` has all parameters.
  double value(const std::map<std::string, double>& values) const;
};

// Error (kUsage): it is not of that form.
Result<SizeExpression> parse_size_expression(const std::string& text);

}  // namespace scalediag::core
