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

// The same for process counts: every value a whole number from 1 to 2^24.
Result<std::vector<int>> parse_process_counts(const std::string& text);

// The LIST of a range of numbers: "2,4,8".
template <class Numbers>
std::string list_of(const Numbers& numbers) {
  return join(numbers, ",", [](double number) { return to_text(number); });
}

}  // namespace scalediag::core
