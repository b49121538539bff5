#include "core/scratch_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/leftovers.h"

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
  if (parent.empty()) return;
  remove_leftovers(parent);
  std::string name = (parent / ("scalediag-" + purpose + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) return;
  path_ = std::move(name);
  owner_ = ::open(file(kOwnerFile).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (owner_ >= 0) lock_as_owner(owner_);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")), owner_(std::exchange(other.owner_, -1)) {}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) remove_folder(path_);
  if (owner_ >= 0) ::close(owner_);
}

}  // namespace scalediag::core
