#include "report/document/markdown_document.h"

#include <cctype>
#include <string_view>

#include "core/text/printable.h"

namespace scalediag::report {
namespace {

// Plain text in Markdown: characters that would begin markup or HTML are escaped.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : core::printable(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_[]|#~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

struct MarkdownWriter {
  std::string out;
  const std::vector<std::string>& pictures;
  size_t next_picture = 0;

  void operator()(const DocumentHeading& heading) { out += "## " + markdown_text(heading.text) + "\n\n"; }

  void operator()(const DocumentParagraph& paragraph) {
    const auto code = [](std::string_view text) { return "`" + core::printable(text) + "`"; };
    out += (paragraph.is_remark ? "> **Note.** " : "") + paragraph_text(paragraph.text, markdown_text, code) + "\n\n";
  }

  void operator()(const DocumentTable& table) {
    if (!table.caption.empty()) out += markdown_text(table.caption) + "\n\n";
    out += "|";
    for (const DocumentColumn& column : table.columns) out += " " + markdown_text(column.title) + " |";
    out += "\n|";
    for (const DocumentColumn& column : table.columns) out += column.is_number ? "---:|" : "---|";
    out += "\n";
    for (const DocumentRow& row : table.rows) {
      out += "|";
      for (const std::string& cell : row.cells) {
        const std::string text = markdown_text(cell);
        out += row.is_predicted && !text.empty() ? " *" + text + "* |" : " " + text + " |";
      }
      out += "\n";
    }
    out += "\n";
  }

  void operator()(const DocumentFigures& figures) {
    for (const Figure& figure : figures.figures) {
      out += "![" + markdown_text(figure.title) + "](<" + pictures.at(next_picture++) + ">)\n";
    }
    out += "\n" + markdown_text(figures.caption) + "\n\n";
  }
};

}  // namespace

std::string markdown_document(const Document& document, const std::vector<std::string>& pictures) {
  MarkdownWriter writer{"# " + markdown_text(document.title) + "\n\n", pictures};
  for (const DocumentBlock& block : document.blocks) std::visit(writer, block);
  while (writer.out.size() > 1 && writer.out[writer.out.size() - 2] == '\n') writer.out.pop_back();
  return std::move(writer.out);
}

}  // namespace scalediag::report
