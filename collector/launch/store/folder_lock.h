// The lock that allows a single `scalediag profile` at a time in an experiment folder.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::launch {

// Holds an advisory lock on FOLDER/.lock until it is destroyed or this process ends in any way.
class FolderLock {
 public:
  // Errors: another process holds it (kInput); the file cannot be made (kEnvironment).
  static Result<FolderLock> acquire(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace scalediag::launch
