// profile.json; its fields are documented in profile.schema.json.
#pragma once

#include <string>

#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::core {

inline constexpr char kProfileSchema[] = "scalediag-profile";
inline constexpr int kProfileVersion = 1;

// Reads and writes profile.json. It is written by temporary file and rename. Reading refuses a newer schema, naming
// both versions, and values that cannot have been measured (core/profile/profile_check.h).
Result<Profile> read_profile(const std::string& path);
Status write_profile(const Profile& profile, const std::string& path);
// The same from text; `file` is the name in errors.
Result<Profile> parse_profile(const std::string& text, const std::string& file);

}  // namespace scalediag::core
