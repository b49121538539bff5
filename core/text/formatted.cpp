#include "core/text/formatted.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace scalediag::core {

std::string formatted(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return {text, static_cast<size_t>(std::clamp(n, 0, static_cast<int>(sizeof text) - 1))};
}

}  // namespace scalediag::core
