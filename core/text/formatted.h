// Text made as printf() makes it.
#pragma once

#include <string>

namespace scalediag::core {

// std::snprintf() into a text of at most 511 bytes; more is cut off.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

}  // namespace scalediag::core
