// The rows of a table in a text: CSV with any usual separator, columns between blanks, Markdown, LaTeX. Nothing is
// known here of what the columns mean, but that several may be one at several numbers of processes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "fit/data/tables/spread_columns.h"

namespace scalediag::fit {

enum class TableFormat { kSeparated, kBlanks, kMarkdown, kLatex };

struct TableRow {
  size_t line = 0;                 // in the file, from 1
  std::vector<std::string> cells;  // without blanks around them
};

// Reads the rows one by one, so that a table of any length takes the memory of one row.
class TableText {
 public:
  // Whether a table with columns of these names is one that is looked for.
  using IsWanted = bool (*)(const std::vector<std::string>& names);

  // `text` and `file`, the name for messages, outlive the object. `which` of several Markdown or LaTeX tables is read,
  // counted from 1; 0: there is one, or of several in Markdown a single one is wanted. Errors (kInput): a spreadsheet
  // or UTF-16 in place of text; no table; several ones and `which` is 0, or fewer; no names of columns.
  static core::Result<TableText> of(std::string_view text, const std::string& file, size_t which = 0,
                                    IsWanted is_wanted = nullptr);

  const std::vector<std::string>& header() const { return header_; }
  std::string layout() const;  // "CSV with ;", "Markdown"

  // Puts the reader in front of the first row.
  void rewind();
  // Puts the next row into `row`, which keeps its memory; false: there is none. Errors (kInput): a row has more or
  // fewer cells than the header; quotes that never end.
  core::Result<bool> next(TableRow& row);

 private:
  TableText(std::string_view text, const std::string& file) : text_(text), file_(&file) {}
  core::Status find_markdown(size_t which, IsWanted is_wanted);
  core::Status find_latex(size_t which);
  core::Error several(const std::vector<std::string>& tables, size_t which) const;
  core::Status find_separated();
  bool choose_separator(std::string_view names, std::string_view values);
  core::Status split(std::string_view line, std::vector<std::string>& cells);
  void split_separated(std::string_view line, std::vector<std::string>& cells) const;
  std::string_view take_line();    // of the text, with position and line moved behind it
  std::string_view take_record();  // as take_line(), of several lines where quotes span them or LaTeX's row does
  std::string_view take_latex_row();
  core::Result<bool> next_written(TableRow& row);
  bool is_left_out(std::string_view line) const;
  core::Error error(size_t line, const std::string& what, const std::string& hint) const;

  std::string_view text_;
  const std::string* file_;
  TableFormat format_ = TableFormat::kSeparated;
  char separator_ = ',';
  std::vector<std::string> header_;
  size_t header_line_ = 0;
  size_t cells_ = 0;      // of a row as it is written
  size_t chosen_of_ = 0;  // tables of which this is the one that was wanted; 0: it was not chosen so
  std::optional<SpreadColumns> spread_;
  TableRow written_;                             // where columns are spread, the row that the next ones come from
  size_t spread_at_ = 0;                         // how many of them were given
  size_t begin_ = 0, begin_line_ = 1, end_ = 0;  // the rows' part of the text
  size_t at_ = 0, line_ = 1;                     // the next line
  bool has_open_quote_ = false;                  // of the last record
};

// A spreadsheet or UTF-16 in place of text, by its first bytes.
bool is_spreadsheet(std::string_view text);

// The hint for errors of tables as a whole.
extern const char* const kTableExample;

}  // namespace scalediag::fit
