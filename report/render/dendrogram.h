// The tree of sets of ranks that one rank stands for: at which distances they would be one (complete linkage).
#pragma once

#include <string>

#include "loggp/representatives/representatives.h"

namespace scalediag::report {

// The tree of each group of ranks that communicate alike, a line for each set and each distance.
std::string dendrogram_text(const loggp::Representatives& representatives);

// The same as an SVG document on white paper: distances from left to right, a bar for how far the ranks of a set are
// apart, and a circle for the rank that stands for them.
std::string dendrogram_svg(const loggp::Representatives& representatives, const std::string& program);

}  // namespace scalediag::report
