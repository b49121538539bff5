// Parts of an SVG document, for figures.
#pragma once

#include <cstddef>
#include <string>

namespace scalediag::report {

constexpr const char* kSvgInk = "#1c2126";
constexpr const char* kSvgGrey = "#5a6570";

// One of six colours, which differ in lightness, too.
const char* svg_color(size_t style);

std::string svg_number(double value);
// The beginning of a document on white paper; "</svg>" ends it.
std::string svg_begin(double width, double height, const std::string& title);
// `anchor`: "start", "middle", "end".
std::string svg_text(double x, double y, const char* anchor, const std::string& words, const char* color);
std::string svg_line(double x1, double y1, double x2, double y2, const char* color, double width,
                     const char* dashes = "");

}  // namespace scalediag::report
