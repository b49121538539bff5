#include "fit/data/runs/name_parameters.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>

#include "fit/data/number_text.h"

namespace scalediag::fit {
namespace {

bool is_numeric(char c) { return (c >= '0' && c <= '9') || c == '.' || c == ','; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == '.' || c == ',' || c == '_' || c == '-' || c == ' '; }

// Words in front of numbers that count runs or tell when they were made.
bool counts_runs(std::string word) {
  word = lower(word);
  constexpr std::string_view kCounting[] = {"r",       "run",   "rep",    "repeat", "repetition", "trial",
                                            "sample",  "test",  "job",    "jobid",  "id",         "seed",
                                            "profile", "file",  "scorep", "date",   "time",       "v",
                                            "version", "build", "part",   "exp",    "experiment", "talp"};
  return std::find(std::begin(kCounting), std::end(kCounting), word) != std::end(kCounting);
}

// Without ".r1" at the end.
std::string_view without_repeat(std::string_view name) {
  const size_t r = name.rfind(".r");
  if (r == name.npos || r + 2 == name.size()) return name;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(r) + 2, name.end(), is_digit) ? name.substr(0, r)
                                                                                              : name;
}

// "21,5." -> 21.5
std::optional<double> number_of(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), ',', '.');
  while (!plain.empty() && plain.back() == '.') plain.pop_back();
  return parse_number(plain);
}

// Words and numbers in turn, from a word on. Empty where a number comes first, or a word stands without one.
NamedNumbers words_and_numbers(std::string_view text) {
  NamedNumbers found;
  while (!text.empty()) {
    size_t end = 0;
    while (end < text.size() && !is_digit(text[end])) ++end;
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    while (!word.empty() && is_separator(word.front())) word.remove_prefix(1);
    while (!word.empty() && is_separator(word.back())) word.remove_suffix(1);
    if (text.empty()) return word.empty() ? found : NamedNumbers{};
    end = 0;
    while (end < text.size() && is_numeric(text[end])) ++end;
    const bool has_exponent = end + 2 < text.size() && (text[end] == 'e' || text[end] == 'E') &&
                              (text[end + 1] == '-' || text[end + 1] == '+') && is_digit(text[end + 2]);
    if (has_exponent) {
      for (end += 2; end < text.size() && is_digit(text[end]);) ++end;
    }
    const std::optional<double> value = number_of(text.substr(0, end));
    text.remove_prefix(end);
    const bool plain =
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalpha(c) || c == '_'; });
    if (word.empty() || !plain || !value) return {};
    if (!counts_runs(std::string(word))) found.emplace_back(word, *value);
  }
  return found;
}

}  // namespace

NamedNumbers parameters_in_name(std::string_view name, bool needs_prefix) {
  name = without_repeat(name);
  const size_t point = name.find('.');
  // A point inside a number is no end of a prefix: x1.5 has none.
  const bool has_prefix = point != name.npos && point + 1 < name.size() && !is_digit(name[point + 1]);
  if (needs_prefix && !has_prefix) return {};
  return words_and_numbers(has_prefix ? name.substr(point + 1) : name);
}

NamedNumbers parameters_of_path(const std::string& path) {
  const std::filesystem::path file(path);
  NamedNumbers found = parameters_in_name(file.parent_path().filename().string());
  return found.empty() ? parameters_in_name(file.stem().string(), true) : found;
}

}  // namespace scalediag::fit
