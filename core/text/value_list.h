// The LIST of `-n LIST` and `--param NAME=LIST`.
//
//   LIST  = item { "," item }
//   item  = number                 the value itself, text kept as typed
//         | a ".." b               a, 2a, 4a, ... up to b; b itself only if the doubling meets it
//         | a ".." b ":" step      a, a + step, ... up to b; b itself only if the steps meet it
//
// A value that occurs twice is taken once, at its first place.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "core/text/join.h"
#include "core/text/numbers.h"

namespace scalediag::core {

struct ListValue {
  double value = 0;
  std::string text;  // the text for the application's arguments
};

constexpr int kMaxListValues = 10000;

// `option` names the option in errors ("-n", "--param grid"). Errors (kUsage): an empty item, an item that is no
// number, a range that is empty or longer than kMaxListValues.
Result<std::vector<ListValue>> parse_value_list(const std::string& text, const std::string& option);

// The same for process counts: every value a whole number from 1 to kMostRanks.
Result<std::vector<int>> parse_process_counts(const std::string& text);

// The LIST of a range of numbers: "2,4,8".
std::string list_of(const auto& numbers) {
  return join(numbers, ",", [](double number) { return to_text(number); });
}

// The same for reading: of more than a dozen the first ones, the last one and how many there are.
std::string short_list_of(const auto& numbers) {
  constexpr size_t kMostListed = 12;
  if (numbers.size() <= kMostListed) return list_of(numbers);
  const std::vector<double> first(numbers.begin(), std::next(numbers.begin(), kMostListed - 2));
  return list_of(first) + ",..," + to_text(*std::prev(numbers.end())) + " (" + std::to_string(numbers.size()) +
         " values)";
}

}  // namespace scalediag::core
