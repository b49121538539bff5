#include "fit/data/tables/column_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"
#include "fit/data/tables/column_names.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

// The first of two columns that mean the same is the number of processes.
constexpr std::string_view kByPriority[] = {"np", "cores", "gpus", "nodes", "threads"};

constexpr const char* kLeftOut = "left out";

class Planner {
 public:
  Planner(TableText& table, const TableFacts& facts, const ColumnRequest& request, const std::string& file)
      : table_(table), facts_(facts), request_(request), file_(file), header_(table.header()) {
    plan_.taken.resize(header_.size());
    for (const std::string& name : header_) guesses_.push_back(guess_column(name));
    // Beside "time (max)", "time (min)" is the least and no minutes.
    const bool has_extreme = std::any_of(guesses_.begin(), guesses_.end(),
                                         [](const ColumnGuess& g) { return g.use == ColumnUse::kExtreme; });
    for (ColumnGuess& guess : guesses_) {
      if (has_extreme && guess.use == ColumnUse::kTime && lower(guess.unit) == "min") {
        guess = {ColumnUse::kExtreme, "", ""};
      }
    }
    // A column that no name tells of is the time where all of its cells have a unit of time, and no other one is.
    std::vector<size_t> in_units;
    for (size_t i = 0; i < guesses_.size(); ++i) {
      const std::set<std::string>& units = facts_.columns[i].units;
      const bool are_times = !units.empty() && std::all_of(units.begin(), units.end(), [](const std::string& unit) {
        return seconds_per(unit).has_value();
      });
      if (guesses_[i].use == ColumnUse::kUnknown && !facts_.columns[i].is_text() && are_times) in_units.push_back(i);
    }
    if (in_units.size() == 1 && guessed(ColumnUse::kTime).empty()) {
      guesses_[in_units.front()] = {ColumnUse::kTime, "", ""};
    }
  }

  core::Result<ColumnPlan> plan() {
    for (const size_t column : request_.skipped) plan_.taken[column] = kLeftOut;
    for (const auto& [column, value] : request_.only) plan_.taken[column] = "only rows with " + shown(value);
    for (const auto step :
         {&Planner::choose_processes, &Planner::choose_sizes, &Planner::choose_kernels, &Planner::choose_times,
          &Planner::take_parts, &Planner::find_units, &Planner::check_leftovers}) {
      if (core::Status done = (this->*step)(); !done) return done.error();
    }
    return std::move(plan_);
  }

 private:
  bool is_open(size_t column) const { return plan_.taken[column].empty(); }
  std::string name(size_t column) const { return "'" + shown(header_[column]) + "'"; }
  std::string all_columns() const {
    return core::join(header_, ", ", [](const std::string& column) { return shown(column); });
  }
  // A name in an item: one with a comma stands in double quotes.
  std::string item(size_t column) const {
    return header_[column].find(',') == std::string::npos ? header_[column] : '"' + header_[column] + '"';
  }
  Error ask(const std::string& what, const std::string& hint) const {
    return {ErrorCode::kInput, file_ + ": " + what, hint, file_};
  }
  std::string option(const std::string& name, size_t column) const { return columns_option(name + "=" + item(column)); }
  // "--columns np=A or --columns np=B"
  std::string options(const std::string& name, const std::vector<size_t>& columns) const {
    return core::join(columns, " or ", [&](size_t column) { return option(name, column); });
  }
  std::vector<size_t> guessed(ColumnUse use) const {
    std::vector<size_t> columns;
    for (size_t i = 0; i < header_.size(); ++i) {
      if (guesses_[i].use == use && is_open(i)) columns.push_back(i);
    }
    return columns;
  }
  void take_parameter(const std::string& parameter, size_t column) {
    plan_.parameters.push_back({parameter, column});
    plan_.taken[column] = parameter == header_[column] ? "a parameter" : "the parameter " + parameter;
    const bool is_processes =
        std::find(std::begin(kByPriority), std::end(kByPriority), parameter) != std::end(kByPriority);
    if (is_processes) plan_.taken[column] = "the number of processes, " + parameter;
  }

  core::Status choose_processes() {
    for (const auto& [parameter, column] : request_.parameters) take_parameter(parameter, column);
    std::vector<size_t> columns = guessed(ColumnUse::kProcesses);
    if (!plan_.parameters.empty()) {
      for (const size_t column : columns) plan_.taken[column] = kLeftOut;
      return core::Done{};
    }
    const auto varies = [this](size_t column) { return facts_.columns[column].varies(); };
    const bool any_varies = std::any_of(columns.begin(), columns.end(), varies);
    for (const size_t column : columns) {
      if (any_varies && !varies(column))
        plan_.taken[column] = "left out, always " + shown(facts_.columns[column].first);
    }
    columns = guessed(ColumnUse::kProcesses);
    // "MPI" is the library's name where the cells are texts.
    const auto is_text = [this](size_t column) { return facts_.columns[column].is_text(); };
    if (!std::all_of(columns.begin(), columns.end(), is_text)) std::erase_if(columns, is_text);
    if (columns.empty()) {
      return ask("no column is the number of processes by its name (" + all_columns() + ")",
                 "name it, for example " + option("np", first_whole()));
    }
    const auto priority = [this](size_t column) {
      return std::find(std::begin(kByPriority), std::end(kByPriority), guesses_[column].name) - std::begin(kByPriority);
    };
    std::stable_sort(columns.begin(), columns.end(), [&](size_t a, size_t b) { return priority(a) < priority(b); });
    const size_t chosen = columns.front();
    for (size_t i = 1; i < columns.size(); ++i) {
      const core::Result<std::optional<std::string>> follows = relation_of(columns[i], chosen);
      if (!follows) return follows.error();
      if (!follows.value()) {
        return ask(name(chosen) + " and " + name(columns[i]) + " both may be the number of processes",
                   options(guesses_[chosen].name, {chosen}) + ", " + options(guesses_[columns[i]].name, {columns[i]}) +
                       ", or both: " +
                       columns_option(guesses_[chosen].name + "=" + item(chosen) + "," + guesses_[columns[i]].name +
                                      "=" + item(columns[i])));
      }
      plan_.taken[columns[i]] = "left out, " + *follows.value() + guesses_[chosen].name;
    }
    take_parameter(guesses_[chosen].name, chosen);
    return core::Done{};
  }

  // A column of whole numbers, for an example; else the first one.
  size_t first_whole() const {
    for (size_t i = 0; i < header_.size(); ++i) {
      if (facts_.columns[i].numbers > 0 && facts_.columns[i].whole && !facts_.columns[i].is_text()) return i;
    }
    return 0;
  }

  // "always 0.25 of ", "it follows ": column `a` has one value for each of `b`. Nothing: it has several.
  core::Result<std::optional<std::string>> relation_of(size_t a, size_t b) {
    std::map<double, double> at;
    bool same_ratio = true, follows = true;
    const core::Status read = for_rows([&](const TableRow& row) {
      const CellNumber x = cell_number(row.cells[a], facts_.mark), y = cell_number(row.cells[b], facts_.mark);
      if (x.kind != CellKind::kNumber || y.kind != CellKind::kNumber || at.size() > kMostValuesKept) return;
      const auto [there, is_new] = at.try_emplace(y.value, x.value);
      if (there->second != x.value) follows = false;
      const double ratio = at.begin()->second / at.begin()->first;
      if (!(std::abs(x.value - ratio * y.value) <= 1e-9 * std::abs(x.value))) same_ratio = false;
    });
    if (!read) return read.error();
    if (!follows || at.empty()) return std::optional<std::string>();
    if (!same_ratio) return std::optional<std::string>("it follows ");
    const double ratio = at.begin()->second / at.begin()->first;
    return std::optional<std::string>(ratio == 1 ? "always the same as "
                                                 : "always " + core::four_digits(ratio) + " times ");
  }

  template <class Function> core::Status for_rows(Function take) {
    table_.rewind();
    TableRow row;
    while (true) {
      const core::Result<bool> more = table_.next(row);
      if (!more) return more.error();
      if (!more.value()) break;
      if (is_wanted(row, request_, facts_.mark)) take(row);
    }
    table_.rewind();
    return core::Done{};
  }

  core::Status choose_sizes() {
    for (const size_t column : guessed(ColumnUse::kSize)) {
      const ColumnFacts& facts = facts_.columns[column];
      if (facts.numbers == 0) continue;
      if (!facts.varies()) {
        plan_.taken[column] = "left out, always " + shown(facts.first);
      } else if (!facts.is_text() && request_.parameters.empty()) {
        take_parameter(guesses_[column].name, column);
      }
    }
    return core::Done{};
  }

  core::Status choose_kernels() {
    std::vector<size_t> columns;
    for (const size_t column : guessed(ColumnUse::kKernel)) {
      if (facts_.columns[column].texts > 0) columns.push_back(column);
    }
    if (request_.kernel) {
      columns = {*request_.kernel};
    } else if (columns.size() > 1) {
      return ask(name(columns[0]) + " and " + name(columns[1]) + " both may name the kernel of a row",
                 options("kernel", columns));
    }
    if (columns.empty()) return core::Done{};
    plan_.kernel = columns.front();
    plan_.taken[columns.front()] = "the kernel of the row";
    return core::Done{};
  }

  core::Status choose_times() {
    for (const RequestedTime& time : request_.times) {
      if (time.numerator) {
        for (const size_t column : time.denominators) {
          if (is_open(column)) plan_.taken[column] = "the time is a number over it";
        }
        plan_.times.push_back({time, "", 1});
      } else {
        plan_.times.push_back({time, "", 1});
        if (time.unit.empty()) plan_.times.back().from.unit = guesses_[time.column].unit;
        plan_.taken[time.column] = "time";
      }
    }
    for (const size_t column : guessed(ColumnUse::kTime)) {
      if (facts_.columns[column].numbers == 0) continue;
      if (!request_.times.empty()) {
        plan_.taken[column] = kLeftOut;
      } else {
        plan_.times.push_back({{column, guesses_[column].unit, std::nullopt, {}}, guesses_[column].name, 1});
      }
    }
    if (plan_.times.empty()) {
      for (const size_t column : guessed(ColumnUse::kExtreme)) {
        if (facts_.columns[column].numbers == 0) continue;
        plan_.times.push_back({{column, guesses_[column].unit, std::nullopt, {}}, "", 1});
      }
    }
    if (plan_.times.empty()) return ask_for_time();
    return name_times();
  }

  core::Status ask_for_time() const {
    for (const auto& [use, what] :
         {std::pair(ColumnUse::kSpeedup, "speed-ups"), std::pair(ColumnUse::kEfficiency, "efficiencies")}) {
      const std::vector<size_t> columns = guessed(use);
      if (columns.empty()) continue;
      const std::string column = item(columns.front());
      const std::string& processes = header_[plan_.parameters.front().column];
      return ask(std::string("it has ") + what + " and no time, which is then known up to a factor",
                 use == ColumnUse::kSpeedup
                     ? columns_option("time=1/" + column) + " for times relative to the base, or the base's own: " +
                           columns_option("time=12.5s/" + column)
                     : "for strong scaling " + columns_option("time=1/" + column + "/" + processes) + ", for weak " +
                           columns_option("time=1/" + column));
    }
    std::vector<size_t> numeric;
    for (size_t i = 0; i < header_.size(); ++i) {
      const bool is_number = facts_.columns[i].numbers > 0 && !facts_.columns[i].is_text();
      if (is_open(i) && is_number && guesses_[i].use != ColumnUse::kRepeat) numeric.push_back(i);
    }
    if (numeric.empty()) return ask("no column has times (" + all_columns() + ")", kTableExample);
    return ask("no column is a time by its name (" + all_columns() + ")",
               option("time", numeric.front()) +
                   " names it, several are a kernel each; of a rate, which rises as the "
                   "program gets faster, " +
                   columns_option("time=1/" + item(numeric.back())));
  }

  // A single time is the program's where its name says so. Of several, each is a kernel, and one at most the whole
  // program.
  core::Status name_times() {
    if (plan_.times.size() == 1 || plan_.kernel) {
      if (plan_.times.size() > 1) {
        std::vector<size_t> columns;
        for (const PlannedTime& time : plan_.times) columns.push_back(time.from.column);
        return ask("a column names the kernel of each row, and several have times", options("time", columns));
      }
      const size_t column = plan_.times.front().from.column;
      if (!plan_.kernel && request_.times.empty() && guesses_[column].by_unit) {
        return ask(name(column) + " is the only time, and its name does not say that it is the whole program's",
                   option("time", column) + " takes it as that");
      }
      if (plan_.kernel) plan_.times.front().kernel.clear();
      mark_times();
      return core::Done{};
    }
    std::vector<size_t> whole;
    std::set<std::string> names;
    for (PlannedTime& time : plan_.times) {
      if (!request_.times.empty()) {
        const ColumnGuess& guess = guesses_[time.from.column];
        const bool is_whole = guess.use == ColumnUse::kTime && guess.name.empty();
        time.kernel = is_whole ? "" : guess.name.empty() ? header_[time.from.column] : guess.name;
      }
      if (time.kernel.empty()) whole.push_back(time.from.column);
      if (!time.kernel.empty() && !names.insert(time.kernel).second) time.kernel = header_[time.from.column];
    }
    if (whole.size() > 1) {
      return ask(core::join(whole, " and ", [this](size_t i) { return name(i); }) +
                     " both may be the time of the whole program",
                 options("time", whole));
    }
    mark_times();
    return core::Done{};
  }

  void mark_times() {
    for (const PlannedTime& time : plan_.times) {
      if (time.from.numerator) continue;
      plan_.taken[time.from.column] = plan_.kernel          ? "its time"
                                      : time.kernel.empty() ? "the program's time"
                                                            : "the time of kernel " + shown(time.kernel);
    }
  }

  // Unknown columns beside the program's time are its parts where they add up to it in every row.
  core::Status take_parts() {
    if (plan_.kernel || plan_.times.size() != 1 || !plan_.times.front().kernel.empty() || !request_.times.empty()) {
      return core::Done{};
    }
    std::vector<size_t> parts;
    for (const size_t column : guessed(ColumnUse::kUnknown)) {
      const ColumnFacts& facts = facts_.columns[column];
      if (facts.numbers > 0 && !facts.is_text()) parts.push_back(column);
    }
    if (parts.size() < 2) return core::Done{};
    constexpr double kRounding = 0.02;
    bool add_up = true;
    const size_t whole = plan_.times.front().from.column;
    const core::Status read = for_rows([&](const TableRow& row) {
      double sum = 0;
      for (const size_t part : parts) sum += cell_number(row.cells[part], facts_.mark).value;
      const double total = cell_number(row.cells[whole], facts_.mark).value;
      if (!(std::abs(sum - total) <= kRounding * total)) add_up = false;
    });
    if (!read || !add_up) return read;
    for (const size_t part : parts) {
      plan_.times.push_back({{part, plan_.times.front().from.unit, std::nullopt, {}}, header_[part], 1});
      plan_.taken[part] = "the time of kernel " + shown(header_[part]) + ": they add up to the program's";
    }
    return core::Done{};
  }

  core::Status find_units() {
    std::vector<size_t> with, without;
    for (PlannedTime& time : plan_.times) {
      const std::set<std::string>& units = facts_.columns[time.from.column].units;
      const bool in_cells =
          !time.from.numerator && std::any_of(units.begin(), units.end(),
                                              [](const std::string& unit) { return seconds_per(unit).has_value(); });
      if (in_cells && units.count("") != 0 && time.from.unit.empty()) {
        return ask("some cells of " + name(time.from.column) + " have a unit and others none",
                   "for those without: " + columns_option("time=" + item(time.from.column) + "[s]"));
      }
      const auto factor = seconds_per(time.from.unit);
      time.factor = factor.value_or(1);
      (factor || in_cells ? with : without).push_back(time.from.column);
      if (time.from.numerator) continue;
      plan_.taken[time.from.column] += factor     ? ", in " + time.from.unit
                                       : in_cells ? ", units in the cells"
                                                  : ", no unit given";
    }
    plan_.in_seconds = without.empty();
    if (with.empty() || without.empty()) return core::Done{};
    return ask(name(with.front()) + " has a unit and " + name(without.front()) + " has none",
               columns_option(core::join(plan_.times, ",", [&](const PlannedTime& time) {
                 return "time=" + item(time.from.column) +
                        (time.from.unit.empty() ? "[s]" : "[" + time.from.unit + "]");
               })));
  }

  // Columns that are not taken must not divide the rows of one configuration: what would then be called repeats are
  // other programs, machines or inputs.
  core::Status check_leftovers() {
    std::vector<size_t> whole_numbers;
    for (size_t i = 0; i < header_.size(); ++i) {
      if (!is_open(i)) continue;
      const ColumnFacts& facts = facts_.columns[i];
      if (guesses_[i].use == ColumnUse::kRepeat) {
        plan_.taken[i] = "left out, rows of one configuration are repeats";
        continue;
      }
      const bool labels_rows = facts.text_values.size() + facts.values.size() == facts_.rows;
      if (facts.is_text() && facts.text_values.size() > 1 && !labels_rows) {
        return ask("rows differ in " + name(i) + " (" + shown(*facts.text_values.begin()) + ", " +
                       shown(*std::next(facts.text_values.begin())) + (facts.text_values.size() > 2 ? ", ..." : "") +
                       "), which is no parameter",
                   columns_option(item(i) + "==" + *facts.text_values.begin()) + " for these rows, " +
                       option("kernel", i) + " for a kernel each, " + option("skip", i) + " where they are repeats");
      }
      const bool is_measured = guesses_[i].use != ColumnUse::kUnknown && guesses_[i].use != ColumnUse::kSize;
      if (!facts.is_text() && facts.whole && facts.values.size() > 1 && !labels_rows && !is_measured) {
        whole_numbers.push_back(i);
      }
      plan_.taken[i] = facts.first.empty() ? "left out, empty"
                       : facts.varies()    ? kLeftOut
                                           : "left out, always " + shown(facts.first);
    }
    return check_conflicts(whole_numbers);
  }

  core::Status check_conflicts(const std::vector<size_t>& columns) {
    if (columns.empty()) return core::Done{};
    std::map<std::vector<std::string>, std::vector<double>> first_at;
    std::optional<size_t> conflict;
    const core::Status read = for_rows([&](const TableRow& row) {
      if (conflict || first_at.size() > kMostValuesKept) return;
      std::vector<std::string> at;
      for (const PlannedParameter& parameter : plan_.parameters) at.push_back(row.cells[parameter.column]);
      if (plan_.kernel) at.push_back(row.cells[*plan_.kernel]);
      std::vector<double> here;
      for (const size_t column : columns) here.push_back(cell_number(row.cells[column], facts_.mark).value);
      const auto [there, is_new] = first_at.try_emplace(std::move(at), here);
      for (size_t i = 0; !is_new && !conflict && i < columns.size(); ++i) {
        if (there->second[i] != here[i]) conflict = columns[i];
      }
    });
    if (!read || !conflict) return read;
    const std::set<double>& values = facts_.columns[*conflict].values;
    return ask("rows of one configuration differ in " + name(*conflict) + " (" + core::to_text(*values.begin()) + ", " +
                   core::to_text(*std::next(values.begin())) + (values.size() > 2 ? ", ..." : "") +
                   "), which is not known to be a parameter",
               columns_option(guessed_or_named() + "," + item(*conflict) + "=" + item(*conflict)) +
                   " where it is one, " + columns_option(item(*conflict) + "==" + core::to_text(*values.begin())) +
                   " for these rows, " + option("skip", *conflict) + " where they are repeats");
  }

  // The parameters so far as items, since a parameter that is named replaces those that were guessed.
  std::string guessed_or_named() const {
    return core::join(plan_.parameters, ",",
                      [this](const PlannedParameter& p) { return p.name + "=" + item(p.column); });
  }

  TableText& table_;
  const TableFacts& facts_;
  const ColumnRequest& request_;
  const std::string& file_;
  const std::vector<std::string>& header_;
  std::vector<ColumnGuess> guesses_;
  ColumnPlan plan_;
};

}  // namespace

core::Result<ColumnPlan> plan_columns(TableText& table, const TableFacts& facts, const ColumnRequest& request,
                                      const std::string& file) {
  return Planner(table, facts, request, file).plan();
}

}  // namespace scalediag::fit
