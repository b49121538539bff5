#include "core/text/value_list.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/most_ranks.h"
#include "core/text/formatted.h"

namespace scalediag::core {
namespace {

constexpr const char* kSyntaxHint =
    "a LIST is values separated by commas; 2..16 doubles from 2 to 16, 10..50:20 goes in steps of 20";

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Twelve digits hide the rounding of repeated steps (0.1 + 0.1 + 0.1).
std::string format_number(double value) { return formatted("%.12g", value); }

Error list_error(const std::string& message, const std::string& option) {
  return {ErrorCode::kUsage, option + ": " + message, kSyntaxHint, option};
}

Result<std::vector<ListValue>> expand_range(const std::string& item, size_t dots, const std::string& option) {
  const std::string_view view = item;
  const size_t colon = view.find(':', dots);
  const auto from = parse_number(view.substr(0, dots));
  const auto to = parse_number(view.substr(dots + 2, colon == view.npos ? view.npos : colon - dots - 2));
  if (!from || !to) return list_error("'" + item + "' is not a range of numbers", option);
  if (*to < *from) return list_error("the range '" + item + "' ends before it begins", option);

  std::vector<ListValue> values;
  if (colon == view.npos) {
    if (*from <= 0) return list_error("the range '" + item + "' doubles, so it must begin above 0", option);
    for (double v = *from; v <= *to; v *= 2) values.push_back({v, format_number(v)});
    if (values.back().value != *to) {
      return Error{ErrorCode::kUsage,
                   option + ": the range '" + item + "' doubles from " + values.front().text + " to " +
                       values.back().text + " and misses " + format_number(*to),
                   "write " + values.front().text + ".." + values.back().text + ", or for steps of 1 " + item + ":1",
                   option};
    }
    return values;
  }
  const auto step = parse_number(view.substr(colon + 1));
  if (!step || *step <= 0) return list_error("the step of '" + item + "' is not a number above 0", option);
  const double n_steps = (*to - *from) / *step;
  if (n_steps >= kMaxListValues) return list_error("the range '" + item + "' has too many values", option);
  // Half a millionth of a step of tolerance lets 0..1:0.1 reach 1.
  for (int k = 0; k <= n_steps + 5e-7; ++k) {
    const std::string text = format_number(*from + k * *step);
    values.push_back({*parse_number(text), text});
  }
  return values;
}

Result<std::vector<ListValue>> expand_item(const std::string& item, const std::string& option) {
  if (item.empty()) return list_error("the list has an empty item", option);
  if (const size_t dots = item.find(".."); dots != item.npos) return expand_range(item, dots, option);
  const auto value = parse_number(item);
  if (!value) {
    Error error = list_error("'" + item + "' is not a number", option);
    const size_t dash = item.find('-', 1);
    if (dash != item.npos && parse_number(item.substr(0, dash)) && parse_number(item.substr(dash + 1))) {
      error.hint = "write " + item.substr(0, dash) + ".." + item.substr(dash + 1) + ":1 for steps of 1";
    }
    return error;
  }
  return std::vector<ListValue>{{*value, item}};
}

}  // namespace

Result<std::vector<ListValue>> parse_value_list(const std::string& text, const std::string& option) {
  std::vector<ListValue> values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    auto item = TRY(expand_item(text.substr(begin, end - begin), option));
    for (const ListValue& value : item) {
      bool known = false;
      for (const ListValue& other : values) known = known || other.value == value.value;
      if (!known) values.push_back(value);
    }
    if (values.size() > kMaxListValues) return list_error("the list has too many values", option);
    begin = end + 1;
  }
  return values;
}

Result<std::vector<int>> parse_process_counts(const std::string& text) {
  auto values = TRY(parse_value_list(text, "-n"));
  std::vector<int> counts;
  for (const ListValue& value : values) {
    if (value.value < 1 || value.value > kMostRanks || value.value != std::floor(value.value)) {
      return Error{ErrorCode::kUsage, "-n: '" + value.text + "' is not a number of processes",
                   "give whole numbers from 1 to " + std::to_string(kMostRanks) + ", as in -n 2,4,8,16", "-n"};
    }
    counts.push_back(static_cast<int>(value.value));
  }
  return counts;
}

}  // namespace scalediag::core
