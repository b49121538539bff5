// The package of this machine that would bring the symbols of a file.
#pragma once

#include <string>

namespace scalediag::merge {

// "libpetsc-real3.18-dbgsym" for a file that a package of Debian brought, by the lists of files in `lists`; empty where
// none did.
std::string debug_package_of(const std::string& path, const std::string& lists = "/var/lib/dpkg/info");

}  // namespace scalediag::merge
