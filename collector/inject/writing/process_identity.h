// The identity of this process, for the files that it writes.
#pragma once

#include <unistd.h>

#include <string>

namespace scalediag::inject {

// May throw std::bad_alloc, as executable_path() may.
inline std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

// The path of the program; empty where /proc does not tell.
inline std::string executable_path() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, n > 0 ? static_cast<size_t>(n) : 0);
}

}  // namespace scalediag::inject
