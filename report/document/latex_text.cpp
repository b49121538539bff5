#include "report/document/latex_text.h"

#include "core/text/printable.h"

namespace scalediag::report {
namespace {

const char* escape_of(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '{':
      return "\\{";
    case '}':
      return "\\}";
    case '$':
      return "\\$";
    case '&':
      return "\\&";
    case '#':
      return "\\#";
    case '%':
      return "\\%";
    case '_':
      return "\\_\\allowbreak{}";
    case '/':
      return "/\\allowbreak{}";
    case '^':
      return "\\textasciicircum{}";
    case '~':
      return "\\textasciitilde{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "\\textquotedbl{}";
    case '`':
      return "\\textasciigrave{}";
    case '\'':
      return "\\textquotesingle{}";
    case '-':
      return "-{}";  // no dash is made of two
    default:
      return nullptr;
  }
}

}  // namespace

std::string latex_text(std::string_view text) {
  const std::string shown = core::printable(text);
  std::string out;
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto byte = static_cast<unsigned char>(shown[i]);
    if (shown.compare(i, 3, " - ") == 0) {
      out += " -- ";
      i += 2;
      continue;
    }
    if (byte < 0x80) {
      const char* escape = escape_of(shown[i]);
      if (escape == nullptr) {
        out += shown[i];
      } else {
        out += escape;
      }
      continue;
    }
    // Two bytes from U+00C0 to U+017F: Latin letters with accents, which T1 fonts have.
    const bool is_latin = byte >= 0xC3 && byte <= 0xC5 && i + 1 < shown.size();
    if (is_latin) {
      out += shown.substr(i, 2);
    } else {
      out += '?';
    }
    while (i + 1 < shown.size() && (static_cast<unsigned char>(shown[i + 1]) & 0xC0) == 0x80) ++i;
  }
  return out;
}

}  // namespace scalediag::report
