#include "fit/data/tables/spread_columns.h"

#include <string_view>

#include "fit/data/number_text.h"
#include "fit/data/tables/column_names.h"

namespace scalediag::fit {
namespace {

struct NumberedName {
  std::string name, number;
};

// "np=4", "np = 4", "4 ranks".
std::optional<NumberedName> numbered_name(std::string_view text) {
  const auto numbered = [](std::string_view name, std::string_view number) -> std::optional<NumberedName> {
    const bool is_whole = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
    if (!is_whole || name.empty() || guess_column(std::string(name)).use != ColumnUse::kProcesses) return std::nullopt;
    return NumberedName{std::string(name), std::string(number)};
  };
  text = trimmed(text);
  if (const size_t sign = text.find('='); sign != text.npos) {
    return numbered(trimmed(text.substr(0, sign)), trimmed(text.substr(sign + 1)));
  }
  const size_t blank = text.find(' ');
  return blank == text.npos ? std::nullopt : numbered(trimmed(text.substr(blank)), text.substr(0, blank));
}

}  // namespace

std::optional<SpreadColumns> SpreadColumns::of(const std::vector<std::string>& names) {
  SpreadColumns spread;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto column = numbered_name(names[i]);
    if (!column) {
      spread.others_.push_back(i);
      continue;
    }
    if (spread.processes_.empty()) spread.processes_ = column->name;
    if (guess_column(column->name).name != guess_column(spread.processes_).name) return std::nullopt;
    spread.columns_.push_back({i, column->number});
  }
  if (spread.columns_.size() < 2) return std::nullopt;
  return spread;
}

std::vector<std::string> SpreadColumns::gathered_names(const std::vector<std::string>& names) const {
  std::vector<std::string> gathered;
  for (const size_t place : others_) gathered.push_back(names[place]);
  gathered.push_back(processes_);
  gathered.emplace_back("value");
  return gathered;
}

void SpreadColumns::gather(const std::vector<std::string>& cells, size_t i, std::vector<std::string>& to) const {
  to.clear();
  for (const size_t place : others_) to.push_back(cells[place]);
  to.push_back(columns_[i].number);
  to.push_back(cells[columns_[i].place]);
}

}  // namespace scalediag::fit
