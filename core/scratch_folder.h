// A folder for files of a moment, removed with everything in it; by a later process where this one is killed
// (leftovers.h).
#pragma once

#include <filesystem>
#include <string>

namespace scalediag::core {

class ScratchFolder {
 public:
  ScratchFolder() = default;  // none
  // In the folder for temporary files (TMPDIR, else /tmp), or in `parent`. `purpose` is part of its name.
  explicit ScratchFolder(const std::string& purpose);
  ScratchFolder(const std::string& purpose, const std::filesystem::path& parent);
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  // Empty where it could not be made.
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  int owner_ = -1;  // the owner file, locked
};

}  // namespace scalediag::core
