// Lines of a text, and the numbers and words in them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalediag::fit {

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Lower case of ASCII letters.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

inline std::string_view without_byte_order_mark(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  return text;
}

// The lines of a text, without a byte order mark and the ends of lines, LF or CR LF.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(without_byte_order_mark(text)) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  size_t number() const { return number_; }  // of the last line, from 1

 private:
  std::string_view rest_;
  size_t number_ = 0;
};

// The whole of `token` as a number, independent of the locale. "nan" and "inf" become numbers that are not finite, as
// does a number too large for a double; one too small for a double becomes 0.
inline std::optional<double> parse_number(std::string_view token) {
  if (!token.empty() && token.front() == '+') token.remove_prefix(1);
  if (token.empty() || token.front() == '+') return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (end != token.data() + token.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not distinguish too large from too small, but strtod does. The locale changes only its decimal
    // point, which does not matter here.
    const bool small = std::abs(std::strtod(std::string(token).c_str(), nullptr)) < 1;
    const double size = small ? 0.0 : std::numeric_limits<double>::infinity();
    return token.front() == '-' ? -size : size;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

// Words between blanks.
class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    rest_ = trimmed(rest_);
    if (rest_.empty()) return std::nullopt;
    const size_t end = rest_.find_first_of(" \t");
    const std::string_view token = rest_.substr(0, end);
    rest_.remove_prefix(token.size());
    return token;
  }

 private:
  std::string_view rest_;
};

inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (TokenReader tokens(line); const auto token = tokens.next();) words.push_back(*token);
  return words;
}

}  // namespace scalediag::fit
