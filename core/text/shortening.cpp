#include "core/text/shortening.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>

#include "core/text/function_name.h"
#include "core/text/printable.h"

namespace scalediag::core {
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

// The number of code points that all texts begin with.
size_t common_beginning(const std::set<std::string>& texts) {
  const std::string& first = *texts.begin();
  size_t bytes = first.size();
  for (const std::string& text : texts) {
    const auto [a, b] =
        std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(bytes), text.begin(), text.end());
    bytes = static_cast<size_t>(a - first.begin());
  }
  while (bytes > 0 && bytes < first.size() && !starts_code_point(first[bytes])) --bytes;
  return display_width(first.substr(0, bytes));
}

// The part of the text that contains the code point `at`, with a little of the text before it.
std::string window(const std::string& text, size_t width, size_t at) {
  constexpr size_t kBefore = 4;
  const size_t length = display_width(text);
  size_t begin = at > kBefore ? at - kBefore : 0;
  if (begin <= kGap.size()) begin = 0;
  const std::string front(begin > 0 ? kGap : "");
  const std::string rest = text.substr(bytes_of(text, begin));
  if (front.size() + (length - begin) <= width) return front + rest;
  return front + rest.substr(0, bytes_of(rest, width - front.size() - kGap.size())) + std::string(kGap);
}

// "[5 functions with too few samples]" -> "[5 functions ...]": as many words as fit. Empty for other names, and where
// no word fits.
std::string shorten_description(const std::string& name, size_t width) {
  if (name.size() < 2 || name.front() != '[' || name.back() != ']') return "";
  const std::string end = " " + std::string(kGap) + "]";
  if (width <= end.size()) return "";
  const size_t blank = name.rfind(' ', bytes_of(name, width - end.size()));
  return blank == std::string::npos ? "" : name.substr(0, blank) + end;
}

}  // namespace

size_t display_width(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(text, starts_code_point));
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
  if (std::string description = shorten_description(name, width); !description.empty()) return description;
  std::string shorter = without_return_type(name);
  if (display_width(shorter) > width) shorter = without_template_arguments(shorter).value_or(shorter);
  if (display_width(shorter) > width) shorter = without_parameters(shorter);
  if (display_width(shorter) > width) shorter = without_anonymous_namespaces(shorter);
  if (display_width(shorter) <= width) return shorter;
  const size_t scope = shorter.rfind("::");
  if (scope != std::string::npos && display_width(shorter.substr(scope)) + kGap.size() <= width) {
    std::string end = shorten_front(shorter, width);
    while (end.starts_with("....")) end.erase(0, 1);  // the gap meets that of template arguments
    return end;
  }
  const std::string plain = plain_function(shorter);
  if (display_width(plain) <= width) return plain;
  const size_t own = plain.rfind("::");
  return shorten_middle(own == std::string::npos ? plain : plain.substr(own + 2), width);
}

std::vector<std::string> shorten_apart(const std::vector<std::string>& texts, size_t width,
                                       std::string (*shorten)(const std::string&, size_t)) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(shorten(text, width));
  // Each round tells at least two texts of a group apart.
  for (size_t round = 0; round < texts.size(); ++round) {
    std::map<std::string, std::set<std::string>> alike;
    for (size_t i = 0; i < texts.size(); ++i) alike[all[i]].insert(texts[i]);
    bool changed = false;
    for (size_t i = 0; i < texts.size(); ++i) {
      const std::set<std::string>& group = alike.at(all[i]);
      if (group.size() < 2 || display_width(texts[i]) <= width) continue;
      const std::string apart = window(texts[i], width, common_beginning(group));
      changed = changed || apart != all[i];
      all[i] = apart;
    }
    if (!changed) break;
  }
  return all;
}

}  // namespace scalediag::core
