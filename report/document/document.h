// A text of headings, paragraphs, tables and figures, which LaTeX, Markdown and HTML are written from. All texts are
// plain: each renderer escapes them for its format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/document/figure.h"

namespace scalediag::report {

struct DocumentHeading {
  std::string text;
};

struct DocumentParagraph {
  std::string text;        // with commands between backticks
  bool is_remark = false;  // a reservation that a reader must not miss
};

struct DocumentColumn {
  std::string title;
  bool is_number = true;  // to the right
};

struct DocumentRow {
  std::vector<std::string> cells;  // one a column
  bool is_predicted = false;       // is shown unlike measured rows
};

struct DocumentTable {
  std::string caption;
  std::vector<DocumentColumn> columns;
  std::vector<DocumentRow> rows;
};

// Figures that are shown side by side, with one key.
struct DocumentFigures {
  std::vector<Figure> figures;
  std::string caption;
};

using DocumentBlock = std::variant<DocumentHeading, DocumentParagraph, DocumentTable, DocumentFigures>;

struct Document {
  std::string title;
  std::vector<DocumentBlock> blocks;
};

// A paragraph's text from its parts: `plain` renders those outside of backticks, `code` those between two of them. A
// backtick without a second one is plain.
template <class Plain, class Code>
std::string paragraph_text(std::string_view text, Plain plain, Code code) {
  std::string out;
  for (size_t begin = text.find('`'); begin != text.npos; begin = text.find('`')) {
    const size_t end = text.find('`', begin + 1);
    if (end == text.npos) break;
    out += plain(text.substr(0, begin)) + code(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
  return out + plain(text);
}

// All figures of a document, in their order.
std::vector<const Figure*> figures_of(const Document& document);

// Titles and rows as CSV (RFC 4180): a cell with a comma or a quotation mark is quoted. A cell that a spreadsheet would
// take for a formula begins with an apostrophe.
std::string csv_table(const DocumentTable& table);

}  // namespace scalediag::report
