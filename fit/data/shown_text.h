// Text of a file in a form that can be shown in a message.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::fit {

// Bytes of characters that may not be shown (core/text/printable.h) become "\x00". At most `most` bytes of `text` are
// shown, followed by "..." where there are more.
std::string shown(std::string_view text, size_t most = 40);

}  // namespace scalediag::fit
