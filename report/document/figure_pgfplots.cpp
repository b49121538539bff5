#include "report/document/figure_pgfplots.h"

#include <cstddef>
#include <string>
#include <vector>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/document/figure_axes.h"
#include "report/document/latex_text.h"

namespace scalediag::report {
namespace {

// Colours of xcolor that differ in lightness, too.
constexpr const char* kPgfColors[] = {"blue!70!black", "orange!70!black", "green!50!black",
                                      "violet",        "olive",           "black!75"};
constexpr const char* kFilled[] = {"*", "square*", "triangle*", "diamond*"};
constexpr const char* kHollow[] = {"o", "square", "triangle", "diamond"};

std::string coordinate(const FigurePoint& p) {
  return "(" + core::to_text(p.processes) + "," + core::to_text(p.value) + ")";
}

// The interval as distances from the value.
std::string coordinate_with_interval(const FigurePoint& p) {
  std::string text = coordinate(p);
  if (!p.low || !p.high) return text;
  return text + " += (0," + core::to_text(*p.high - p.value) + ") -= (0," + core::to_text(p.value - *p.low) + ")";
}

std::string plot_of(const FigureSeries& series) {
  const std::string color = kPgfColors[series.style % std::size(kPgfColors)];
  const std::string mark = (series.predicted ? kHollow : kFilled)[series.style % std::size(kFilled)];
  std::string text = "\\addplot+[" + color + ", thick, " + (series.predicted ? "dashed" : "solid") + ", mark=" + mark +
                     ", mark options={solid, fill=" + (series.predicted ? "white" : color) +
                     "}, error bars/.cd, y dir=both, y explicit, error bar style={solid, thin}] coordinates {";
  for (const FigurePoint& p : series.points) text += "\n    " + coordinate_with_interval(p);
  return text + "};\n  \\addlegendentry{" + latex_text(series.label) + "}\n";
}

std::string plot_of(const FigureLine& line) {
  return std::string("\\addplot[black!60, ") + (line.is_bound ? "dash dot" : "densely dotted") +
         ", thick, no marks, forget plot] coordinates {" +
         core::join(line.points, " ", [](const FigurePoint& p) { return coordinate(p); }) +
         "};\n  \\addlegendimage{black!60, " + (line.is_bound ? "dash dot" : "densely dotted") +
         ", thick, no marks}\n  \\addlegendentry{" + latex_text(line.label) + "}\n";
}

std::string list_of_ticks(const std::vector<double>& ticks) {
  return core::join(ticks, ",", [](double tick) { return core::to_text(tick); });
}

}  // namespace

std::string figure_pgfplots(const Figure& figure, const std::string& width) {
  const FigureAxes axes = axes_of(figure);
  std::string text = "\\begin{tikzpicture}[baseline=(current bounding box.north)]\n\\begin{axis}[width=" + width +
                     ", height=0.85\\linewidth,\n  xmode=log, ";
  if (figure.logarithmic) text += "ymode=log, ";
  text +=
      "xmin=" + core::to_text(axes.x_low) + ", xmax=" + core::to_text(axes.x_high) +
      ", ymin=" + core::to_text(axes.y_low) + ", ymax=" + core::to_text(axes.y_high) + ",\n  xtick={" +
      list_of_ticks(axes.x_ticks) + "}, xticklabels={" + list_of_ticks(axes.x_ticks) + "},\n  ytick={" +
      list_of_ticks(axes.y_ticks) + "}, yticklabels={" +
      core::join(axes.y_ticks, ",", [&](double tick) { return latex_text(tick_text(figure, tick)); }) +
      "},\n  minor tick num=0, xminorticks=false, yminorticks=false, ymajorgrids, grid style={black!12},\n" +
      "  tick label style={font=\\footnotesize}, label style={font=\\small}, title style={font=\\small},\n" +
      "  title={" + latex_text(figure.title) + "}, xlabel={MPI processes}, ylabel={" + latex_text(figure.y_title) +
      "},\n  legend cell align=left, legend style={at={(0.5,-0.28)}, anchor=north, font=\\footnotesize, draw=none}]\n";
  for (const FigureSeries& series : figure.series) text += "  " + plot_of(series);
  for (const FigureLine& line : figure.lines) text += "  " + plot_of(line);
  return text + "\\end{axis}\n\\end{tikzpicture}";
}

}  // namespace scalediag::report
