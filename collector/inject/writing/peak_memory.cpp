#include "collector/inject/writing/peak_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace scalediag::inject {

uint64_t peak_resident_bytes() {
  const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[4096];
  size_t length = 0;
  for (;;) {
    const ssize_t n = read(fd, text + length, sizeof text - 1 - length);
    if (n <= 0) break;
    length += static_cast<size_t>(n);
  }
  close(fd);
  text[length] = '\0';
  const char* const line = std::strstr(text, "\nVmHWM:");
  return line != nullptr ? std::strtoull(line + std::strlen("\nVmHWM:"), nullptr, 10) * 1024 : 0;
}

}  // namespace scalediag::inject
