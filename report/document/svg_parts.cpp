#include "report/document/svg_parts.h"

#include <iterator>

#include "core/text/quantities.h"
#include "report/render/html/escape.h"

namespace scalediag::report {

const char* svg_color(size_t style) {
  constexpr const char* kColors[] = {"#0066ad", "#ad4600", "#1d7a46", "#7a3b8f", "#8a7a00", "#444444"};
  return kColors[style % std::size(kColors)];
}

std::string svg_number(double value) { return core::fixed(value, 1); }

std::string svg_begin(double width, double height, const std::string& title) {
  const std::string size = "width=\"" + svg_number(width) + "\" height=\"" + svg_number(height) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + svg_number(width) + " " + svg_number(height) +
         "\" " + size + " role=\"img\" aria-label=\"" + html::escaped(title) +
         "\" font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"11\">\n<rect " + size + " fill=\"#ffffff\"/>\n";
}

std::string svg_text(double x, double y, const char* anchor, const std::string& words, const char* color) {
  return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" text-anchor=\"" + anchor + "\" fill=\"" +
         color + "\">" + html::escaped(words) + "</text>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2, const char* color, double width, const char* dashes) {
  return "<line x1=\"" + svg_number(x1) + "\" y1=\"" + svg_number(y1) + "\" x2=\"" + svg_number(x2) + "\" y2=\"" +
         svg_number(y2) + "\" stroke=\"" + color + "\" stroke-width=\"" + svg_number(width) + "\"" +
         (*dashes == 0 ? std::string() : std::string(" stroke-dasharray=\"") + dashes + "\"") + "/>\n";
}

}  // namespace scalediag::report
