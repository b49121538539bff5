// One `scalediag profile` at a time in an experiment folder.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::cli {

// Holds an advisory lock on FOLDER/.lock until it is destroyed or this process ends, however it ends.
class FolderLock {
 public:
  // Errors (kInput): another process holds it; kEnvironment: the file cannot be made.
  static core::Result<FolderLock> acquire(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace scalediag::cli
