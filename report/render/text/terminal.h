// Findings for people, on a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report/findings/findings.h"

namespace scalediag::report {

struct TerminalOptions {
  size_t top = 15;     // kernels a target and metric; 0: all
  size_t width = 100;  // of the terminal; kUnlimited leaves names as long as they are
  bool color = false;
};

std::string findings_text(const Findings& findings, const TerminalOptions& options);

}  // namespace scalediag::report
