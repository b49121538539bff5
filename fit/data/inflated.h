// Compressed bytes, whose size is limited when they are unpacked.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace scalediag::fit {

enum class Packing { kZlib, kGzip, kRaw };  // the header in front of the deflated data

// The unpacked bytes; those after the end of the packed data are left. Empty (no value) where the data are damaged, cut
// off or more than `most` bytes when unpacked.
std::optional<std::string> inflated(std::string_view packed, Packing packing, size_t most);

}  // namespace scalediag::fit
