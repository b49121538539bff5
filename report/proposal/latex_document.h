// A document for LaTeX.
#pragma once

#include <string>

#include "report/proposal/document.h"

namespace scalediag::report {

// A file that compiles by itself with pdflatex, and that \input takes into another document, which then loads the
// packages that the file names at its beginning.
std::string latex_document(const Document& document);

}  // namespace scalediag::report
