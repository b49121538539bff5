// A figure as SVG.
#pragma once

#include <string>

#include "report/document/figure.h"

namespace scalediag::report {

// A whole document that needs no style sheet.
std::string figure_svg(const Figure& figure);

}  // namespace scalediag::report
