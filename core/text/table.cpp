#include "core/text/table.h"

#include <algorithm>

#include "core/text/printable.h"

namespace scalediag::core {
namespace {

constexpr size_t kNarrowest = 12;  // a name is not shortened below it, even if the line then does not fit

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(std::move(cell));
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::widths(const TableStyle& style) const {
  std::vector<size_t> widths;
  for (const TableColumn& column : columns_) widths.push_back(display_width(column.title));
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  if (style.width == kUnlimited) return widths;

  size_t total = static_cast<size_t>(style.indent);
  for (size_t c = 0; c < widths.size(); ++c) total += widths[c] + (c == 0 ? 0 : static_cast<size_t>(columns_[c].gap));
  while (total > style.width) {
    // Takes one blank from the column that has most for its weight.
    size_t widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c) {
      if (columns_[c].shrink_weight <= 0 || widths[c] <= kNarrowest) continue;
      const auto per_weight = [&](size_t at) {
        return static_cast<double>(widths[at]) / static_cast<double>(columns_[at].shrink_weight);
      };
      if (widest == widths.size() || per_weight(c) > per_weight(widest)) widest = c;
    }
    if (widest == widths.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::string Table::text(const TableStyle& style) const {
  const std::vector<size_t> width = widths(style);
  const auto line = [&](auto cell_of) {
    std::string out(static_cast<size_t>(style.indent), ' ');
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) out.append(static_cast<size_t>(columns_[c].gap), ' ');
      const std::string cell = cell_of(c);
      const size_t blanks = width[c] - display_width(cell);
      if (columns_[c].align == TableColumn::Align::kRight) out.append(blanks, ' ');
      out += cell;
      if (columns_[c].align == TableColumn::Align::kLeft) out.append(blanks, ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };

  std::vector<std::vector<std::string>> shortened(columns_.size());  // by column, then row
  for (size_t c = 0; c < columns_.size(); ++c) {
    std::vector<std::string> cells;
    for (const auto& row : rows_) cells.push_back(row[c]);
    shortened[c] = shorten_apart(cells, width[c], columns_[c].shorten);
  }
  const std::string titles = line([&](size_t c) { return columns_[c].shorten(columns_[c].title, width[c]); });
  std::string out = style.color ? "\033[1m" + titles + "\033[0m\n" : titles + "\n";
  for (size_t r = 0; r < rows_.size(); ++r) out += line([&](size_t c) { return shortened[c][r]; }) + "\n";
  return out;
}

}  // namespace scalediag::core
