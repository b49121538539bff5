// Files that exist either whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace scalediag::core {

// A file that appears only when it is whole: it is written under another name beside `path`, or beside the file that
// links at `path` lead to, and then renamed. Until then, and after any error, the former file stays as it was. Errors
// name the path and the system's reason (kEnvironment).
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  // The same, but a symbolic link at `path` is replaced by the file, and its target stays: for files of our own in
  // folders that others may write to.
  static Result<AtomicFile> create_without_links(const std::string& path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  // Removes the temporary file if it was not put in place.
  ~AtomicFile();

  Status write(std::string_view content);
  // Flushes to disk and renames. Nothing else may be called afterwards.
  Status put_in_place();

 private:
  AtomicFile(std::string path, std::string target, std::string temporary, int fd);
  static Result<AtomicFile> create_at(const std::string& path, const std::string& target);
  Status fail(int error) const;

  std::string path_;       // as in errors
  std::string target_;     // the final path
  std::string temporary_;  // the temporary path; empty: in place
  int fd_ = -1;
};

// Writes all of `content` by an AtomicFile; the second function uses create_without_links().
Status write_file_atomically(const std::string& path, std::string_view content);
Status write_own_file_atomically(const std::string& path, std::string_view content);

// The path that symbolic links at `path` lead to, even if nothing exists there yet; `path` itself where it is no link.
// Error (kEnvironment): links that lead to one another.
Result<std::string> file_behind_links(const std::string& path);

// The whole file, or an error that names it. A pipe is read until its end, but not waited for where nobody writes to
// it.
Result<std::string> read_file(const std::string& path);

// Error: `absent` where nothing is at `path`; another one where the system does not let us see whether there is.
Status check_there(const std::string& path, Error absent);

// The error for writing `path`, or making a file or folder there, with its cause `error`, an errno. The hint is the
// remedy for this cause.
Error write_error(const std::string& path, int error);

// The error for reading `path`, a file or a folder, with its cause `error`, an errno. Where permissions are missing,
// the hint is the command that gives them, for the folder on the way to `path` that denies them if there is one.
Error read_error(const std::string& path, int error);

}  // namespace scalediag::core
