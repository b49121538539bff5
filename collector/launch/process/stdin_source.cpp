#include "collector/launch/process/stdin_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace scalediag::launch {
namespace {

constexpr char kFromByte[] = " from byte ";

// The path behind our own standard input; /proc's link still opens a file that has been deleted.
std::string own_stdin_path() {
  std::error_code failed;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/0", failed);
  return !failed && std::filesystem::exists(path, failed) ? path.string() : "/proc/self/fd/0";
}

bool data_waits_on_pipe() {
  int bytes = 0;
  return ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace

std::string StdinSource::description() const { return offset == 0 ? file : file + kFromByte + std::to_string(offset); }

StdinSource StdinSource::described(const std::string& text) {
  const size_t from = text.rfind(kFromByte);
  if (from == text.npos) return {text, 0};
  StdinSource source{text.substr(0, from), 0};
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data() + from + std::strlen(kFromByte), end, source.offset);
  const bool is_offset = failed == std::errc() && stop == end && source.offset > 0;
  return is_offset ? source : StdinSource{text, 0};
}

Result<int> StdinSource::open() const {
  if (file.empty()) return -1;
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || lseek(fd, offset, SEEK_SET) < 0) {
    const std::string reason = std::strerror(errno);
    if (fd >= 0) close(fd);
    return Error{ErrorCode::kInput, "cannot read the standard input " + file + ": " + reason,
                 "give a file that can be read: --stdin FILE", file};
  }
  return fd;
}

Result<StdinSource> choose_stdin(const std::string& asked_file) {
  StdinSource source;
  struct stat info {};
  if (!asked_file.empty()) {
    source.file = std::filesystem::absolute(asked_file).lexically_normal().string();
    if (stat(source.file.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      return Error{ErrorCode::kInput, "--stdin: " + source.file + " is not a regular file",
                   "every run reads it from its beginning: give a file", "--stdin"};
    }
    const auto opened = TRY(source.open());
    close(opened);
    return source;
  }
  if (fstat(STDIN_FILENO, &info) != 0) return source;
  if (S_ISREG(info.st_mode)) {
    source.file = own_stdin_path();
    source.offset = static_cast<long>(std::max<off_t>(0, lseek(STDIN_FILENO, 0, SEEK_CUR)));
    return source;
  }
  if ((S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) && data_waits_on_pipe()) {
    return Error{ErrorCode::kUsage, "data wait on standard input, but only one of the runs could read a pipe",
                 "write the data to a file and give it with --stdin FILE, or leave it out with < /dev/null", "stdin"};
  }
  return source;
}

}  // namespace scalediag::launch
