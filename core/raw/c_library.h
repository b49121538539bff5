// The files of the C library. Header only, C++17.
#pragma once

#include <string_view>

namespace scalediag::raw {

// Whether the file is part of the C library: glibc's, also with its version in the name and with threads in a file of
// their own, as before 2.34, or musl's; and the loader, which musl has in the same file.
constexpr bool is_c_library(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view begin :
       {"libc.so", "libc-2", "libpthread.so", "libpthread-2", "ld-linux", "ld-2", "ld-musl", "libc.musl"}) {
    if (file.substr(0, begin.size()) == begin) return true;
  }
  return false;
}

}  // namespace scalediag::raw
