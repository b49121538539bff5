#include "core/leftovers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>

namespace scalediag::core {
namespace {

namespace fs = std::filesystem;

// The process that made the temporary file ".scalediag.PID.NUMBER"; 0: the name is not of this form.
pid_t maker_of(std::string_view name) {
  const std::string_view begin = kTemporaryFiles;
  if (!name.starts_with(begin)) return 0;
  name.remove_prefix(begin.size());
  const auto number = [&name] {
    int value = 0;
    const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (failed != std::errc() || value < 0) return -1;
    name.remove_prefix(static_cast<size_t>(end - name.data()));
    return value;
  };
  const int pid = number();
  if (pid <= 0 || !name.starts_with('.')) return 0;
  name.remove_prefix(1);
  return number() >= 0 && name.empty() ? pid : 0;
}

// Holds the file's lock while it is removed, so that nobody takes it for its own.
class Leftover {
 public:
  explicit Leftover(const fs::path& file) : fd_(::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    is_ = fd_ >= 0 && ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
          ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
  }
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;
  ~Leftover() {
    if (fd_ >= 0) ::close(fd_);
  }
  explicit operator bool() const { return is_; }

 private:
  int fd_ = -1;
  bool is_ = false;
};

bool is_looked_at_first(const fs::path& folder) {
  static std::mutex lock;
  static std::set<fs::path> seen;
  const std::lock_guard<std::mutex> guard(lock);
  return seen.insert(folder).second;
}

}  // namespace

bool lock_as_owner(int fd) {
  struct stat status {};
  // File systems without locks have no leftovers removed either.
  const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  return locked && ::fstat(fd, &status) == 0 && status.st_nlink > 0;
}

void remove_leftovers(const fs::path& folder) {
  if (!is_looked_at_first(folder)) return;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (const pid_t maker = maker_of(name); maker != 0) {
      // A version that knows no locks may have made it.
      if (::kill(maker, 0) != 0 && errno == ESRCH && Leftover(at->path())) ::unlink(at->path().c_str());
    } else if (name.starts_with("scalediag-")) {
      if (const Leftover left(at->path() / kOwnerFile); left) remove_folder(at->path());
    }
  }
}

void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  // An overlay leaves a folder without permissions; the iterator enters it after this.
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (ignored) break;
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
      fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  fs::remove_all(folder, ignored);
}

}  // namespace scalediag::core
