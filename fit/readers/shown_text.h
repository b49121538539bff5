// What stands in a file, as it can be shown in a message.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::fit {

// Bytes of characters that may not be shown (core/printable.h) become "\x00"; at most `most` bytes of `text` are shown,
// "..." tells of the rest.
std::string shown(std::string_view text, size_t most = 40);

}  // namespace scalediag::fit
