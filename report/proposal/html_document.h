// A document for a browser.
#pragma once

#include <string>

#include "report/proposal/document.h"

namespace scalediag::report {

// One file without scripts that requests nothing; figures are in it.
std::string html_document(const Document& document);

}  // namespace scalediag::report
