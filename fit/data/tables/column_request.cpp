#include "fit/data/tables/column_request.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/text/join.h"
#include "core/text/shell_words.h"
#include "core/text/suggestion.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr const char* kItems =
    "items are np=COLUMN, time=COLUMN[ms], kernel=COLUMN, skip=COLUMN, COLUMN==VALUE, decimal=comma";

// Splits at commas outside of double quotes, which are left out.
std::vector<std::string> items_of(const std::vector<std::string>& options) {
  std::vector<std::string> items;
  for (const std::string& option : options) {
    std::string item;
    bool quoted = false;
    for (const char c : option) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        items.push_back(item);
        item.clear();
      } else {
        item += c;
      }
    }
    items.push_back(item);
  }
  for (std::string& item : items) item = std::string(trimmed(item));
  std::erase_if(items, [](const std::string& item) { return item.empty(); });
  return items;
}

class RequestParser {
 public:
  explicit RequestParser(const std::vector<std::string>& header) : header_(header) {}

  core::Status take(const std::string& item) {
    if (const size_t equal = item.find("=="); equal != item.npos) {
      const Result<size_t> column = column_of(item.substr(0, equal), item);
      if (!column) return column.error();
      request_.only.emplace_back(column.value(), std::string(trimmed(std::string_view(item).substr(equal + 2))));
      return core::Done{};
    }
    const size_t equal = item.find('=');
    if (equal == item.npos || equal == 0) return wrong(item, "is no NAME=COLUMN", kItems);
    const std::string name(trimmed(std::string_view(item).substr(0, equal)));
    const std::string value(trimmed(std::string_view(item).substr(equal + 1)));
    if (name == "decimal") {
      if (value != "comma" && value != "point") return wrong(item, "is neither comma nor point", kItems);
      request_.decimal = value == "comma" ? DecimalMark::kComma : DecimalMark::kPoint;
      return core::Done{};
    }
    if (name == "table") return core::Done{};  // requested_table() has it
    if (name == "time") return take_time(value, item);
    const Result<size_t> column = column_of(value, item);
    if (!column) return column.error();
    if (name == "kernel") {
      if (request_.kernel) return wrong(item, "is a second column of kernels", kItems);
      request_.kernel = column.value();
    } else if (name == "skip") {
      request_.skipped.push_back(column.value());
    } else {
      const auto same = [&name](const auto& parameter) { return parameter.first == name; };
      if (std::any_of(request_.parameters.begin(), request_.parameters.end(), same)) {
        return wrong(item, "is a second column of " + name, "leave one out");
      }
      request_.parameters.emplace_back(name, column.value());
    }
    return core::Done{};
  }

  ColumnRequest finish() && { return std::move(request_); }

 private:
  static Error wrong(const std::string& item, const std::string& what, const std::string& hint) {
    return {ErrorCode::kUsage, "--columns: '" + shown(item) + "' " + what, hint, "--columns"};
  }

  // The column with exactly this name, else with it in other case.
  std::optional<size_t> find(const std::string& name) const {
    const auto exact = std::find(header_.begin(), header_.end(), name);
    if (exact != header_.end()) return static_cast<size_t>(exact - header_.begin());
    std::optional<size_t> found;
    for (size_t i = 0; i < header_.size(); ++i) {
      if (lower(header_[i]) != lower(name)) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  }

  Result<size_t> column_of(std::string_view text, const std::string& item) const {
    const std::string name(trimmed(text));
    if (std::count(header_.begin(), header_.end(), name) > 1) {
      return wrong(item, "names a column that is there more than once", "give the columns different names in the file");
    }
    if (const auto found = find(name)) return *found;
    const std::string question = core::did_you_mean(name, header_);
    const auto text_of = [](const std::string& column) { return shown(column); };
    return wrong(item, "names no column",
                 question + (question.empty() ? "" : " ") + "the table has: " + core::join(header_, ", ", text_of));
  }

  // The end of the column that a text begins with: names may have a slash, too, and the longest one counts.
  size_t end_of_column(std::string_view text) const {
    for (size_t end = text.size(); end > 0; end = text.rfind('/', end - 1)) {
      if (end == text.npos) break;
      if (find(std::string(trimmed(text.substr(0, end))))) return end;
    }
    return std::min(text.find('/'), text.size());
  }

  core::Status take_time(std::string value, const std::string& item) {
    RequestedTime time;
    const std::string whole = value;
    if (!find(value)) {
      const size_t begin = value.rfind('[');
      if (begin != value.npos && value.back() == ']') {
        time.unit = value.substr(begin + 1, value.size() - begin - 2);
        if (!seconds_per(time.unit)) return wrong(item, "has a unit that is none of us, ms, s, min, h", kItems);
        value = std::string(trimmed(std::string_view(value).substr(0, begin)));
      }
    }
    const size_t slash = value.find('/');
    const CellNumber number = cell_number(value.substr(0, slash), DecimalMark::kPoint);
    if (!find(value) && slash != value.npos && number.kind == CellKind::kNumber) {
      if (!(number.value > 0)) return wrong(item, "has a time that is not positive", kItems);
      if (!number.unit.empty() && !seconds_per(number.unit)) {
        return wrong(item, "has a unit that is none of us, ms, s, min, h", kItems);
      }
      time.numerator = number.value;
      if (!number.unit.empty()) time.unit = number.unit;
      std::string_view rest = std::string_view(value).substr(slash + 1);
      while (true) {
        const size_t end = end_of_column(rest);
        const Result<size_t> column = column_of(rest.substr(0, end), item);
        if (!column) return column.error();
        time.denominators.push_back(column.value());
        if (end == rest.size()) break;
        rest.remove_prefix(end + 1);
      }
      time.column = time.denominators.front();
    } else {
      const Result<size_t> column = column_of(value, item);
      if (!column) return column.error();
      time.column = column.value();
    }
    request_.times.push_back(std::move(time));
    return core::Done{};
  }

  const std::vector<std::string>& header_;
  ColumnRequest request_;
};

}  // namespace

Result<size_t> requested_table(const std::vector<std::string>& columns) {
  size_t table = 0;
  for (const std::string& item : items_of(columns)) {
    if (!item.starts_with("table=")) continue;
    const auto number = parse_number(std::string_view(item).substr(6));
    if (!number || !(*number >= 1) || *number > 1e6 || *number != std::floor(*number)) {
      return Error{ErrorCode::kUsage, "--columns: '" + shown(item) + "' has no number of a table",
                   "table=1 is the first one", "--columns"};
    }
    table = static_cast<size_t>(*number);
  }
  return table;
}

Result<ColumnRequest> parse_columns(const std::vector<std::string>& columns, const std::vector<std::string>& header) {
  RequestParser parser(header);
  for (const std::string& item : items_of(columns)) {
    if (core::Status taken = parser.take(item); !taken) return taken.error();
  }
  return std::move(parser).finish();
}

std::string columns_option(const std::string& text) { return "--columns " + core::quote_shell_word(text); }

}  // namespace scalediag::fit
