// A document for Markdown.
#pragma once

#include <string>
#include <vector>

#include "report/document/document.h"

namespace scalediag::report {

// `pictures`: the file of each of figures_of(document), as the text refers to it.
std::string markdown_document(const Document& document, const std::vector<std::string>& pictures);

}  // namespace scalediag::report
