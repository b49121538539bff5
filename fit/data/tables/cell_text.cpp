#include "fit/data/tables/cell_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/data/number_text.h"

namespace scalediag::fit {
namespace {

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

struct TimeUnit {
  const char* name;
  double seconds;
};
constexpr TimeUnit kTimeUnits[] = {
    {"s", 1},
    {"sec", 1},
    {"secs", 1},
    {"second", 1},
    {"seconds", 1},
    {"ms", 1e-3},
    {"msec", 1e-3},
    {"msecs", 1e-3},
    {"millis", 1e-3},
    {"millisecond", 1e-3},
    {"milliseconds", 1e-3},
    {"us", 1e-6},
    {"usec", 1e-6},
    {"usecs", 1e-6},
    {"microsecond", 1e-6},
    {"microseconds", 1e-6},
    {"\xC2\xB5s", 1e-6},
    {"\xCE\xBCs", 1e-6},
    {"ns", 1e-9},
    {"nsec", 1e-9},
    {"nanosecond", 1e-9},
    {"nanoseconds", 1e-9},
    {"min", 60},
    {"mins", 60},
    {"minute", 60},
    {"minutes", 60},
    {"h", 3600},
    {"hr", 3600},
    {"hrs", 3600},
    {"hour", 3600},
    {"hours", 3600},
};

bool is_missing(std::string_view cell) {
  if (cell.empty()) return true;
  if (is_digit_char(cell.front()) || cell.size() > 4) return false;
  const std::string word = lower(cell);
  constexpr std::string_view kMissing[] = {"-",    "--",   "---", "n/a",          "na",          "nan",
                                           "null", "none", "?",   "\xE2\x80\x93", "\xE2\x80\x94"};
  return std::find(std::begin(kMissing), std::end(kMissing), word) != std::end(kMissing);
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) text.replace(at, what.size(), by);
}

// Those that do not break a line and the narrow ones become blanks.
void make_blanks_usual(std::string& text) {
  for (const std::string_view blank : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"}) replace_all(text, blank, " ");
}

// The text in the braces of "\textbf{12}" in place of the whole.
void open_commands(std::string& text) {
  for (const std::string_view command : {"\\textbf{", "\\textit{", "\\emph{", "\\mathbf{", "\\num{", "\\texttt{"}) {
    for (size_t at = 0; (at = text.find(command, at)) != text.npos;) {
      const size_t end = text.find('}', at);
      if (end == text.npos) return;
      text.erase(end, 1);
      text.erase(at, command.size());
    }
  }
}

}  // namespace

std::optional<double> seconds_per(std::string_view unit) {
  const std::string name = lower(unit);
  for (const TimeUnit& known : kTimeUnits) {
    if (name == known.name) return known.seconds;
  }
  return std::nullopt;
}

std::string plain_cell(std::string_view cell) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
  std::string text(cell);
  if (text.find_first_of("\\$*`~{\xC2\xE2") == text.npos) return text;
  open_commands(text);
  for (const std::string_view mark : {"**", "`", "$"}) replace_all(text, mark, "");
  replace_all(text, "{,}", ",");
  replace_all(text, "\\pm", "+-");
  replace_all(text, "\xC2\xB1", "+-");
  for (const std::string_view blank : {"\\,", "~"}) replace_all(text, blank, " ");
  make_blanks_usual(text);
  for (const std::string_view escaped : {"\\%", "\\_", "\\#", "\\|", "\\&"}) {
    replace_all(text, escaped, escaped.substr(1));
  }
  return std::string(trimmed(text));
}

std::string csv_cell(std::string_view cell) {
  const std::string plain = plain_cell(cell);
  if (plain == cell) return plain;
  for (const DecimalMark mark : {DecimalMark::kPoint, DecimalMark::kComma}) {
    if (cell_number(plain, mark).kind != CellKind::kText) return plain;
  }
  std::string text(cell);
  make_blanks_usual(text);
  return std::string(trimmed(text));
}

namespace {

// "0m12.3s" as shells have it, "2m 43s", "1h 2m", in seconds. Nothing where there is one unit only.
std::optional<double> time_in_units(std::string_view text) {
  constexpr std::pair<char, double> kUnits[] = {{'h', 3600}, {'m', 60}, {'s', 1}};
  double seconds = 0;
  int parts = 0;
  for (const auto& [unit, factor] : kUnits) {
    const size_t end = text.find(unit);
    if (end == text.npos) continue;
    const auto value = parse_number(trimmed(text.substr(0, end)));
    if (!value || !(*value >= 0)) return std::nullopt;
    seconds += *value * factor;
    ++parts;
    text.remove_prefix(end + 1);
  }
  return parts > 1 && text.empty() ? std::optional(seconds) : std::nullopt;
}

// "1:02:03", "2-01:02:03" as Slurm has it, "1:02.5", in seconds, and those of time_in_units(). Nothing for "1:02",
// which may be hours or minutes.
std::optional<double> clock_time(std::string_view cell, DecimalMark mark) {
  std::string text(cell);
  if (mark == DecimalMark::kComma) std::replace(text.begin(), text.end(), ',', '.');
  if (text.find_first_of("hm") != text.npos) return time_in_units(text);
  double days = 0;
  std::string_view rest = text;
  if (const size_t dash = rest.find('-'); dash != rest.npos) {
    const auto value = parse_number(rest.substr(0, dash));
    if (!value || !(*value >= 0)) return std::nullopt;
    days = *value;
    rest.remove_prefix(dash + 1);
  }
  double value = 0;
  size_t parts = 0;
  bool has_point = false;
  while (true) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (part.empty() || part.find_first_not_of("0123456789.") != part.npos) return std::nullopt;
    const auto number = parse_number(part);
    if (!number) return std::nullopt;
    has_point = part.find('.') != part.npos;
    value = value * 60 + *number;
    ++parts;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (parts == 3 || (parts == 2 && has_point && days == 0)) return days * 86400 + value;
  return std::nullopt;
}

}  // namespace

CellNumber cell_number(std::string_view cell, DecimalMark mark) {
  cell = trimmed(cell);
  if (is_missing(cell)) return {CellKind::kMissing, 0, ""};
  // The number reaches as far as its characters do; a group of three digits may stand behind one blank.
  size_t end = 0, in_front = 0;  // digits since the begin, or since the last mark of a group
  bool is_grouped = false;
  std::string digits;
  const char group = mark == DecimalMark::kPoint ? ',' : '.';
  const char decimal = mark == DecimalMark::kPoint ? '.' : ',';
  while (end < cell.size()) {
    const char c = cell[end];
    const bool is_sign = (c == '+' || c == '-') && (end == 0 || cell[end - 1] == 'e' || cell[end - 1] == 'E');
    const bool is_exponent = (c == 'e' || c == 'E') && end > 0 && end + 1 < cell.size() &&
                             (is_digit_char(cell[end + 1]) || cell[end + 1] == '-' || cell[end + 1] == '+');
    if (is_digit_char(c) || is_sign || is_exponent) {
      digits += c;
      if (is_digit_char(c)) ++in_front;
    } else if (c == decimal) {
      digits += '.';
    } else if (c == group || c == ' ' || c == '\'') {
      // Groups have three digits, and the next character is none.
      size_t of_group = 0;
      while (end + 1 + of_group < cell.size() && is_digit_char(cell[end + 1 + of_group])) ++of_group;
      const bool may_follow = is_grouped ? in_front == 3 : in_front > 0 && in_front <= 3;
      if (of_group != 3 || !may_follow || digits.find_first_of(".eE") != digits.npos) break;
      is_grouped = true;
      in_front = 0;
    } else {
      break;
    }
    ++end;
  }
  const auto value = parse_number(digits);
  if (!value || digits.empty()) return {};
  const bool is_clock =
      end < cell.size() && (cell[end] == ':' || cell[end] == '-' || cell[end] == 'm' || cell[end] == 'h');
  if (is_clock) {
    if (const auto seconds = clock_time(cell, mark)) return {CellKind::kNumber, *seconds, "s"};
  }
  std::string_view rest = trimmed(cell.substr(end));
  const bool has_spread = rest.starts_with("+-") || rest.starts_with("+/-") || rest.starts_with("(");
  if (has_spread) rest = {};
  if (rest.empty()) return {CellKind::kNumber, *value, ""};
  const std::string unit(rest);
  if (unit == "%" || unit == "x" || unit == "X" || unit == "\xC3\x97" || seconds_per(unit))
    return {CellKind::kNumber, *value, unit};
  return {};
}

}  // namespace scalediag::fit
