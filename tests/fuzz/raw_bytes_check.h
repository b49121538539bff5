// The properties that hold for any bytes that are read as a raw file.
#pragma once

#include <string_view>

namespace scalediag::fuzz {

// Reads the bytes in every way and divides the times that were found. Returns the problem, or an empty string.
std::string_view check_raw_bytes(std::string_view bytes);

}  // namespace scalediag::fuzz
