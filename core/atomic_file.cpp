#include "core/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "core/leftovers.h"

namespace scalediag::core {
namespace {

std::string reason_of(int error) { return std::strerror(error); }

// The first folder on the way to `path` without permission to search it; `path` itself where there is none.
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

// Returns 0 or the errno of the failure.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

// Some file systems have no fsync for a file; the rename then has to suffice.
int flush_to_disk(int fd) { return ::fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS ? errno : 0; }

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// The target of the link at `path`; empty where it is no link.
std::optional<std::string> link_at(const std::string& path) {
  std::array<char, PATH_MAX> text{};
  const ssize_t n = ::readlink(path.c_str(), text.data(), text.size());
  if (n < 0) return std::nullopt;
  return std::string(text.data(), static_cast<size_t>(n));
}

std::string missing_folder_hint(const std::string& path) {
  const Result<std::string> target = file_behind_links(path);
  if (!target) return "";
  const std::string folder = folder_of(target.value());
  const std::string link =
      target.value() == path || !link_at(path) ? "" : path + " is a link to " + target.value() + ": ";
  return ::access(folder.c_str(), F_OK) == 0 ? "choose another place: nothing can be made in " + folder
                                             : link + "mkdir -p " + folder;
}

// Without O_TMPFILE or mkstemp: the file must have the permissions that the user's umask gives. The temporary name is
// short, since that of the file may have the maximal length.
int open_temporary(const std::string& folder, std::string& temporary) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = folder + "/" + kTemporaryFiles + std::to_string(::getpid()) + "." + std::to_string(attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 && !lock_as_owner(fd)) {
      ::close(fd);
      continue;
    }
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

Status write_all_to(Result<AtomicFile> file, std::string_view content) {
  if (!file) return file.error();
  TRY(file.value().write(content));
  return file.value().put_in_place();
}

}  // namespace

Result<std::string> file_behind_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (real) return std::string(real.get());
  // A link may lead to a path where nothing exists yet.
  std::string target = path;
  constexpr int kMostLinks = 40;  // as Linux has it
  for (int links = 0; links <= kMostLinks; ++links) {
    const std::optional<std::string> next = link_at(target);
    if (!next) return target;
    target = next->starts_with('/') ? *next : folder_of(target) + "/" + *next;
  }
  return write_error(path, ELOOP);
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  const std::string target = TRY(file_behind_links(path));
  return create_at(path, target);
}

Result<AtomicFile> AtomicFile::create_without_links(const std::string& path) { return create_at(path, path); }

Result<AtomicFile> AtomicFile::create_at(const std::string& path, const std::string& target) {
  struct stat existing {};
  if (::lstat(target.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode) && !S_ISLNK(existing.st_mode)) {
    return write_error(path, S_ISDIR(existing.st_mode) ? EISDIR : EINVAL);
  }
  std::string temporary;
  remove_leftovers(folder_of(target));
  const int fd = open_temporary(folder_of(target), temporary);
  if (fd < 0) return write_error(path, errno);
  return AtomicFile(path, target, std::move(temporary), fd);
}

AtomicFile::AtomicFile(std::string path, std::string target, std::string temporary, int fd)
    : path_(std::move(path)), target_(std::move(target)), temporary_(std::move(temporary)), fd_(fd) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, "")),
      fd_(std::exchange(other.fd_, -1)) {}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status AtomicFile::fail(int error) const { return error == 0 ? Status(Done{}) : write_error(path_, error); }

Status AtomicFile::write(std::string_view content) { return fail(write_all(fd_, content)); }

Status AtomicFile::put_in_place() {
  int error = flush_to_disk(fd_);
  if (::close(std::exchange(fd_, -1)) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) error = errno;
  if (error != 0) return fail(error);
  temporary_.clear();
  // The rename itself survives a crash only when the folder is on disk as well; the content already is.
  const int folder_fd = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd >= 0) {
    ::fsync(folder_fd);
    ::close(folder_fd);
  }
  return Done{};
}

Status write_file_atomically(const std::string& path, std::string_view content) {
  return write_all_to(AtomicFile::create(path), content);
}

Status write_own_file_atomically(const std::string& path, std::string_view content) {
  return write_all_to(AtomicFile::create_without_links(path), content);
}

Error write_error(const std::string& path, int error) {
  Error e{ErrorCode::kEnvironment, "cannot write " + path + ": " + reason_of(error), "", path};
  switch (error) {
    case ENOSPC:
    case EDQUOT: e.hint = "free some space there, or write to another folder"; break;
    case EFBIG: e.hint = "files may not become larger than `ulimit -f` says: ulimit -f unlimited"; break;
    case EMFILE:
      e.hint = "no more files may be open at once than `ulimit -n` says: raise it, as in ulimit -n 1024";
      break;
    case ENFILE: e.hint = "too many files are open on this machine: end programs, or raise fs.file-max"; break;
    case EACCES:
    case EPERM:
    case EROFS: e.hint = "choose a folder that you may write to"; break;
    case ENOENT: e.hint = missing_folder_hint(path); break;
    case EBADF: e.hint = "it is closed, or open for reading only"; break;
    case ENAMETOOLONG: e.hint = "choose a shorter name"; break;
    case ELOOP: e.hint = "it is a link that leads back to itself: remove it"; break;
    default: break;
  }
  return e;
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
  // Opening a named pipe would wait for somebody who writes to it.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return read_error(path, errno);
  struct stat found {};
  // No command reads devices, and some of them (/dev/zero) have no end.
  if (::fstat(fd, &found) == 0 && (S_ISCHR(found.st_mode) || S_ISBLK(found.st_mode))) {
    ::close(fd);
    return Error{ErrorCode::kInput, path + " is a device, not a file", "name a file", path};
  }
  const bool is_pipe = S_ISFIFO(found.st_mode);
  std::string content;
  // Growing by doubling would take up to three times a large file.
  constexpr off_t kMostReserved = off_t{1} << 32;
  if (S_ISREG(found.st_mode)) content.reserve(static_cast<size_t>(std::min(found.st_size, kMostReserved)));
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    // Somebody has the pipe open who has not written yet.
    if (n < 0 && errno == EAGAIN && ::fcntl(fd, F_SETFL, 0) == 0) continue;
    if (n == 0 && is_pipe && content.empty()) {
      ::close(fd);
      return Error{ErrorCode::kInput, path + " is a named pipe that nobody writes to", "name a file", path};
    }
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
