// Zip archives with few members, as Extra-P's saved experiments are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace scalediag::fit {

inline bool begins_like_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }

// The content of a member, by the archive's directory. Empty (no value) where there is no such member, or where it is
// damaged, packed by another method than deflating, or more than `most` bytes.
std::optional<std::string> zip_member(std::string_view bytes, std::string_view name, size_t most);

// An archive with one member, which is not packed. Preconditions: less than 4 GiB.
std::string zip_with(const std::string& name, const std::string& content);

}  // namespace scalediag::fit
