#include "core/experiment/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "core/atomic_file.h"
#include "core/experiment/experiment.h"

namespace scalediag::core {
namespace {

namespace fs = std::filesystem;

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> identity_of(const fs::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return Identity(found.st_dev, found.st_ino);
}

// Whether `folder` has an experiment.json of ours, which may be damaged.
bool holds_experiment(const fs::path& folder) {
  std::ifstream file(ExperimentFolder(folder.string()).experiment_file(), std::ios::binary);
  std::string beginning(256, ' ');  // the schema's name comes first
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning.find("scalediag-experiment/") != std::string::npos;
}

// Whether a file of this name belongs to an experiment, outside of its folder "runs".
bool is_file_of_experiment(const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames = {"experiment.json", "profile.json", "machine.json", ".lock"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Whether the file is in the folder of a run, which may have been copied out of its experiment.
bool is_file_of_run(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".raw" || extension == ".trace" || extension == ".log" ||
         path.filename().string().starts_with("rank");
}

// Whether `below`, a path relative to an experiment folder, is one of the experiment's files.
bool is_own(const fs::path& below) {
  const bool directly_in_it = std::next(below.begin()) == below.end();
  return *below.begin() == "runs" || (directly_in_it && is_file_of_experiment(below.string()));
}

// The experiment folder that `file`, absolute and without links, belongs to; empty for none.
std::string experiment_of(const fs::path& file) {
  for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (holds_experiment(folder) && is_own(file.lexically_relative(folder))) return folder.string();
    if (folder == folder.parent_path()) break;
  }
  return "";
}

// `file` relative to `folder` where it lies in it, at any depth; else empty. Compared by device and inode, because a
// folder may be mounted at several places.
std::optional<fs::path> path_below(const fs::path& file, const std::string& folder) {
  const auto wanted = identity_of(folder);
  for (fs::path above = file.parent_path(); wanted && !above.empty(); above = above.parent_path()) {
    if (identity_of(above) == wanted) return file.lexically_relative(above);
    if (above == above.parent_path()) break;
  }
  return std::nullopt;
}

// Whether the file is another name of an input file in `folder`.
bool is_hard_link_into(const struct stat& file, const std::string& folder) {
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    const bool is_read = is_own(it->path().lexically_relative(folder)) || is_file_of_run(it->path());
    if (is_read && identity_of(it->path()) == Identity(file.st_dev, file.st_ino)) return true;
  }
  return false;
}

// A requested file, and the path that is written then.
class Output {
 public:
  static Result<Output> of(const std::string& path) {
    auto behind = TRY(file_behind_links(path));
    return Output(path, fs::absolute(behind).lexically_normal());
  }

  const std::string& path() const { return path_; }
  const fs::path& file() const { return file_; }

  bool is(const std::string& other) const {
    return exists_ && identity_of(other) == Identity(now_.st_dev, now_.st_ino);
  }
  bool is(const Output& other) const {
    if (exists_ && other.exists_) return now_.st_dev == other.now_.st_dev && now_.st_ino == other.now_.st_ino;
    return file_.filename() == other.file_.filename() &&
           identity_of(file_.parent_path()) == identity_of(other.file_.parent_path());
  }
  bool is_read_from(const std::string& input) const {
    if (is(input)) return true;
    if (!fs::is_directory(input, ignored_)) return false;
    if (const auto below = path_below(file_, input); below && exists_) return is_own(*below) || is_file_of_run(file_);
    return exists_ && now_.st_nlink > 1 && is_hard_link_into(now_, input);
  }
  bool is_open_as(int fd) const {
    struct stat stream {};
    return exists_ && ::fstat(fd, &stream) == 0 && stream.st_dev == now_.st_dev && stream.st_ino == now_.st_ino;
  }

  // Checks that a file can be made there.
  Status check_place() const {
    if (exists_ && S_ISDIR(now_.st_mode)) {
      return Error{ErrorCode::kUsage, path_ + " is a folder", "name a file in it"};
    }
    if (exists_ && !S_ISREG(now_.st_mode)) {
      return Error{ErrorCode::kUsage, path_ + " is a device or a pipe, and would be replaced by a file", "name a file"};
    }
    const fs::path folder = file_.parent_path();
    if (!fs::is_directory(folder, ignored_)) {
      const bool is_link = fs::is_symlink(path_, ignored_);
      const std::string named = is_link ? folder.string() : fs::path(path_).parent_path().string();
      return Error{ErrorCode::kUsage,
                   "there is no folder " + named + " for " + path_ +
                       (is_link ? ", which is a link to " + file_.string() : std::string()),
                   "mkdir -p " + named};
    }
    // A new file replaces the old one, so that the folder's permissions decide.
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
      return Error{ErrorCode::kEnvironment, "cannot write into the folder " + folder.string(),
                   "name a file in another folder"};
    }
    return Done{};
  }

 private:
  Output(std::string path, fs::path file) : path_(std::move(path)), file_(std::move(file)) {
    exists_ = ::stat(file_.c_str(), &now_) == 0;
  }

  std::string path_;
  fs::path file_;  // absolute, behind links
  bool exists_ = false;
  struct stat now_ {};
  mutable std::error_code ignored_;
};

Error would_be_lost(const std::string& path, const std::string& what) {
  return {ErrorCode::kUsage, path + " is " + what + ", and would be overwritten", "name another file"};
}

Status check_not_read(const Output& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (!input.empty() && output.is_read_from(input)) return would_be_lost(output.path(), "what is read");
  }
  return Done{};
}

Status check_foreign_to_experiments(const Output& output) {
  const std::string experiment = experiment_of(output.file());
  if (experiment.empty()) return Done{};
  return Error{ErrorCode::kUsage, output.path() + " belongs to the files of the experiment " + experiment,
               "name a file elsewhere; " + (fs::path(experiment) / "NAME.json").string() + " is possible, too"};
}

Status check_one(const Output& output, const std::vector<std::string>& inputs) {
  TRY(output.check_place());
  TRY(check_not_read(output, inputs));
  TRY(check_foreign_to_experiments(output));
  if (output.is_open_as(STDOUT_FILENO)) return would_be_lost(output.path(), "where standard output goes");
  if (output.is_open_as(STDERR_FILENO)) return would_be_lost(output.path(), "where standard error goes");
  return Done{};
}

}  // namespace

Status check_output_files(const std::vector<std::string>& paths, const std::vector<std::string>& inputs) {
  std::vector<Output> outputs;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    if (path == "-") {
      return Error{ErrorCode::kUsage, "standard output is no file for this", "name a file; ./- is one called -"};
    }
    auto output = TRY(Output::of(path));
    TRY(check_one(output, inputs));
    for (const Output& other : outputs) {
      if (!output.is(other)) continue;
      return Error{ErrorCode::kUsage, other.path() + " and " + path + " are the same file", "name two"};
    }
    outputs.push_back(std::move(output));
  }
  return Done{};
}

Status check_experiment_folder(const std::string& folder, bool fresh, const std::vector<std::string>& inputs) {
  const auto output = TRY(Output::of(folder));
  if (const std::string outer = experiment_of(output.file()); !outer.empty()) {
    return Error{ErrorCode::kUsage, folder + " belongs to the files of the experiment " + outer,
                 "choose another folder with -o"};
  }
  for (const std::string& input : inputs) {
    const auto read = input.empty() ? std::nullopt : identity_of(input);
    if (!read) continue;
    const auto behind = TRY(file_behind_links(input));
    const auto below = path_below(fs::absolute(behind).lexically_normal(), folder);
    const bool is_lost = below && is_own(*below) && (fresh || *below->begin() == "runs");
    if (is_lost) {
      return Error{ErrorCode::kUsage, input + " is read, and would be removed from " + folder, "copy it elsewhere"};
    }
  }
  return Done{};
}

Status check_own_file(const std::string& folder, const std::string& file, const std::vector<std::string>& inputs) {
  const auto output = TRY(Output::of(file));
  TRY(check_not_read(output, inputs));
  const bool in_place = output.file().filename() == fs::path(file).filename() &&
                        identity_of(output.file().parent_path()) == identity_of(folder);
  return in_place ? Status(Done{}) : check_foreign_to_experiments(output);
}

}  // namespace scalediag::core
