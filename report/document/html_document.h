// A document for a browser.
#pragma once

#include <string>

#include "report/document/document.h"

namespace scalediag::report {

std::string html_table(const DocumentTable& table);

// One file without scripts that requests nothing; figures are in it.
std::string html_document(const Document& document);

}  // namespace scalediag::report
