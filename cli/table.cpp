#include "cli/table.h"

#include <algorithm>

namespace scalediag::cli {
namespace {

constexpr size_t kNarrowest = 12;  // a name is not shortened below it, even if the line then does not fit

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The first byte after the first `n` code points.
size_t bytes_of(const std::string& text, size_t n) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if (starts_code_point(text[at]) && seen++ == n) break;
  }
  return at;
}

}  // namespace

size_t display_width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string shorten_middle(const std::string& text, size_t width) {
  static const std::string kGap = "...";
  const size_t length = display_width(text);
  if (length <= width) return text;
  if (width <= kGap.size()) return text.substr(0, bytes_of(text, width));
  const size_t kept = width - kGap.size();
  const size_t front = (kept + 1) / 2;
  return text.substr(0, bytes_of(text, front)) + kGap + text.substr(bytes_of(text, length - (kept - front)));
}

std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return text;
}

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
    // Take one from the column that has most for its weight.
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
      const std::string cell = shorten_middle(cell_of(c), width[c]);
      const size_t blanks = width[c] - display_width(cell);
      if (columns_[c].align == TableColumn::Align::kRight) out.append(blanks, ' ');
      out += cell;
      if (columns_[c].align == TableColumn::Align::kLeft) out.append(blanks, ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };

  const std::string titles = line([this](size_t c) { return columns_[c].title; });
  std::string out = style.color ? "\033[1m" + titles + "\033[0m\n" : titles + "\n";
  for (const auto& row : rows_) out += line([&row](size_t c) { return row[c]; }) + "\n";
  return out;
}

}  // namespace scalediag::cli
