#include "fit/data/tables/table_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text/quantities.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"
#include "fit/data/tables/cell_text.h"

namespace scalediag::fit {

const char* const kTableExample = "a table has a line of names and a line a run, for example: np,time (s)";

namespace {

using core::Error;
using core::ErrorCode;

constexpr size_t kMostColumns = 4096;
// A record in quotes, or a row of LaTeX, that is longer has lost its end.
constexpr size_t kLongestRecord = 1 << 20;

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// "|---|:---:|", the line below the names of a Markdown table.
bool is_markdown_rule(std::string_view line) {
  line = trimmed(line);
  return line.find_first_not_of("|-:+ \t") == line.npos && line.find('|') != line.npos && line.find("--") != line.npos;
}

// "-----  ------", "=====", "+----+----+": a line that only separates.
bool is_ruler(std::string_view line) {
  return line.find_first_not_of("-=+| \t") == line.npos && line.find_first_of("-=") != line.npos;
}

bool is_comment(std::string_view line) {
  return !line.empty() && (line.front() == '#' || line.front() == '%' || line.starts_with("//"));
}

bool has_number(const std::vector<std::string>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return cell_number(cell, DecimalMark::kPoint).kind == CellKind::kNumber;
  });
}

// Commands of LaTeX that stand in front of a row and are none of its cells.
std::string_view without_latex_rules(std::string_view row) {
  constexpr std::string_view kRules[] = {"\\hline", "\\toprule",  "\\midrule",     "\\bottomrule",
                                         "\\cline", "\\cmidrule", "\\addlinespace"};
  while (true) {
    const size_t begin = row.find_first_not_of(" \t\r\n");
    if (begin == row.npos) return {};
    row.remove_prefix(begin);
    const auto rule = std::find_if(std::begin(kRules), std::end(kRules),
                                   [row](std::string_view name) { return row.starts_with(name); });
    if (row.front() == '%') {
      row.remove_prefix(std::min(row.find('\n'), row.size()));
    } else if (rule != std::end(kRules)) {
      row.remove_prefix(rule->size());
      while (!row.empty() && (row.front() == '{' || row.front() == '(' || row.front() == '[')) {
        row.remove_prefix(std::min(row.find_first_of("})]"), row.size() - 1) + 1);
      }
    } else {
      return row;
    }
  }
}

void split_at(std::string_view line, char separator, std::vector<std::string>& cells) {
  size_t begin = 0;
  for (size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && (line[i] != separator || (i > 0 && line[i - 1] == '\\'))) continue;
    cells.push_back(plain_cell(line.substr(begin, i - begin)));
    begin = i + 1;
  }
}

std::string_view without_outer_bars(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  return line;
}

std::optional<Error> no_text(std::string_view text, const std::string& file) {
  const auto refused = [&file](const std::string& what, const std::string& hint) {
    return Error{ErrorCode::kInput, file + " is " + what, hint, file};
  };
  if (text.starts_with("PK\x03\x04")) {
    return refused("a spreadsheet or another zip archive (.xlsx, .ods)",
                   "export the sheet as CSV: in Excel and LibreOffice \"Save as\", \"CSV UTF-8\"");
  }
  if (text.starts_with("\xD0\xCF\x11\xE0")) {
    return refused("an old Excel file (.xls)", "export the sheet as CSV: \"Save as\", \"CSV UTF-8\"");
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return refused("in UTF-16, not UTF-8", "iconv -f UTF-16 -t UTF-8 <IN >OUT");
  }
  return std::nullopt;
}

}  // namespace

Error TableText::error(size_t line, const std::string& what, const std::string& hint) const {
  return {ErrorCode::kInput, *file_ + ":" + std::to_string(line) + ": " + what, hint, *file_};
}

std::string_view TableText::take_line() {
  const size_t end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view line = without_return(text_.substr(at_, end - at_));
  at_ = end + 1;
  ++line_;
  return line;
}

std::string_view TableText::take_latex_row() {
  const size_t begin = at_;
  const size_t limit = std::min(end_, at_ + kLongestRecord);
  size_t end = text_.find("\\\\", at_);
  if (end == text_.npos || end > limit) end = limit;
  at_ = std::min(end + 2, end_);
  line_ += static_cast<size_t>(
      std::count(text_.begin() + static_cast<ptrdiff_t>(begin), text_.begin() + static_cast<ptrdiff_t>(at_), '\n'));
  return text_.substr(begin, end - begin);
}

std::string_view TableText::take_record() {
  if (format_ == TableFormat::kLatex) return take_latex_row();
  const size_t begin = at_;
  std::string_view line = take_line();
  if (format_ != TableFormat::kSeparated || line.find('"') == line.npos) return line;
  const auto is_open = [](std::string_view part) { return std::count(part.begin(), part.end(), '"') % 2 != 0; };
  bool open = is_open(line);
  size_t end = begin + line.size();
  while (open && at_ < end_ && at_ - begin < kLongestRecord) {
    line = take_line();
    end = static_cast<size_t>(line.data() - text_.data()) + line.size();
    open = open != is_open(line);
  }
  has_open_quote_ = open;
  return text_.substr(begin, end - begin);
}

void TableText::split_separated(std::string_view line, std::vector<std::string>& cells) const {
  size_t i = 0;
  while (true) {
    while (i < line.size() && line[i] == ' ') ++i;
    std::string cell;
    bool was_quoted = false;
    if (i < line.size() && line[i] == '"') {
      was_quoted = true;
      for (++i; i < line.size(); ++i) {
        if (line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
          cell += line[i++];
        } else if (line[i] == '"') {
          break;
        } else {
          cell += line[i];
        }
      }
      ++i;
    }
    const size_t end = std::min(line.find(separator_, std::min(i, line.size())), line.size());
    if (i < end) cell.append(line.substr(i, end - i));
    cells.push_back(was_quoted ? std::string(trimmed(cell)) : csv_cell(cell));
    if (end >= line.size()) return;
    i = end + 1;
  }
}

core::Status TableText::split(std::string_view line, std::vector<std::string>& cells) {
  cells.clear();
  switch (format_) {
    case TableFormat::kSeparated: split_separated(line, cells); break;
    case TableFormat::kBlanks: {
      TokenReader words(line);
      while (const auto word = words.next()) cells.emplace_back(*word);
      break;
    }
    case TableFormat::kMarkdown: split_at(without_outer_bars(line), '|', cells); break;
    case TableFormat::kLatex: split_at(line, '&', cells); break;
  }
  if (cells.size() <= kMostColumns) return core::Done{};
  return error(line_ - 1, "more than " + std::to_string(kMostColumns) + " columns", kTableExample);
}

bool TableText::is_left_out(std::string_view line) const {
  if (format_ == TableFormat::kLatex) return without_latex_rules(line).empty();
  line = trimmed(line);
  return line.empty() || is_comment(line) || is_ruler(line);
}

Error TableText::several(const std::vector<std::string>& tables, size_t which) const {
  constexpr size_t kNamed = 8;
  std::string named;
  for (size_t i = 0; i < std::min(kNamed, tables.size()); ++i) {
    named += (i == 0 ? "" : "; ") + std::to_string(i + 1) + " " + tables[i];
  }
  if (tables.size() > kNamed) named += "; ...";
  const std::string there = which == 0 ? "" : ", and none has the number " + std::to_string(which);
  return {ErrorCode::kInput, *file_ + " has " + core::counted(tables.size(), "table") + there + ": " + named,
          "--columns table=N reads that one", *file_};
}

core::Status TableText::find_markdown(size_t which, IsWanted is_wanted) {
  format_ = TableFormat::kMarkdown;
  const size_t begin = at_;
  std::vector<size_t> wanted;
  std::vector<std::string> tables;  // "in line 3 (np | time)"
  bool inside = false;
  std::string_view before;
  size_t before_line = 0;
  while (at_ < text_.size()) {
    const size_t here = at_;
    const std::string_view line = take_line();
    if (is_markdown_rule(line) && before.find('|') != before.npos && !is_ruler(trimmed(before))) {
      tables.push_back("in line " + std::to_string(before_line) + " (" + shown(trimmed(before), 60) + ")");
      std::vector<std::string> names;
      if (core::Status cells = split(before, names); !cells) return cells;
      if (is_wanted != nullptr && is_wanted(names)) wanted.push_back(tables.size());
      inside = tables.size() == std::max<size_t>(which, 1);
      if (inside) {
        header_line_ = before_line;
        header_ = std::move(names);
        begin_ = at_, begin_line_ = line_;
        end_ = text_.size();
      }
    } else if (inside && line.find('|') == line.npos) {
      end_ = here;
      inside = false;
    }
    before = line, before_line = line_ - 1;
  }
  if (tables.empty() || (which == 0 ? tables.size() == 1 : which <= tables.size())) return core::Done{};
  if (which > 0 || wanted.size() != 1) return several(tables, which);
  chosen_of_ = tables.size();
  at_ = begin, line_ = 1;
  return find_markdown(wanted.front(), nullptr);
}

core::Status TableText::find_latex(size_t which) {
  format_ = TableFormat::kLatex;
  std::vector<std::string> tables;
  std::vector<size_t> begins;
  constexpr std::string_view kBegin = "\\begin{tabular";
  size_t counted_to = 0, line = 1;
  for (size_t at = 0; (at = text_.find(kBegin, at)) != text_.npos; at += kBegin.size()) {
    line += static_cast<size_t>(std::count(text_.begin() + static_cast<ptrdiff_t>(counted_to),
                                           text_.begin() + static_cast<ptrdiff_t>(at), '\n'));
    counted_to = at;
    begins.push_back(at);
    tables.push_back("in line " + std::to_string(line));
  }
  if (begins.size() > 1 ? which == 0 || which > begins.size() : which > std::max<size_t>(1, begins.size())) {
    return several(tables, which);
  }
  const size_t begin = begins.empty() ? text_.npos : begins[std::max<size_t>(which, 1) - 1];
  end_ = std::min(text_.find("\\end{tabular", begin == text_.npos ? 0 : begin), text_.size());
  if (begin != text_.npos) {
    // The columns' alignment is the last group in braces on the line of \begin.
    const size_t end_of_line = std::min(text_.find('\n', begin), end_);
    const size_t brace = text_.substr(0, end_of_line).rfind('}');
    const size_t from = brace == text_.npos || brace < begin ? end_of_line : brace + 1;
    line_ += static_cast<size_t>(std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(from), '\n'));
    at_ = from;
  }
  std::vector<std::string> cells;
  while (at_ < end_) {
    const size_t here = at_, here_line = line_;
    const std::string_view row = without_latex_rules(take_record());
    if (row.empty()) continue;
    if (core::Status done = split(row, cells); !done) return done;
    if (cells.size() > 1 && has_number(cells) && !header_.empty()) {
      begin_ = here, begin_line_ = here_line;
      return core::Done{};
    }
    // The last of several lines of names counts.
    header_ = cells;
    header_line_ = here_line;
  }
  return Error{ErrorCode::kInput, *file_ + " has no row with numbers below names of columns", kTableExample, *file_};
}

// Takes the separator that gives names and values the same number of cells, more than one.
bool TableText::choose_separator(std::string_view names, std::string_view values) {
  std::vector<std::string> a, b;
  for (const char candidate : {'\t', ';', ',', '|', ' '}) {
    format_ = candidate == ' ' ? TableFormat::kBlanks : TableFormat::kSeparated;
    separator_ = candidate;
    if (!split(names, a) || !split(values, b)) continue;
    if (a.size() > 1 && a.size() == b.size()) return true;
  }
  return false;
}

core::Status TableText::find_separated() {
  end_ = text_.size();
  std::string_view names, last_comment;
  size_t names_line = 0, comment_line = 0;
  bool separator_given = false;
  at_ = begin_, line_ = begin_line_;
  while (at_ < end_) {
    const size_t here = at_, here_line = line_;
    const std::string_view line = trimmed(take_line());
    if (line.starts_with("sep=") && line.size() == 5) {  // Excel's own first line
      separator_ = line.back();
      separator_given = true;
      continue;
    }
    if (is_comment(line)) {
      if (names.empty() && line.size() > 1) last_comment = line, comment_line = here_line;
      continue;
    }
    if (line.empty() || is_ruler(line)) continue;
    if (names.empty()) {
      names = line, names_line = here_line;
      // Names in a comment above rows that are all numbers, as plots take them.
      std::string_view commented = last_comment;
      while (!commented.empty() && std::string_view("#%/").find(commented.front()) != commented.npos)
        commented.remove_prefix(1);
      commented = trimmed(commented);
      if (!commented.empty() && choose_separator(commented, line)) {
        std::vector<std::string> cells, titles;
        if (core::Status done = split(line, cells); !done) return done;
        if (core::Status done = split(commented, titles); !done) return done;
        if (has_number({cells.front()}) && !has_number(titles)) {
          header_ = titles;
          header_line_ = comment_line;
          begin_ = here, begin_line_ = here_line;
          return core::Done{};
        }
      }
      begin_ = at_, begin_line_ = line_;
      continue;
    }
    if (separator_given) format_ = TableFormat::kSeparated;
    for (const char mark : {'\t', ';', ',', '|'}) {
      if (static_cast<size_t>(std::count(names.begin(), names.end(), mark)) < kMostColumns) continue;
      return error(names_line, "more than " + std::to_string(kMostColumns) + " columns", kTableExample);
    }
    if (!separator_given && !choose_separator(names, line)) {
      return error(here_line,
                   "'" + shown(line) + "' has another number of columns than the names in line " +
                       std::to_string(names_line) + ": '" + shown(names) + "'",
                   kTableExample);
    }
    if (core::Status done = split(names, header_); !done) return done;
    header_line_ = names_line;
    if (has_number(header_)) {
      return error(names_line, "'" + shown(names) + "' has numbers where the names of columns are expected",
                   "put a line with names above the first row, for example: np,time (s)");
    }
    return core::Done{};
  }
  return Error{ErrorCode::kInput, *file_ + " has no line of values below a line of names", kTableExample, *file_};
}

core::Result<TableText> TableText::of(std::string_view text, const std::string& file, size_t which,
                                      IsWanted is_wanted) {
  if (const auto refused = no_text(text, file)) return *refused;
  TableText table(text, file);
  if (text.starts_with("\xEF\xBB\xBF")) table.begin_ = 3;
  table.at_ = table.begin_;
  if (core::Status done = table.find_markdown(which, is_wanted); !done) return done.error();
  if (table.header_.empty()) {
    table.at_ = table.begin_, table.line_ = 1;
    const bool is_latex =
        text.find("\\begin{tabular") != text.npos || (text.find("\\\\") != text.npos && text.find('&') != text.npos);
    core::Status found = is_latex ? table.find_latex(which) : table.find_separated();
    if (!found) return found.error();
  }
  if (table.header_.size() < 2) {
    return table.error(table.header_line_, "a single column: the number of processes or the time is missing",
                       kTableExample);
  }
  table.cells_ = table.header_.size();
  table.spread_ = SpreadColumns::of(table.header_);
  if (table.spread_) table.header_ = table.spread_->gathered_names(table.header_);
  table.rewind();
  return table;
}

std::string TableText::layout() const {
  switch (format_) {
    case TableFormat::kMarkdown:
      return chosen_of_ == 0 ? "a Markdown table"
                             : "the one Markdown table of " + std::to_string(chosen_of_) + " with processes and times";
    case TableFormat::kLatex: return "a LaTeX table";
    case TableFormat::kBlanks: return "columns between blanks";
    case TableFormat::kSeparated: break;
  }
  return separator_ == '\t' ? "columns between tabs" : std::string("columns between '") + separator_ + "'";
}

void TableText::rewind() {
  at_ = begin_;
  line_ = begin_line_;
  spread_at_ = spread_ ? spread_->rows() : 0;
}

core::Result<bool> TableText::next(TableRow& row) {
  if (!spread_) return next_written(row);
  if (spread_at_ == spread_->rows()) {
    core::Result<bool> more = next_written(written_);
    if (!more || !more.value()) return more;
    spread_at_ = 0;
  }
  row.line = written_.line;
  spread_->gather(written_.cells, spread_at_++, row.cells);
  return true;
}

core::Result<bool> TableText::next_written(TableRow& row) {
  while (at_ < end_) {
    row.line = line_;
    std::string_view record = take_record();
    if (record.size() >= kLongestRecord || has_open_quote_) {
      return error(row.line, "a row that does not end", "close the quotes that begin there; rows have at most 1 MiB");
    }
    if (is_left_out(record)) continue;
    if (format_ == TableFormat::kLatex) record = without_latex_rules(record);
    if (core::Status done = split(record, row.cells); !done) return done.error();
    // Trailing separators, of Excel and of people, make empty cells.
    while (row.cells.size() > cells_ && row.cells.back().empty()) row.cells.pop_back();
    const auto is_empty = [](const std::string& cell) { return cell.empty(); };
    if (std::all_of(row.cells.begin(), row.cells.end(), is_empty)) continue;
    if (row.cells.size() != cells_) {
      return error(row.line,
                   std::to_string(row.cells.size()) + " cells where the names in line " + std::to_string(header_line_) +
                       " have " + std::to_string(cells_),
                   separator_ == ',' && format_ == TableFormat::kSeparated && row.cells.size() > cells_
                       ? "where commas are decimal marks, separate the columns by ; or put numbers in quotes"
                       : "give every row a cell for each name; leave a missing one empty");
    }
    return true;
  }
  return false;
}

bool is_spreadsheet(std::string_view text) { return no_text(text, "").has_value(); }

}  // namespace scalediag::fit
