#include "fit/data/shown_text.h"

#include <algorithm>
#include <cstdio>

#include "core/text/printable.h"

namespace scalediag::fit {

std::string shown(std::string_view text, size_t most) {
  std::string out;
  size_t i = 0;
  while (i < text.size()) {
    const size_t length = core::shown_bytes(text.substr(i));
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
