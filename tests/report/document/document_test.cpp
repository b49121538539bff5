#include "report/document/document.h"

#include <gtest/gtest.h>

#include "report/document/figure_axes.h"
#include "report/document/figure_pgfplots.h"
#include "report/document/figure_svg.h"
#include "report/document/html_document.h"
#include "report/document/latex_document.h"
#include "report/document/latex_text.h"
#include "report/document/markdown_document.h"

namespace scalediag::report {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Document hostile() {
  Document document;
  document.title = "a_b & <script>";
  document.blocks.push_back(DocumentParagraph{"50 % of $x^2$ \\input{/etc/passwd}", true});
  DocumentTable table;
  table.columns = {{"name", false}, {"value"}};
  table.rows = {{{"a|b", "1"}, false}, {{"c", "2"}, true}};
  document.blocks.push_back(table);
  return document;
}

TEST(Document, LatexEscapesWhatWouldBeCommands) {
  const std::string tex = latex_document(hostile());
  EXPECT_FALSE(has(tex, "\\input{/etc"));
  EXPECT_TRUE(has(tex, "50 \\% of \\$x\\textasciicircum{}2\\$"));
  EXPECT_TRUE(has(tex, "\\textit{2}"));
  EXPECT_TRUE(has(tex, "\\begin{document}"));
}

TEST(Document, MarkdownEscapesWhatWouldEndACell) {
  const std::string text = markdown_document(hostile(), {});
  EXPECT_TRUE(has(text, "| a\\|b | 1 |"));
  EXPECT_TRUE(has(text, "| *c* | *2* |"));
  EXPECT_FALSE(has(text, "<script>"));
}

TEST(Document, HtmlEscapesMarkup) {
  const std::string page = html_document(hostile());
  EXPECT_FALSE(has(page, "<script>"));
  EXPECT_TRUE(has(page, "class=\"predicted first-predicted\""));
}

TEST(Document, CsvQuotesAndDisarmsFormulas) {
  DocumentTable table;
  table.columns = {{"a,b"}, {"c"}};
  table.rows = {{{"say \"x\"", "=1+1"}, false}};
  EXPECT_EQ(csv_table(table), "\"a,b\",c\n\"say \"\"x\"\"\",'=1+1\n");
}

Figure figure() {
  Figure f;
  f.name = "speedup";
  f.title = "t";
  f.logarithmic = true;
  f.series.push_back({"measured", 0, false, {{2, 1, {}, {}}, {4, 1.9, 1.8, 2.0}}});
  f.series.push_back({"predicted", 0, true, {{8, 3.5, 3, 4}}});
  f.lines.push_back({"ideal", {{2, 1, {}, {}}, {8, 4, {}, {}}}, false});
  return f;
}

TEST(Figure, MeasuredAndPredictedPointsDifferInLineAndSymbol) {
  const std::string svg = figure_svg(figure());
  // One solid path of the measured series, one dashed one of the predicted; hollow symbols in the latter.
  EXPECT_TRUE(has(svg, "stroke-dasharray=\"5 4\""));
  EXPECT_TRUE(has(svg, "<circle") && has(svg, "fill=\"#ffffff\" stroke="));
  const std::string tex = figure_pgfplots(figure(), "\\linewidth");
  EXPECT_TRUE(has(tex, "solid, mark=*"));
  EXPECT_TRUE(has(tex, "dashed, mark=o"));
}

TEST(Figure, HasATickAtEachNumberOfProcesses) { EXPECT_EQ(axes_of(figure()).x_ticks, (std::vector<double>{2, 4, 8})); }

}  // namespace
}  // namespace scalediag::report
