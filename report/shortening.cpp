#include "report/shortening.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace scalediag::report {
namespace {

constexpr std::string_view kGap = "...";

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The first byte after the first `n` code points.
size_t bytes_of(const std::string& text, size_t n) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if (starts_code_point(text[at]) && seen++ == n) break;
  }
  return at;
}

// Brackets of operator<, operator<<, operator->, operator(): part of a name, they open and close nothing.
size_t length_of_operator(std::string_view text) {
  constexpr std::string_view kWord = "operator";
  if (text.substr(0, kWord.size()) != kWord) return 0;
  for (const std::string_view symbol : {"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (text.substr(kWord.size(), symbol.size()) == symbol) return kWord.size() + symbol.size();
  }
  return 0;
}

// Replaces what stands in outermost pairs of angle brackets by "..."; nothing where they do not pair.
std::optional<std::string> without_template_arguments(const std::string& name) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size();) {
    if (const size_t length = length_of_operator(std::string_view(name).substr(i)); length > 0) {
      if (depth == 0) out.append(name, i, length);
      i += length;
      continue;
    }
    const bool arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';  // of a trailing return type
    if (name[i] == '<' && depth++ == 0) out += "<...";
    if (name[i] == '>' && !arrow && --depth < 0) return std::nullopt;
    if (depth == 0) out += name[i];
    ++i;
  }
  if (depth != 0) return std::nullopt;
  return out;
}

// Replaces the last outermost pair of parentheses, which holds the parameters; "(anonymous namespace)" stays.
std::string without_parameters(const std::string& name) {
  const size_t close = name.rfind(')');
  if (close == std::string::npos) return name;
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      const bool part_of_name = close + 1 < name.size() && name[close + 1] == ':';
      return part_of_name || close == i + 1 ? name : name.substr(0, i + 1) + "..." + name.substr(close);
    }
  }
  return name;
}

}  // namespace

size_t display_width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string shorten_middle(const std::string& text, size_t width) {
  const size_t length = display_width(text);
  if (length <= width) return text;
  if (width <= kGap.size()) return text.substr(0, bytes_of(text, width));
  const size_t kept = width - kGap.size();
  const size_t front = (kept + 1) / 2;
  return text.substr(0, bytes_of(text, front)).append(kGap) + text.substr(bytes_of(text, length - (kept - front)));
}

std::string shorten_front(const std::string& text, size_t width) {
  const size_t length = display_width(text);
  if (length <= width) return text;
  if (width <= kGap.size()) return text.substr(bytes_of(text, length - width));
  return std::string(kGap) + text.substr(bytes_of(text, length - (width - kGap.size())));
}

std::string shorten_function(const std::string& name, size_t width) {
  if (display_width(name) <= width) return name;
  std::string shorter = without_template_arguments(name).value_or(name);
  if (display_width(shorter) > width) shorter = without_parameters(shorter);
  const size_t scope = shorter.rfind("::");
  const bool own_name_fits = scope != std::string::npos && display_width(shorter.substr(scope)) + kGap.size() <= width;
  return own_name_fits ? shorten_front(shorter, width) : shorten_middle(shorter, width);
}

std::string without_anonymous_namespaces(std::string name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (size_t at = name.find(kAnonymous); at != name.npos; at = name.find(kAnonymous, at)) {
    name.erase(at, kAnonymous.size());
  }
  return name;
}

std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return text;
}

}  // namespace scalediag::report
