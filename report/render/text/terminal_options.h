// The shape of text that is printed for people.
#pragma once

#include <cstddef>
#include <string>

namespace scalediag::report {

struct TerminalOptions {
  size_t top = 15;     // kernels a target and metric; 0: all
  size_t width = 100;  // of the terminal; kUnlimited leaves names as long as they are
  bool color = false;
  std::string next = {};  // a command that makes the answer surer; empty: what the findings say
};

}  // namespace scalediag::report
