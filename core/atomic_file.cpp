#include "core/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace scalediag::core {
namespace {

std::string reason_of(int error) { return std::strerror(error); }

Error write_error(const std::string& path, int error) {
  Error e;
  e.code = ErrorCode::kEnvironment;
  e.message = "cannot write " + path + ": " + reason_of(error);
  if (error == ENOSPC || error == EDQUOT) e.hint = "free some space there, or choose another folder with -o";
  if (error == EACCES || error == EROFS || error == EPERM) e.hint = "choose a folder that you may write to with -o";
  e.where = path;
  return e;
}

// The folder on the way to `path` that may not be passed; `path` itself where all may.
std::string first_that_may_not_be_passed(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (::access(folder.c_str(), X_OK) != 0 && errno == EACCES) return folder;
  }
  return path;
}

std::string permission_hint(const std::string& path) {
  const std::string denying = first_that_may_not_be_passed(path);
  struct stat found {};
  const bool known = ::stat(denying.c_str(), &found) == 0;
  const bool own = known && found.st_uid == ::geteuid();
  const std::string bits = denying != path ? "x" : known && S_ISDIR(found.st_mode) ? "rx" : "r";
  return std::string(own ? "" : "its owner, or root, can run: ") + "chmod " + (own ? "u+" : "a+") + bits + " " +
         denying;
}

// Returns 0 or the errno of what failed.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<size_t>(n));
  }
  // Some file systems have no fsync for a file; the rename is then as good as it gets.
  if (::fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS) return errno;
  return 0;
}

// What a symbolic link leads to is replaced, not the link.
std::string resolve_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

// Without O_TMPFILE or mkstemp: the file has to get the permissions that the user's umask gives.
int open_temporary(const std::string& path, std::string& temporary) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = path + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

Status write_file_atomically(const std::string& path, std::string_view content) {
  const std::string target = resolve_links(path);
  struct stat existing {};
  if (::stat(target.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    return write_error(path, S_ISDIR(existing.st_mode) ? EISDIR : EINVAL);
  }

  std::string temporary;
  const int fd = open_temporary(target, temporary);
  if (fd < 0) return write_error(path, errno);
  int error = write_all(fd, content);
  if (::close(fd) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return write_error(path, error);
  }

  // The rename itself survives a crash only when the folder is on disk as well; the content already is.
  const size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : target.substr(0, slash);
  const int folder_fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd >= 0) {
    ::fsync(folder_fd);
    ::close(folder_fd);
  }
  return Done{};
}

Error read_error(const std::string& path, int error) {
  return {ErrorCode::kInput, "cannot read " + path + ": " + reason_of(error),
          error == EACCES ? permission_hint(path) : "", path};
}

Status check_there(const std::string& path, Error absent) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) return Done{};
  const int error = errno;
  if (error == ENOENT || error == ENOTDIR) return absent;
  return read_error(path, error);
}

Result<std::string> read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return read_error(path, errno);
  std::string content;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      ::close(fd);
      return read_error(path, error);
    }
    if (n == 0) break;
    content.append(buffer.data(), static_cast<size_t>(n));
  }
  ::close(fd);
  return content;
}

}  // namespace scalediag::core
