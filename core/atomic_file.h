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

}  // namespace scalediag::core
