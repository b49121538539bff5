#include "collector/launch/host/installation.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> candidate_folders() {
  if (const char* folder = std::getenv("SCALEDIAG_LIBRARY_DIR"); folder != nullptr && *folder != '\0') {
    return {fs::absolute(folder)};
  }
  std::error_code failed;
  const fs::path bin = fs::read_symlink("/proc/self/exe", failed).parent_path();
  // The first folder is that of this build's installation; the others serve a tree that was moved, and the build tree.
  return {bin / SCALEDIAG_LIBRARY_FROM_BIN, bin / "../lib/scalediag", bin / "../lib64/scalediag"};
}

}  // namespace

Result<Installation> find_installation() {
  std::string looked_at;
  for (const fs::path& folder : candidate_folders()) {
    const std::string normal = folder.lexically_normal().string();
    const Installation found{normal + "/libscalediag.so", normal + "/scalediag-rank"};
    if (access(found.library.c_str(), R_OK) == 0 && access(found.shim.c_str(), X_OK) == 0) {
      // ld.so(8): the names in LD_PRELOAD are separated by spaces or colons, and nothing escapes them.
      if (normal.find_first_of(" :") == normal.npos) return found;
      return Error{ErrorCode::kEnvironment,
                   "the loader cannot preload from " + normal + ": a space or a colon in it ends a name",
                   "move scalediag to a folder without them, such as ~/scalediag"};
    }
    if (looked_at.find(normal) == looked_at.npos) looked_at += (looked_at.empty() ? "" : ", ") + normal;
  }
  return Error{ErrorCode::kEnvironment, "libscalediag.so and scalediag-rank are not found; looked in " + looked_at,
               "install scalediag again, or set SCALEDIAG_LIBRARY_DIR to the folder that holds both"};
}

const char* version() { return SCALEDIAG_VERSION; }

}  // namespace scalediag::launch
