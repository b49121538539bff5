// Files that are there whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace scalediag::core {

// Writes to a temporary file beside `path`, flushes it to disk and renames it. On failure `path` is as
// it was, the temporary file is removed, and the error names the path and the system's reason.
Status write_file_atomically(const std::string& path, std::string_view content);

// The whole file, or an error that names it.
Result<std::string> read_file(const std::string& path);

// `absent` where nothing is at `path`; another error where the system does not let us see whether there is.
Status check_there(const std::string& path, Error absent);

// What to say when reading `path`, a file or a folder, failed with `error`, an errno. Where permissions are missing the
// hint is the command that gives them, for the folder on the way to `path` that denies them if one does.
Error read_error(const std::string& path, int error);

}  // namespace scalediag::core
