#include "fit/data/tables/timing_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/profile/metric_names.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "fit/data/extrap_text.h"
#include "fit/data/file_head.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"
#include "fit/data/tables/column_names.h"
#include "fit/data/tables/column_plan.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

// More configurations than any experiment has: the column is a measured value.
constexpr size_t kMostConfigurations = 100'000;

bool is_whole_program(const std::string& kernel) {
  const std::string name = lower(kernel);
  return name == "total" || name == "program" || name == "application" || name == "overall" || name == "all";
}

class TableReader {
 public:
  TableReader(TableText& table, const TableFacts& facts, const ColumnRequest& request, const ColumnPlan& plan,
              const std::string& file)
      : table_(table), facts_(facts), request_(request), plan_(plan), file_(file), builder_(names_of(plan)) {}

  core::Result<TimingTable> read() {
    table_.rewind();
    while (true) {
      const core::Result<bool> more = table_.next(row_);
      if (!more) return more.error();
      if (!more.value()) break;
      if (!is_wanted(row_, request_, facts_.mark)) continue;
      if (core::Status taken = take_row(); !taken) return taken.error();
    }
    TimingTable table;
    table.set = std::move(builder_).finish();
    if (values_ == 0) {
      return Error{ErrorCode::kInput, file_ + " has no time in any row", "name the column: --columns time=COLUMN",
                   file_};
    }
    describe(table);
    return table;
  }

 private:
  static std::vector<std::string> names_of(const ColumnPlan& plan) {
    std::vector<std::string> names;
    for (const PlannedParameter& parameter : plan.parameters) names.push_back(parameter.name);
    return names;
  }

  Error error(size_t column, const std::string& what, const std::string& hint) const {
    return {ErrorCode::kInput,
            file_ + ":" + std::to_string(row_.line) + ": '" + shown(row_.cells[column]) + "' of column '" +
                shown(table_.header()[column]) + "' " + what,
            hint, file_};
  }

  core::Status take_row() {
    at_.clear();
    const size_t processes = processes_parameter(builder_.parameter_names());
    for (const PlannedParameter& parameter : plan_.parameters) {
      const CellNumber number = cell_number(row_.cells[parameter.column], facts_.mark);
      if (number.kind != CellKind::kNumber || !number.unit.empty()) {
        return error(parameter.column, "is no number, and the column is the parameter " + shown(parameter.name),
                     "correct it, or leave the row out: " + columns_option("COLUMN==VALUE") + " takes other rows only");
      }
      if (at_.size() == processes && number.value != std::floor(number.value)) {
        return error(parameter.column, "is no whole number of " + shown(parameter.name),
                     "where a point separates thousands: --columns decimal=comma");
      }
      at_.push_back(number.value);
    }
    if (configurations_.size() <= kMostConfigurations && configurations_.insert(at_).second &&
        configurations_.size() > kMostConfigurations) {
      return error(plan_.parameters.front().column,
                   "is one of more than " + std::to_string(kMostConfigurations) + " values of " +
                       shown(plan_.parameters.front().name),
                   "name the column that is the number of processes: --columns np=COLUMN");
    }
    for (const PlannedTime& time : plan_.times) {
      if (core::Status taken = take_time(time); !taken) return taken;
    }
    return core::Done{};
  }

  core::Status take_time(const PlannedTime& time) {
    core::Result<std::optional<double>> value = value_of(time);
    if (!value) return value.error();
    if (!value.value()) {
      ++missing_;
      return core::Done{};
    }
    std::string kernel = time.kernel.empty() ? kProgram : time.kernel;
    if (plan_.kernel) {
      kernel = normalized_call_path(row_.cells[*plan_.kernel]);
      if (kernel.empty()) return error(*plan_.kernel, "names no kernel", "write its name, or leave the row out");
    }
    ++values_;
    builder_.add(kernel, plan_.in_seconds ? metric::kTime : "time", at_, std::span(&*value.value(), 1),
                 file_ + ":" + std::to_string(row_.line));
    return core::Done{};
  }

  // Nothing where a cell is empty.
  core::Result<std::optional<double>> value_of(const PlannedTime& time) const {
    if (!time.from.numerator) {
      const CellNumber number = cell_number(row_.cells[time.from.column], facts_.mark);
      if (number.kind == CellKind::kMissing) return std::optional<double>();
      const auto unit = seconds_per(number.unit);
      if (number.kind == CellKind::kText || (!number.unit.empty() && !unit)) {
        return error(time.from.column, "is no time", "leave the cell empty where nothing was measured");
      }
      return std::optional(number.value * unit.value_or(time.factor));
    }
    double value = *time.from.numerator * time.factor;
    for (const size_t column : time.from.denominators) {
      const CellNumber number = cell_number(row_.cells[column], facts_.mark);
      if (number.kind == CellKind::kMissing) return std::optional<double>();
      if (number.kind == CellKind::kText || !(number.value > 0)) {
        return error(column, "is no number above 0, and the time is a number over it",
                     "leave the cell empty where nothing was measured");
      }
      const bool is_percent = number.unit == "%" || table_.header()[column].find('%') != std::string::npos;
      value /= (is_percent ? number.value / 100 : number.value) * seconds_per(number.unit).value_or(1);
    }
    return std::optional(value);
  }

  void describe(TimingTable& to) const {
    for (size_t i = 0; i < table_.header().size(); ++i) {
      to.columns.push_back({table_.header()[i], plan_.taken[i], facts_.columns[i].first});
    }
    to.layout = table_.layout();
    if (facts_.mark == DecimalMark::kComma) to.layout += ", decimal commas";
    to.layout +=
        ": " + core::counted(facts_.rows, "row") + ", " + core::counted(configurations_.size(), "configuration");
    if (missing_ > 0) to.layout += ", " + core::counted(missing_, "empty cell") + " left out";
    to.in_seconds = plan_.in_seconds;
    for (const Series& series : to.set.series) {
      const bool is_whole = plan_.kernel ? is_whole_program(series.kernel) : series.kernel == kProgram;
      if (is_whole && to.whole_program.empty()) to.whole_program = series.kernel;
    }
  }

  TableText& table_;
  const TableFacts& facts_;
  const ColumnRequest& request_;
  const ColumnPlan& plan_;
  const std::string& file_;
  SeriesBuilder builder_;
  TableRow row_;
  std::vector<double> at_;
  std::set<std::vector<double>> configurations_;
  size_t missing_ = 0, values_ = 0;
};

// Names of a number of processes, or columns of several, and of a time.
bool tells_times(const std::vector<std::string>& names) {
  const auto any = [&names](ColumnUse use) {
    return std::any_of(names.begin(), names.end(),
                       [use](const std::string& name) { return guess_column(name).use == use; });
  };
  return SpreadColumns::of(names).has_value() ||
         (any(ColumnUse::kProcesses) && (any(ColumnUse::kTime) || any(ColumnUse::kExtreme)));
}

bool is_row_of_numbers(std::string_view line) {
  TokenReader words(line);
  size_t numbers = 0;
  while (const auto word = words.next()) {
    if (!parse_number(*word)) return false;
    ++numbers;
  }
  return numbers > 1;
}

}  // namespace

bool is_timing_table(std::string_view text) {
  if (is_spreadsheet(text)) return true;
  constexpr size_t kHead = 64 * 1024;
  text = text.substr(0, kHead);
  if (text.find('\0') != text.npos) return false;
  if (is_extrap_text(text)) return false;
  if (const std::string file; TableText::of(text, file, 1).ok()) return true;
  // A damaged table is still one: its first line with content has several cells.
  const std::string_view line = first_content_line(text);
  return line.find_first_of(",;\t|&") != line.npos || is_row_of_numbers(line);
}

core::Result<TimingTable> read_timing_table(std::string_view text, const std::string& file,
                                            const std::vector<std::string>& columns) {
  const core::Result<size_t> which = requested_table(columns);
  if (!which) return which.error();
  core::Result<TableText> table = TableText::of(text, file, which.value(), tells_times);
  if (!table) return table.error();
  const core::Result<ColumnRequest> request = parse_columns(columns, table.value().header());
  if (!request) return request.error();
  const core::Result<TableFacts> facts = table_facts(table.value(), request.value(), file);
  if (!facts) return facts.error();
  const core::Result<ColumnPlan> plan = plan_columns(table.value(), facts.value(), request.value(), file);
  if (!plan) return plan.error();
  return TableReader(table.value(), facts.value(), request.value(), plan.value(), file).read();
}

}  // namespace scalediag::fit
