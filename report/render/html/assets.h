// The files that a page contains, embedded into the program when it is built (cmake/EmbedFiles.cmake).
#pragma once

#include <string_view>

namespace scalediag::report::html {

struct Asset {
  std::string_view text;
  std::string_view sha256;  // hexadecimal
};

extern const Asset kChartLibrary;  // Chart.js, as Debian packages it
extern const Asset kScript;
extern const Asset kStyle;

}  // namespace scalediag::report::html
