// Sentences over several lines.
#pragma once

#include <cstddef>
#include <string>

namespace scalediag::core {

// `first`, our own text that may have colours, and `raw`, made printable(), over lines of at most `width` columns (40
// or more); lines after the first are indented by `indent` columns. Words that are longer than a line stay whole. Ends
// with a newline.
std::string wrapped(const std::string& first, const std::string& raw, size_t width, size_t indent = 4);

}  // namespace scalediag::core
