// The last step of all output to a terminal, whatever the origin of its text.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::cli {

// `text` with '?' for every character that may not be shown (core/text/printable.h), except line ends, tabulators and,
// where `colored`, the sequences by which our own texts set colours. Names of other origin can thus at most be
// coloured.
std::string fit_for_terminal(std::string_view text, bool colored);

// True on a terminal, unless NO_COLOR (https://no-color.org) is set.
bool use_color_on_stderr();

// Prints our own lines with their ends on stderr, such as progress and next steps, made safe for a terminal. Errors,
// warnings and notes: diagnostics.h.
void say(const std::string& text);

// Prints the lines of core/debug_log.h on stderr where `verbose`, otherwise nowhere.
void log_what_is_done(bool verbose);

}  // namespace scalediag::cli
