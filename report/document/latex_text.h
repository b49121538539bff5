// Text of other origin inside LaTeX.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::report {

// `text` with every character that LaTeX would take as a command escaped. Characters that may not be shown
// (core/text/printable.h) become "?". pdflatex has no glyph for most characters beyond Latin letters: those that are
// not ASCII become "?", too, except Latin letters with accents.
std::string latex_text(std::string_view text);

}  // namespace scalediag::report
