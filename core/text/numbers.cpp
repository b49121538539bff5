#include "core/text/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace scalediag::core {

std::string to_text(double value) {
  std::array<char, 32> text{};
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  const auto end = whole ? std::to_chars(text.data(), text.data() + text.size(), static_cast<long long>(value))
                         : std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string four_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

}  // namespace scalediag::core
