// The beginning of a file, by which its format is recognised.
#pragma once

#include <algorithm>
#include <string_view>

namespace scalediag::fit {

inline std::string_view without_byte_order_mark(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  return text;
}

// The first line with content, trimmed: not empty, and no comment that begins with #. Empty where there is none.
inline std::string_view first_content_line(std::string_view text) {
  text = without_byte_order_mark(text);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin != line.npos && line[begin] != '#') return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
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
