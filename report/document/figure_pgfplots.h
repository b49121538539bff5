// A figure for LaTeX.
#pragma once

#include <string>

#include "report/document/figure.h"

namespace scalediag::report {

// A tikzpicture of pgfplots, as wide as `width` says: "0.5\\linewidth".
std::string figure_pgfplots(const Figure& figure, const std::string& width);

}  // namespace scalediag::report
