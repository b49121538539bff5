// The beginning of a file, by which its format is recognised.
#pragma once

#include <algorithm>
#include <string_view>

#include "fit/data/number_text.h"

namespace scalediag::fit {

// The first line with content, trimmed: not empty, and no comment that begins with #. Empty where there is none.
inline std::string_view first_content_line(std::string_view text) {
  for (LineReader lines(text); const auto line = lines.next();) {
    if (const std::string_view content = trimmed(*line); !content.empty() && content.front() != '#') return content;
  }
  return {};
}

// At most `most` bytes from the first { or [ of a file that begins with it. Empty where it begins with anything else.
inline std::string_view json_head(std::string_view text, size_t most) {
  text = without_byte_order_mark(text);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return {};
  return text.substr(0, most);
}

inline std::string_view first_json_line(std::string_view text) {
  const std::string_view all = json_head(text, text.size());
  return all.substr(0, all.find('\n'));
}

}  // namespace scalediag::fit
