#include "core/json/json_split.h"

#include <cstddef>

namespace scalediag::core {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// The position behind the string that begins at `at`; npos: it does not end.
size_t behind_string(std::string_view text, size_t at) {
  for (++at;; at += 2) {
    at = text.find_first_of("\"\\", at);
    if (at == text.npos) return at;
    if (text[at] == '"') return at + 1;
  }
}

// The position behind the value that begins at `at`, or that of the end of its object or array; npos: there is no end.
size_t behind_value(std::string_view text, size_t at) {
  for (size_t depth = 0; at != text.npos;) {
    at = text.find_first_of("\"[]{},", at);
    if (at == text.npos) return at;
    switch (text[at]) {
      case '"': at = behind_string(text, at); continue;
      case '[':
      case '{': ++depth; break;
      case ',':
        if (depth == 0) return at;
        break;
      default:
        if (depth-- == 0) return at;
    }
    ++at;
  }
  return at;
}

// The elements of the array whose bracket is at `at`, which moves to the closing one; false: there is none.
bool split_array(std::string_view text, size_t& at, std::vector<std::string_view>& elements) {
  do {
    const size_t from = at + 1;
    at = behind_value(text, from);
    if (at == text.npos) return false;
    elements.push_back(text.substr(from, at - from));
  } while (text[at] == ',');
  if (elements.size() == 1 && elements[0].find_first_not_of(kSpace) == text.npos) elements.clear();
  return text[at] == ']';
}

}  // namespace

std::optional<SplitJson> split_json_array(std::string_view text, std::string_view key) {
  const std::string name = '"' + std::string(key) + '"';
  std::optional<SplitJson> split;
  size_t at = text.find_first_not_of(kSpace);
  if (at == text.npos || text[at] != '{') return std::nullopt;
  do {  // `at` is before a member
    const size_t begin = text.find_first_not_of(kSpace, at + 1);
    const size_t end = begin == text.npos ? begin : behind_value(text, begin);
    if (end == text.npos) return std::nullopt;
    at = end;
    if (text.substr(begin, name.size()) != name) continue;

    const size_t colon = text.find_first_not_of(kSpace, begin + name.size());
    size_t bracket = text[colon] == ':' ? text.find_first_not_of(kSpace, colon + 1) : colon;
    if (split || text[bracket] != '[') return std::nullopt;
    split.emplace();
    split->rest = text.substr(0, bracket + 1);
    if (!split_array(text, bracket, split->elements)) return std::nullopt;
    split->rest += text.substr(bracket);
  } while (text[at] == ',');
  return split;
}

}  // namespace scalediag::core
