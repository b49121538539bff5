#include "collector/merge/raw/raw_streams.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "core/raw/node_file.h"

namespace scalediag::merge {
namespace {

RawFile unusable(FileState state, std::string problem) {
  RawFile file;
  file.state = state;
  file.problem = std::move(problem);
  return file;
}

bool is_named_as_node(const std::string& path) {
  return std::filesystem::path(path).filename().string().starts_with("node-");
}

// A file with the places of its streams, or the reason why it has none.
struct OpenFile {
  int index = 0;
  core::StreamFile file;
  bool is_of_node = false;
  std::vector<core::RankStream> streams;
  RawFile problem;

  OpenFile(const std::string& path, int file_index) : index(file_index) {
    auto opened = core::StreamFile::open(path);
    if (!opened) {
      problem = unusable(FileState::kUnreadable, "cannot be read (" + opened.error().message + ")");
      return;
    }
    file = std::move(opened).value();
    is_of_node = file.first_rank().has_value();
    auto found = file.streams();
    if (!found) {
      const bool is_newer = !found.error().hint.empty();
      problem = unusable(is_newer ? FileState::kNewerVersion : FileState::kUnreadable, found.error().message);
      return;
    }
    streams = std::move(found).value();
    if (streams.empty()) problem = unusable(FileState::kDamaged, "no part of it can be read");
  }

  // One stream is handed over, which says why there is none.
  size_t n() const { return std::max<size_t>(1, streams.size()); }
  RawStream read(size_t number, ReadScope scope) const {
    RawStream stream{{index, static_cast<uint32_t>(number)}, std::nullopt, {}};
    if (streams.empty()) {
      stream.content = problem;
      return stream;
    }
    if (is_of_node) stream.rank = streams[number].rank;
    stream.content = read_raw(file, streams[number], scope);
    return stream;
  }
};

// Divides the streams of all files into pieces, which several threads read, and which one thread takes in order.
class StreamReading {
 public:
  StreamReading(const std::vector<std::string>& files, ReadScope scope, const std::vector<StreamId>* only)
      : files_(files), scope_(scope), only_(only) {}

  void run(const std::function<bool(const RawStream&)>& take) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    most_ahead_ = 2 * cores;
    std::vector<std::jthread> readers;
    // A file of a rank is read by the thread that takes it.
    const bool is_of_one_rank = files_.size() == 1 && !is_named_as_node(files_.front());
    try {
      for (unsigned i = 0; i < (is_of_one_rank ? 0 : cores); ++i) {
        readers.emplace_back([this] { read_pieces(); });
      }
    } catch (const std::system_error&) {
      // There is a limit on threads: the existing ones do all the work.
    }
    const Ender ender{*this};
    if (readers.empty()) return take_alone(take);
    for (uint64_t piece = 0;; ++piece) {
      const auto streams = await(piece);
      if (!streams) break;
      for (const RawStream& stream : *streams) {
        if (!take(stream)) return;
      }
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // Streams of one file, the number of which bounds the memory for records.
  static constexpr size_t kStreamsOfPiece = 4;
  struct Piece {
    uint64_t number = 0;
    std::shared_ptr<const OpenFile> file;
    size_t begin = 0, end = 0;
  };
  // Has the readers end before their threads are waited for.
  struct Ender {
    StreamReading& reading;
    ~Ender() {
      const std::lock_guard lock(reading.lock_);
      reading.over_ = true;
      reading.changed_.notify_all();
    }
  };

  // The next piece; empty after the last one.
  std::optional<Piece> next_piece() {
    const std::lock_guard lock(opening_);
    while (file_ == nullptr || next_stream_ == file_->n()) {
      while (next_file_ < files_.size() && !is_wanted(static_cast<int>(next_file_))) ++next_file_;
      if (next_file_ == files_.size()) return std::nullopt;
      file_ = std::make_shared<const OpenFile>(files_[next_file_], static_cast<int>(next_file_));
      ++next_file_;
      next_stream_ = 0;
    }
    const size_t begin = std::exchange(next_stream_, std::min(next_stream_ + kStreamsOfPiece, file_->n()));
    return Piece{next_piece_++, file_, begin, next_stream_};
  }

  std::vector<RawStream> streams_of(const Piece& piece) const {
    std::vector<RawStream> streams;
    for (size_t i = piece.begin; i < piece.end; ++i) {
      if (is_wanted({piece.file->index, static_cast<uint32_t>(i)})) streams.push_back(piece.file->read(i, scope_));
    }
    return streams;
  }
  bool is_wanted(StreamId id) const { return only_ == nullptr || std::ranges::binary_search(*only_, id); }
  bool is_wanted(int file) const {
    if (only_ == nullptr) return true;
    const auto first = std::ranges::lower_bound(*only_, StreamId{file, 0});
    return first != only_->end() && first->file == file;
  }

  void read_pieces() {
    try {
      while (const std::optional<Piece> piece = next_piece()) {
        {
          std::unique_lock lock(lock_);
          changed_.wait(lock, [&] { return over_ || piece->number < taken_ + most_ahead_; });
          if (over_) return;
        }
        auto streams = streams_of(*piece);
        const std::lock_guard lock(lock_);
        ready_.emplace(piece->number, std::move(streams));
        changed_.notify_all();
      }
      const std::lock_guard lock(lock_);
      pieces_ = next_piece_;
      changed_.notify_all();
    } catch (...) {
      const std::lock_guard lock(lock_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
  }

  // Empty after the last piece, or when a reader failed.
  std::optional<std::vector<RawStream>> await(uint64_t piece) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [&] { return ready_.contains(piece) || piece >= pieces_ || failure_; });
    if (failure_ || !ready_.contains(piece)) return std::nullopt;
    auto streams = std::move(ready_.extract(piece).mapped());
    taken_ = piece + 1;
    changed_.notify_all();
    return streams;
  }

  void take_alone(const std::function<bool(const RawStream&)>& take) {
    while (const std::optional<Piece> piece = next_piece()) {
      for (const RawStream& stream : streams_of(*piece)) {
        if (!take(stream)) return;
      }
    }
  }

  const std::vector<std::string>& files_;
  const ReadScope scope_;
  const std::vector<StreamId>* const only_;
  uint64_t most_ahead_ = 0;  // pieces that are read and not taken

  std::mutex opening_;  // for the next four
  std::shared_ptr<const OpenFile> file_;
  size_t next_file_ = 0, next_stream_ = 0;
  uint64_t next_piece_ = 0;

  std::mutex lock_;  // for all below
  std::condition_variable changed_;
  std::map<uint64_t, std::vector<RawStream>> ready_;
  uint64_t taken_ = 0;
  uint64_t pieces_ = std::numeric_limits<uint64_t>::max();  // known when the last file was opened
  bool over_ = false;
  std::exception_ptr failure_;
};

}  // namespace

core::Result<std::vector<std::string>> raw_files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder, failed);
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    if (entry->path().extension() == ".raw") files.push_back(entry->path().string());
  }
  if (failed) {
    return core::Error{core::ErrorCode::kInput, "its folder cannot be read: " + failed.message(), "", folder};
  }
  std::sort(files.begin(), files.end());
  std::vector<std::pair<std::optional<uint32_t>, std::string>> by_rank;
  for (std::string& file : files) {
    const auto opened = is_named_as_node(file) ? core::StreamFile::open(file) : core::StreamFile();
    const auto rank = opened ? opened.value().first_rank() : std::nullopt;
    by_rank.emplace_back(rank, std::move(file));
  }
  std::stable_sort(by_rank.begin(), by_rank.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < files.size(); ++i) files[i] = std::move(by_rank[i].second);
  return files;
}

void read_streams(const std::vector<std::string>& files, ReadScope scope,
                  const std::function<bool(const RawStream&)>& take, const std::vector<StreamId>* only) {
  StreamReading(files, scope, only).run(take);
}

RawFile read_stream(const std::vector<std::string>& files, StreamId id) {
  const OpenFile file(files[static_cast<size_t>(id.file)], id.file);
  return file.read(std::min<size_t>(id.stream, file.n() - 1), ReadScope::kEverything).content;
}

}  // namespace scalediag::merge
