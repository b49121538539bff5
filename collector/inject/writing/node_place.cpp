#include "collector/inject/writing/node_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/inject/writing/process_identity.h"

namespace scalediag::inject {
namespace {

// The first eight hexadecimal digits of the boot id; eight zeros where the system has none.
std::string boot_of_node() {
  char text[9] = "00000000";
  const int fd = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char read_text[8];
  if (::read(fd, read_text, sizeof read_text) == static_cast<ssize_t>(sizeof read_text)) {
    std::memcpy(text, read_text, sizeof read_text);
  }
  ::close(fd);
  return text;
}

}  // namespace

std::string rank_file_path(const std::string& directory, uint32_t rank, const char* suffix) {
  char name[32];
  std::snprintf(name, sizeof name, "/rank%06u%s", rank, suffix);
  return directory + name;
}

std::string node_file_path(const std::string& directory, const char* suffix) {
  std::string host = host_name();
  std::replace(host.begin(), host.end(), '/', '_');
  return directory + "/node-" + host + "-" + boot_of_node() + suffix;
}

int create_at(const WritingPlace& place, RawWriter& writer, uint32_t rank, const char* suffix, const char* magic,
              uint32_t version) {
  if (!place.in_node) return writer.create(rank_file_path(place.directory, rank, suffix), rank, magic, version);
  std::string scratch;
  if (!place.scratch.empty()) scratch = rank_file_path(place.scratch, rank, suffix);
  return writer.create_in_node(node_file_path(place.directory, suffix), scratch, rank, magic, version);
}

std::string scratch_folder(const char* named) {
  if (std::strcmp(named, "auto") != 0) return named;
  for (const char* variable : {"SLURM_TMPDIR", "TMPDIR"}) {
    const char* folder = std::getenv(variable);
    if (folder != nullptr && *folder != '\0') return folder;
  }
  return "/tmp";
}

}  // namespace scalediag::inject
