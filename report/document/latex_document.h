// A document for LaTeX.
#pragma once

#include <string>

#include "report/document/document.h"

namespace scalediag::report {

// Needs booktabs, and textcomp.
std::string latex_table(const DocumentTable& table);

// A file that compiles by itself with pdflatex, and that \input takes into another document, which then loads the
// packages that the file names at its beginning.
std::string latex_document(const Document& document);

}  // namespace scalediag::report
