#include "report/html/escape.h"

#include <array>
#include <cstdint>

namespace scalediag::report::html {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
          out += "\xEF\xBF\xBD";
        } else {
          out += c;
        }
    }
  }
  return out;
}

void append_script_json(std::string_view json, std::string& out) {
  // A report's JSON is megabytes, in which these are rare.
  constexpr std::array<bool, 256> kSpecial = [] {
    std::array<bool, 256> special{};
    for (const unsigned char c : {'<', '>', '&', '\xE2'}) special[c] = true;
    return special;
  }();
  out.reserve(out.size() + json.size() + json.size() / 64);
  size_t copied = 0;
  for (size_t i = 0; i < json.size(); ++i) {
    if (!kSpecial[static_cast<unsigned char>(json[i])]) continue;
    const bool ends_line = json.substr(i, 3) == "\xE2\x80\xA8" || json.substr(i, 3) == "\xE2\x80\xA9";
    if (json[i] == '\xE2' && !ends_line) continue;
    out.append(json.substr(copied, i - copied));
    if (ends_line) {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i] == '<' ? "\\u003c" : json[i] == '>' ? "\\u003e" : "\\u0026";
    }
    copied = i + 1;
  }
  out.append(json.substr(copied));
}

std::string csp_hash(std::string_view sha256_hex) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto nibble = [](char c) { return static_cast<uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); };
  std::string out = "sha256-";
  // Three bytes are six hexadecimal digits and four of base 64.
  for (size_t i = 0; i < sha256_hex.size(); i += 6) {
    const std::string_view group = sha256_hex.substr(i, 6);
    uint32_t bits = 0;
    for (size_t d = 0; d < 6; ++d) bits = bits << 4 | (d < group.size() ? nibble(group[d]) : 0);
    // A group that ends early has a digit for each six bits begun; "=" fills it up.
    for (size_t d = 0; d < 4; ++d) out += d * 6 < group.size() * 4 ? kDigits[bits >> (18 - 6 * d) & 63] : '=';
  }
  return out;
}

}  // namespace scalediag::report::html
