#include "core/scratch_folder.h"

#include <cstdlib>
#include <system_error>
#include <utility>

namespace scalediag::core {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_temporary_files() {
  std::error_code failed;
  const fs::path folder = fs::temp_directory_path(failed);
  return failed ? fs::path() : folder;
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& purpose) : ScratchFolder(purpose, folder_of_temporary_files()) {}

ScratchFolder::ScratchFolder(const std::string& purpose, const fs::path& parent) {
  std::string name = (parent / ("scalediag-" + purpose + "-XXXXXX")).string();
  if (!parent.empty() && mkdtemp(name.data()) != nullptr) path_ = std::move(name);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  // An overlay leaves a folder without permissions; the iterator enters it after this.
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(path_, ignored), end; at != end; at.increment(ignored)) {
    if (ignored) break;
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
      fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  fs::remove_all(path_, ignored);
}

}  // namespace scalediag::core
