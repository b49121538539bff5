// Lists of texts in one text.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::core {

// The texts of a range's elements in their order, with the separator between them; empty for none.
template <class Range, class TextOf> std::string join(const Range& range, std::string_view separator, TextOf text_of) {
  std::string all;
  bool first = true;
  for (const auto& element : range) {
    if (!first) all += separator;
    all += text_of(element);
    first = false;
  }
  return all;
}

// The same for a range of texts.
std::string join(const auto& texts, std::string_view separator = ", ") {
  return join(
      texts, separator, [](const auto& text) -> const auto& { return text; });
}

}  // namespace scalediag::core
