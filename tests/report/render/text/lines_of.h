// The lines of a text.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace scalediag::report {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace scalediag::report
