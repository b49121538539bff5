// Words as a POSIX shell splits and quotes them, for launcher templates and for commands that are shown to the user.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::core {

// Splits at blanks; '...', "..." and \x quote. Nothing is expanded. Error (kUsage): a quote that is not closed.
Result<std::vector<std::string>> split_shell_words(const std::string& text);

// The word as it can be pasted into a shell; unchanged where that needs no quotes.
std::string quote_shell_word(const std::string& word);

std::string join_shell_words(const std::vector<std::string>& words);

}  // namespace scalediag::core
