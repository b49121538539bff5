// The members of a tar archive in memory. Nothing is written anywhere, so names of members are only looked up.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result.h"

namespace scalediag::fit {

// True where `bytes` begin with the header of a tar member that is a file with a name and a size.
bool begins_like_tar(std::string_view bytes);

// The content of each file by its name, as views of `bytes`. Checksums are not checked, since some writers of Cube
// files had them wrong. Errors (kInput): a size that is no number, a member that goes beyond the end, no empty
// block behind the last one, more than 100000 members. `file` is the name in errors.
core::Result<std::map<std::string, std::string_view>> tar_members(std::string_view bytes, const std::string& file);

}  // namespace scalediag::fit
