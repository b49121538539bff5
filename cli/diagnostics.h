// How scalediag speaks to the user about trouble: on stderr, "error: what" and then "hint: what mends it".
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::cli {

// Prints the error and returns the exit status that belongs to its code.
int report(const core::Error& error);

// "warning: what", and a hint if there is one.
void warn(const std::string& message, const std::string& hint = "");

// "note: what", for choices that were made for the user.
void note(const std::string& message);

int exit_status_of(core::ErrorCode code);

}  // namespace scalediag::cli
