// Results on stdout: the width, colours, and errors of writing.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace scalediag::cli {

// The terminal's width in columns; 100 where it is unknown, as for a pipe or a file.
size_t terminal_width();

// True on a terminal, unless NO_COLOR is set.
bool use_color();

// Writes all of it, made safe for a terminal; returns the exit status. A reader that ends early (`| head`) is no error.
int print(const std::string& text);
// The same as JSON. `compact_depth`: as of core::to_json_text().
int print_json(const nlohmann::ordered_json& document, int compact_depth);

}  // namespace scalediag::cli
