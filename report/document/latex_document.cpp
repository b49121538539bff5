#include "report/document/latex_document.h"

#include "report/document/figure_pgfplots.h"
#include "report/document/latex_text.h"

namespace scalediag::report {
namespace {

// \begin{document} sets \@nodocument to \relax: what is read before it is a file by itself.
constexpr const char* kLatexBegin =
    "% Compiles by itself with pdflatex. Where \\input takes it into another document, that has to load:\n"
    "%   \\usepackage[T1]{fontenc} \\usepackage[utf8]{inputenc} "
    "\\usepackage{textcomp,booktabs,pgfplots,tabularx}\n"
    "\\makeatletter\n"
    "\\ifx\\@nodocument\\relax\\else\n"
    "\\documentclass[a4paper,10pt]{article}\n"
    "\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage[margin=2.2cm]{geometry}\n"
    // Fonts that are no bitmaps, and whose text can be copied, where they are installed.
    "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n\\IfFileExists{cmap.sty}{\\usepackage{cmap}}{}\n"
    "\\usepackage{textcomp}\n\\usepackage{booktabs}\n\\usepackage{tabularx}\n\\usepackage{pgfplots}\n"
    "\\pgfplotsset{compat=1.14}\n"
    "\\begin{document}\n"
    "\\def\\scalediagend{\\end{document}}\n"
    "\\fi\n"
    "\\makeatother\n\n";
constexpr const char* kLatexEnd = "\n\\csname scalediagend\\endcsname\n";

struct LatexWriter {
  std::string out;

  void operator()(const DocumentHeading& heading) { out += "\\subsection*{" + latex_text(heading.text) + "}\n\n"; }

  void operator()(const DocumentParagraph& paragraph) {
    const auto code = [](std::string_view text) { return "\\texttt{" + latex_text(text) + "}"; };
    const std::string text = paragraph_text(paragraph.text, latex_text, code);
    out += paragraph.is_remark ? "\\begin{quote}\\textbf{Note.} " + text + "\\end{quote}\n\n" : text + "\n\n";
  }

  void operator()(const DocumentTable& table) {
    // Text columns of a table without numbers share the width of the page.
    bool has_numbers = false;
    for (const DocumentColumn& column : table.columns) has_numbers = has_numbers || column.is_number;
    std::string columns;
    for (const DocumentColumn& column : table.columns) columns += column.is_number ? "r" : "l";
    if (!has_numbers) columns = std::string(table.columns.size() - 1, 'l') + ">{\\raggedright\\arraybackslash}X";
    out += "\\begin{center}\n\\small\n";
    if (!table.caption.empty()) out += "\\parbox{\\linewidth}{" + latex_text(table.caption) + "}\\\\[4pt]\n";
    out += has_numbers ? "\\setlength{\\tabcolsep}{4pt}\n"
                         "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n\\begin{tabular}{" +
                             columns + "}\n"
                       : "\\begin{tabularx}{\\linewidth}{" + columns + "}\n";
    out += "\\toprule\n";
    bool has_titles = false;
    for (const DocumentColumn& column : table.columns) has_titles = has_titles || !column.title.empty();
    if (has_titles) {
      row(titles_of(table), false);
      out += "\\midrule\n";
    }
    bool after_measured = false;
    for (const DocumentRow& r : table.rows) {
      if (r.is_predicted && after_measured) out += "\\midrule\n";
      after_measured = !r.is_predicted;
      row(r.cells, r.is_predicted);
    }
    out += "\\bottomrule\n";
    out += has_numbers ? "\\end{tabular}}\n" : "\\end{tabularx}\n";
    out += "\\end{center}\n\n";
  }

  void operator()(const DocumentFigures& figures) {
    out += "\\begin{center}\n";
    for (const Figure& figure : figures.figures) {
      // pgfplots leaves less room for the axis' numbers than "100%" needs.
      out += "\\begin{minipage}[t]{0.49\\linewidth}\\centering\n" + figure_pgfplots(figure, "0.94\\linewidth") +
             "\n\\end{minipage}\n";
    }
    out += "\n\\smallskip\\small " + latex_text(figures.caption) + "\n\\end{center}\n\n";
  }

 private:
  static std::vector<std::string> titles_of(const DocumentTable& table) {
    std::vector<std::string> titles;
    for (const DocumentColumn& column : table.columns) titles.push_back(column.title);
    return titles;
  }

  void row(const std::vector<std::string>& cells, bool is_predicted) {
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += " & ";
      const std::string text = latex_text(cells[i]);
      out += is_predicted && !text.empty() ? "\\textit{" + text + "}" : text;
    }
    out += " \\\\\n";
  }
};

}  // namespace

std::string latex_table(const DocumentTable& table) {
  LatexWriter writer{""};
  writer(table);
  return std::move(writer.out);
}

std::string latex_document(const Document& document) {
  LatexWriter writer{kLatexBegin + std::string("\\section*{") + latex_text(document.title) + "}\n\n"};
  for (const DocumentBlock& block : document.blocks) std::visit(writer, block);
  return std::move(writer.out) + kLatexEnd;
}

}  // namespace scalediag::report
