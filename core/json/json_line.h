// A text, or a small document, as JSON on one line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace scalediag::core {

// Without a line end. Bytes that are not UTF-8 are replaced by U+FFFD, characters that may not be shown (printable.h)
// are escaped, numbers that are not finite become null.
std::string to_json_line(const nlohmann::ordered_json& value);

}  // namespace scalediag::core
