// Results on stdout: how wide, in colour or not, and what to do when it cannot be written.
#pragma once

#include <cstddef>
#include <string>

namespace scalediag::cli {

// 100 columns where nobody says how wide the terminal is: into a pipe or a file.
size_t terminal_width();

// On a terminal, unless NO_COLOR is set.
bool use_color();

// Writes it all, fit for a terminal; returns the exit status. A reader that has seen enough (`| head`) is no error.
int print(const std::string& text);

}  // namespace scalediag::cli
