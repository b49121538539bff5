// The last gate before a terminal: all that we print goes through it, whoever wrote the text.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::cli {

// `text` with '?' for every character that may not be shown (core/printable.h), but for line ends, tabulators and,
// where `colored`, the sequences that our own texts set colours with: names of others can be coloured by them, and no
// more.
std::string fit_for_terminal(std::string_view text, bool colored);

// On a terminal, unless NO_COLOR (https://no-color.org) is set.
bool use_color_on_stderr();

// Lines of ours on stderr, with their ends: progress, what to do next. Whatever is in them, the terminal gets text.
// Errors, warnings and notes: diagnostics.h.
void say(const std::string& text);

// spdlog's messages, which tell what is being done, go to stderr where `verbose`, otherwise nowhere.
void log_what_is_done(bool verbose);

}  // namespace scalediag::cli
