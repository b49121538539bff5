#include "core/text/wrapping.h"

#include <algorithm>

#include "core/text/printable.h"
#include "core/text/shortening.h"
#include "core/text/table.h"

namespace scalediag::core {

std::string wrapped(const std::string& first, const std::string& raw, size_t width, size_t indent) {
  constexpr size_t kNarrowest = 40;
  const std::string text = printable(raw);
  if (width != kUnlimited) width = std::max(width, kNarrowest);
  std::string out, line = first;
  size_t length = display_width(first);
  size_t begin = 0;
  bool line_has_word = false;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (line_has_word && width != kUnlimited && length + 1 + display_width(word) > width) {
      out += line + "\n";
      line.assign(indent, ' ');
      length = indent;
      line_has_word = false;
    }
    if (line_has_word) {
      line += ' ';
      ++length;
    }
    line += word;
    length += display_width(word);
    line_has_word = true;
    begin = end + 1;
  }
  return out + line + "\n";
}

}  // namespace scalediag::core
