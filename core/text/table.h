// Tables for the terminal: fixed columns, numbers to the right, names shortened until the line fits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/text/shortening.h"

namespace scalediag::core {

struct TableColumn {
  std::string title;
  int gap = 2;  // blanks before it
  enum class Align { kLeft, kRight } align = Align::kRight;
  // 0: never shortened. Otherwise its share of the room that shortened columns have, relative to the others'.
  int shrink_weight = 0;
  std::string (*shorten)(const std::string&, size_t) = shorten_middle;
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

  // Precondition: one cell a column. Cells are made printable().
  void add_row(std::vector<std::string> cells);

  // Title line and rows, each ending with a newline and without trailing blanks.
  std::string text(const TableStyle& style) const;

 private:
  std::vector<size_t> widths(const TableStyle& style) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace scalediag::core
