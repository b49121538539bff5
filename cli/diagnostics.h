// Messages to the user about problems, on stderr: "error: PROBLEM" and then "hint: REMEDY".
#pragma once

#include <string>

#include "collector/launch/notices.h"
#include "core/result.h"

namespace scalediag::cli {

// Prints the error and returns the exit status that belongs to its code.
int report(const Error& error);

// Prints "warning: MESSAGE", and a hint if there is one that no earlier warning had.
void warn(const std::string& message, const std::string& hint = "");

// Prints "note: MESSAGE", for choices that were made for the user.
void note(const std::string& message);

// Prints what the measuring engine has to tell, as above.
launch::Notices& notices();

int exit_status_of(ErrorCode code);

}  // namespace scalediag::cli
