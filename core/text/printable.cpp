#include "core/text/printable.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace scalediag::core {
namespace {

struct CodePoints {
  char32_t first, last;
};

// Ranges in ascending order. Control characters; Bidi_Control and Default_Ignorable_Code_Point of Unicode 15
// (PropList.txt, DerivedCoreProperties.txt); U+2028 and U+2029; U+FFF9 to U+FFFB, interlinear annotations; surrogates,
// U+FFFE and U+FFFF, and values beyond the code points.
constexpr std::array<CodePoints, 22> kNotShown = {
    {{0x0, 0x1F},        {0x7F, 0x9F},          {0xAD, 0xAD},     {0x34F, 0x34F},     {0x61C, 0x61C},
     {0x115F, 0x1160},   {0x17B4, 0x17B5},      {0x180B, 0x180F}, {0x200B, 0x200F},   {0x2028, 0x202E},
     {0x2060, 0x206F},   {0x3164, 0x3164},      {0xD800, 0xDFFF}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
     {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},      {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
     {0xE0000, 0xE0FFF}, {0x110000, 0xFFFFFFFF}}};

struct Character {
  size_t bytes = 0;  // 0: no character of UTF-8 begins here
  char32_t code_point = 0;
};

Character character_at(std::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, first};
  const size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t code_point = first & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code_point = code_point << 6 | (byte(i) & 0x3Fu);
  }
  // The smallest character of each length: one with more bytes than it needs is refused. Two-byte ones of that kind
  // begin with 0xC0 and 0xC1, which are refused above.
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < kLeast[bytes] || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) return {};
  return {bytes, code_point};
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

void append_json_escape(char32_t code_point, std::string& out) {
  const auto append = [&out](unsigned unit) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "\\u%04x", unit);
    out += text.data();
  };
  if (code_point < 0x10000) return append(static_cast<unsigned>(code_point));
  append(static_cast<unsigned>(0xD800 + ((code_point - 0x10000) >> 10)));
  append(static_cast<unsigned>(0xDC00 + ((code_point - 0x10000) & 0x3FF)));
}

}  // namespace

bool is_shown(char32_t code_point) {
  const auto* range =
      std::ranges::find_if(kNotShown, [code_point](const CodePoints& r) { return code_point <= r.last; });
  return code_point < range->first;
}

size_t shown_bytes(std::string_view text) {
  const Character character = character_at(text);
  return character.bytes > 0 && is_shown(character.code_point) ? character.bytes : 0;
}

std::string printable(std::string_view text, std::string_view replacement, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (is_plain(text[i]) || kept.find(text[i]) != std::string_view::npos) {
      out += text[i++];
      continue;
    }
    const Character character = character_at(text.substr(i));
    const size_t bytes = std::max<size_t>(character.bytes, 1);
    out += character.bytes > 0 && is_shown(character.code_point) ? text.substr(i, bytes) : replacement;
    i += bytes;
  }
  return out;
}

std::string printable_json(std::string document) {
  // Outside of its texts JSON is ASCII, and in them it has no unescaped control character below U+0020.
  if (std::ranges::all_of(document, [](char c) { return is_plain(c) || c == '\n'; })) return document;
  std::string out;
  out.reserve(document.size() + document.size() / 64);
  const std::string_view text = document;
  for (size_t i = 0; i < text.size();) {
    const Character character = character_at(text.substr(i));
    const size_t bytes = std::max<size_t>(character.bytes, 1);
    const bool stays = text[i] == '\n' || character.bytes == 0 || is_shown(character.code_point);
    if (stays) {
      out += text.substr(i, bytes);
    } else {
      append_json_escape(character.code_point, out);
    }
    i += bytes;
  }
  return out;
}

}  // namespace scalediag::core
