#include "report/render/html/escape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "core/text/printable.h"

namespace scalediag::report::html {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The character that the escape at `json[at]`, a backslash, stands for, and its length; for a pair of surrogates both.
struct JsonEscape {
  char32_t code_point = 0;
  size_t length = 2;
};

char32_t hexadecimal(std::string_view digits) {
  unsigned value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

JsonEscape escape_at(std::string_view json, size_t at) {
  const char kind = at + 1 < json.size() ? json[at + 1] : ' ';
  if (kind == 'b' || kind == 'f') return {U'\b', 2};
  if (kind != 'u' || at + 6 > json.size()) return {U' ', 2};  // \n, \t, a quote, a backslash: allowed in pages
  const char32_t first = hexadecimal(json.substr(at + 2, 4));
  if (first < 0xD800 || first > 0xDBFF || json.substr(at + 6, 2) != "\\u") return {first, 6};
  return {0x10000 + ((first - 0xD800) << 10) + (hexadecimal(json.substr(at + 8, 4)) - 0xDC00), 12};
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : core::printable(text, kReplacement, "\n\t")) {
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
        out += c;
    }
  }
  return out;
}

void append_script_json(std::string_view json, std::string& out) {
  // A table, since a report's JSON is megabytes, in which these characters are rare.
  constexpr std::array<bool, 256> kSpecial = [] {
    std::array<bool, 256> special{};
    for (const unsigned char c : {'<', '>', '&', '\\'}) special[c] = true;
    for (size_t c = 0x7F; c < special.size(); ++c) special[c] = true;
    return special;
  }();
  out.reserve(out.size() + json.size() + json.size() / 64);
  size_t copied = 0;
  for (size_t i = 0; i < json.size();) {
    if (!kSpecial[static_cast<unsigned char>(json[i])]) {
      ++i;
      continue;
    }
    size_t length = 1;
    std::string_view instead;
    if (json[i] == '<' || json[i] == '>' || json[i] == '&') {
      instead = json[i] == '<' ? "\\u003c" : json[i] == '>' ? "\\u003e" : "\\u0026";
    } else if (json[i] == '\\') {
      const JsonEscape escape = escape_at(json, i);
      length = escape.length;
      if (!core::is_shown(escape.code_point)) instead = kReplacement;
    } else {
      const size_t shown = core::shown_bytes(json.substr(i));
      length = std::max<size_t>(shown, 1);
      if (shown == 0) {
        instead = kReplacement;
        // The remaining bytes of a character that is not shown are skipped with it.
        const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
        while (length < 4 && i + length < json.size() && continues(json[i + length])) ++length;
      }
    }
    if (!instead.empty()) {
      out.append(json.substr(copied, i - copied)).append(instead);
      copied = i + length;
    }
    i += length;
  }
  out.append(json.substr(std::min(copied, json.size())));
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
