// Lists of texts in one text.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::core {

// The texts in their order with the separator between them; empty for none. `texts` is any range of texts.
template <class Texts>
std::string join(const Texts& texts, std::string_view separator = ", ") {
  std::string all;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) all += separator;
    all += text;
    first = false;
  }
  return all;
}

}  // namespace scalediag::core
