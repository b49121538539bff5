#include "collector/launch/store/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/atomic_file.h"

namespace scalediag::launch {

Result<FolderLock> FolderLock::acquire(const std::string& folder) {
  const std::string path = folder + "/.lock";
  // Close-on-exec: a rank that outlives us must not keep the lock.
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return core::write_error(path, errno);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    close(fd);
    if (reason != EWOULDBLOCK) {
      return Error{ErrorCode::kEnvironment, "cannot lock " + path + ": " + std::strerror(reason),
                   "choose a folder on a file system that has locks with -o", path};
    }
    return Error{ErrorCode::kInput, "another scalediag profile is at work in " + folder,
                 "wait for it, or choose another folder with -o", folder};
  }
  return FolderLock(fd);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace scalediag::launch
