// Tables for the terminal: fixed columns, numbers to the right, names shortened in the middle until the line fits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalediag::cli {

struct TableColumn {
  std::string title;
  enum class Align { kLeft, kRight } align = Align::kRight;
  // 0: never shortened. Otherwise its share of the room that shortened columns have, relative to the others'.
  int shrink_weight = 0;
  int gap = 2;  // blanks before it
};

struct TableStyle {
  size_t width = 100;  // of the terminal; kUnlimited leaves everything as it is
  bool color = false;  // titles in bold
  int indent = 2;
};
constexpr size_t kUnlimited = static_cast<size_t>(-1);

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // Precondition: one cell a column. Control characters, which could drive the terminal, are shown as '?'.
  void add_row(std::vector<std::string> cells);

  // Title line and rows, each ending with a newline and without trailing blanks.
  std::string text(const TableStyle& style) const;

 private:
  std::vector<size_t> widths(const TableStyle& style) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// In columns of the terminal, one a code point.
size_t display_width(const std::string& text);

// "scalediag::core::OverRanksBuilder::add(int, double)" -> "scalediag::core...int, double)" for a width of 30: both
// ends of a name tell more than its middle. UTF-8 characters stay whole.
std::string shorten_middle(const std::string& text, size_t width);

// `text` with control characters replaced by '?'.
std::string printable(std::string text);

}  // namespace scalediag::cli
