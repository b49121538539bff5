#include "report/document/figure_svg.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/document/figure_axes.h"
#include "report/document/svg_parts.h"
#include "report/render/html/escape.h"

namespace scalediag::report {
namespace {

constexpr double kFigureWidth = 460, kPlotHeight = 300;
constexpr double kPlotLeft = 58, kPlotRight = 14, kPlotTop = 30, kBelow = 46;
constexpr double kKeyLine = 17;
constexpr double kSymbol = 4.2;

class FigureDrawing {
 public:
  explicit FigureDrawing(const Figure& figure) : figure_(figure), axes_(axes_of(figure)) {}

  std::string svg() {
    const double height = kPlotHeight + kKeyLine * static_cast<double>(key_lines()) + 6;
    out_ = svg_begin(kFigureWidth, height, figure_.title);
    text(kPlotLeft, 17, "start", figure_.title, kSvgInk);
    draw_axes();
    for (const FigureLine& line : figure_.lines) draw_line(line);
    for (const FigureSeries& series : figure_.series) draw_series(series);
    draw_key();
    return std::move(out_) + "</svg>\n";
  }

 private:
  double x(double processes) const {
    const double span = std::log(axes_.x_high / axes_.x_low);
    return kPlotLeft + std::log(processes / axes_.x_low) / span * (kFigureWidth - kPlotLeft - kPlotRight);
  }
  double y(double value) const {
    const double inside = std::clamp(value, axes_.y_low, axes_.y_high);
    const double part = figure_.logarithmic ? std::log(inside / axes_.y_low) / std::log(axes_.y_high / axes_.y_low)
                                            : (inside - axes_.y_low) / (axes_.y_high - axes_.y_low);
    return kPlotHeight - kBelow - part * (kPlotHeight - kPlotTop - kBelow);
  }

  void text(double at_x, double at_y, const char* anchor, const std::string& words, const char* color) {
    out_ += svg_text(at_x, at_y, anchor, words, color);
  }
  void stroke(double x1, double y1, double x2, double y2, const char* color, double width, const char* dashes = "") {
    out_ += svg_line(x1, y1, x2, y2, color, width, dashes);
  }

  void draw_axes() {
    const double bottom = kPlotHeight - kBelow, right = kFigureWidth - kPlotRight;
    for (const double tick : axes_.y_ticks) {
      stroke(kPlotLeft, y(tick), right, y(tick), "#d8dee4", 1);
      text(kPlotLeft - 6, y(tick) + 4, "end", tick_text(figure_, tick), kSvgGrey);
    }
    double last = -100;
    for (const double tick : axes_.x_ticks) {
      stroke(x(tick), bottom, x(tick), bottom + 4, kSvgGrey, 1);
      if (x(tick) - last < 32) continue;
      text(x(tick), bottom + 16, "middle", core::to_text(tick), kSvgGrey);
      last = x(tick);
    }
    stroke(kPlotLeft, bottom, right, bottom, kSvgGrey, 1);
    stroke(kPlotLeft, kPlotTop, kPlotLeft, bottom, kSvgGrey, 1);
    text((kPlotLeft + right) / 2, bottom + 33, "middle", "MPI processes", kSvgInk);
    out_ += "<text x=\"13\" y=\"" + svg_number((kPlotTop + bottom) / 2) + "\" text-anchor=\"middle\" fill=\"" +
            kSvgInk + "\" transform=\"rotate(-90 13 " + svg_number((kPlotTop + bottom) / 2) + ")\">" +
            html::escaped(figure_.y_title) + "</text>\n";
  }

  void draw_line(const FigureLine& line) {
    const FigurePoint& a = line.points.front();
    const FigurePoint& b = line.points.back();
    stroke(x(a.processes), y(a.value), x(b.processes), y(b.value), kSvgGrey, 1.2, line.is_bound ? "8 3 2 3" : "1.5 3");
  }

  void draw_series(const FigureSeries& series) {
    const char* color = svg_color(series.style);
    std::string path;
    for (const FigurePoint& p : series.points) {
      path += (path.empty() ? "M" : "L") + svg_number(x(p.processes)) + "," + svg_number(y(p.value));
    }
    out_ += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + color + "\" stroke-width=\"1.6\"" +
            (series.predicted ? " stroke-dasharray=\"5 4\"" : "") + "/>\n";
    for (const FigurePoint& p : series.points) {
      if (p.low && p.high && *p.high > *p.low) draw_interval(p, color);
    }
    for (const FigurePoint& p : series.points) symbol(x(p.processes), y(p.value), series);
  }

  void draw_interval(const FigurePoint& p, const char* color) {
    const double at = x(p.processes);
    stroke(at, y(*p.low), at, y(*p.high), color, 1);
    stroke(at - 3, y(*p.low), at + 3, y(*p.low), color, 1);
    stroke(at - 3, y(*p.high), at + 3, y(*p.high), color, 1);
  }

  // Circle, square, triangle, diamond; hollow where predicted.
  void symbol(double at_x, double at_y, const FigureSeries& series) {
    const std::string paint = std::string("fill=\"") + (series.predicted ? "#ffffff" : svg_color(series.style)) +
                              "\" stroke=\"" + svg_color(series.style) + "\" stroke-width=\"1.5\"/>\n";
    const auto corner = [&](double dx, double dy) {
      return svg_number(at_x + dx * kSymbol) + "," + svg_number(at_y + dy * kSymbol) + " ";
    };
    switch (series.style % 4) {
      case 0:
        out_ += "<circle cx=\"" + svg_number(at_x) + "\" cy=\"" + svg_number(at_y) + "\" r=\"" + svg_number(kSymbol) +
                "\" " + paint;
        break;
      case 1:
        out_ += "<polygon points=\"" + corner(-1, -1) + corner(1, -1) + corner(1, 1) + corner(-1, 1) + "\" " + paint;
        break;
      case 2:
        out_ += "<polygon points=\"" + corner(0, -1.2) + corner(1.1, 0.9) + corner(-1.1, 0.9) + "\" " + paint;
        break;
      default:
        out_ +=
            "<polygon points=\"" + corner(0, -1.3) + corner(1.3, 0) + corner(0, 1.3) + corner(-1.3, 0) + "\" " + paint;
    }
  }

  size_t key_lines() const { return figure_.series.size() + figure_.lines.size(); }

  void draw_key() {
    double at = kPlotHeight + 4;
    for (const FigureSeries& series : figure_.series) {
      stroke(kPlotLeft, at, kPlotLeft + 30, at, svg_color(series.style), 1.6, series.predicted ? "5 4" : "");
      symbol(kPlotLeft + 15, at, series);
      text(kPlotLeft + 38, at + 4, "start", series.label, kSvgInk);
      at += kKeyLine;
    }
    for (const FigureLine& line : figure_.lines) {
      stroke(kPlotLeft, at, kPlotLeft + 30, at, kSvgGrey, 1.2, line.is_bound ? "8 3 2 3" : "1.5 3");
      text(kPlotLeft + 38, at + 4, "start", line.label, kSvgInk);
      at += kKeyLine;
    }
  }

  const Figure& figure_;
  const FigureAxes axes_;
  std::string out_;
};

}  // namespace

std::string figure_svg(const Figure& figure) { return FigureDrawing(figure).svg(); }

}  // namespace scalediag::report
