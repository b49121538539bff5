// The text form of the JSON files that we write: the same document always gives the same bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/result.h"

namespace scalediag::core {

// Containers above `compact_depth` have one element a line, those below are written on their line: a long list of
// kernels is one kernel a line, which people can read and `diff` can compare. Ends with a newline. Doubles are written
// so that they read back unchanged; texts are written as by to_json_line() (json_line.h). Error: a number is not
// finite, which JSON cannot hold (names its path; a mistake of the code that filled the document).
Result<std::string> to_json_text(const nlohmann::ordered_json& document, int compact_depth);

}  // namespace scalediag::core
