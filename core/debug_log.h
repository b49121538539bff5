// Lines about the progress of the work, for who looks for an error (`--verbose`). They are not part of any result.
#pragma once

#include <string>

namespace scalediag::core {

// Hands every later line to `receiver`; nullptr, as at the start, drops them. It is called while no other thread runs.
void send_debug_log_to(void (*receiver)(const std::string& line));

// One line without its end, in any thread. Its text may come from elsewhere: `receiver` makes it safe to print.
void log_debug(const std::string& line);

}  // namespace scalediag::core
