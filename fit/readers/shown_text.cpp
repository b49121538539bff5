#include "fit/readers/shown_text.h"

#include <algorithm>
#include <cstdio>

namespace scalediag::fit {
namespace {

// Bytes of the character that begins at text[0]; 0 if none does that a terminal should get.
size_t printable_at(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const size_t length = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (first >= 0xF5 || length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // U+0080 to U+009F are control characters.
  return first == 0xC2 && byte(1) < 0xA0 ? 0 : length;
}

}  // namespace

std::string shown(std::string_view text, size_t most) {
  std::string out;
  size_t i = 0;
  while (i < text.size()) {
    const size_t length = printable_at(text.substr(i));
    const size_t next = i + std::max<size_t>(length, 1);
    if (next > most) return out + "...";
    if (length > 0) {
      out.append(text.substr(i, length));
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[i])));
      out += escaped;
    }
    i = next;
  }
  return out;
}

}  // namespace scalediag::fit
