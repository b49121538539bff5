#include "collector/merge/raw/raw_streams.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "core/parallel.h"
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

// Reads the streams of all files batch by batch.
class StreamReading {
 public:
  StreamReading(const std::vector<std::string>& files, ReadScope scope, const std::vector<StreamId>* only)
      : files_(files), scope_(scope), only_(only) {}

  // The next streams, at most so many that every core has some; none after the last one.
  std::vector<RawStream> next_batch() {
    constexpr size_t kStreamsOfCore = 4;
    const size_t most = kStreamsOfCore * std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::pair<std::shared_ptr<const OpenFile>, size_t>> wanted;
    while (wanted.size() < most && has_next_stream()) {
      const size_t number = next_stream_++;
      if (is_wanted({file_->index, static_cast<uint32_t>(number)})) wanted.emplace_back(file_, number);
    }
    std::vector<RawStream> streams(wanted.size());
    const auto read = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) streams[i] = wanted[i].first->read(wanted[i].second, scope_);
    };
    core::in_parallel(wanted.size(), 0, read, 1);
    return streams;
  }

 private:
  bool has_next_stream() {
    while (file_ == nullptr || next_stream_ == file_->n()) {
      while (next_file_ < files_.size() && !is_wanted(static_cast<int>(next_file_))) ++next_file_;
      if (next_file_ == files_.size()) return false;
      file_ = std::make_shared<const OpenFile>(files_[next_file_], static_cast<int>(next_file_));
      ++next_file_;
      next_stream_ = 0;
    }
    return true;
  }
  bool is_wanted(StreamId id) const { return only_ == nullptr || std::ranges::binary_search(*only_, id); }
  bool is_wanted(int file) const {
    if (only_ == nullptr) return true;
    const auto first = std::ranges::lower_bound(*only_, StreamId{file, 0});
    return first != only_->end() && first->file == file;
  }

  const std::vector<std::string>& files_;
  const ReadScope scope_;
  const std::vector<StreamId>* const only_;
  std::shared_ptr<const OpenFile> file_;
  size_t next_file_ = 0, next_stream_ = 0;
};

}  // namespace

Result<std::vector<std::string>> raw_files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder, failed);
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    if (entry->path().extension() == ".raw") files.push_back(entry->path().string());
  }
  if (failed) {
    return Error{ErrorCode::kInput, "its folder cannot be read: " + failed.message(), "", folder};
  }
  std::ranges::sort(files);
  std::vector<std::pair<std::optional<uint32_t>, std::string>> by_rank;
  for (std::string& file : files) {
    const auto opened = is_named_as_node(file) ? core::StreamFile::open(file) : core::StreamFile();
    const auto rank = opened ? opened.value().first_rank() : std::nullopt;
    by_rank.emplace_back(rank, std::move(file));
  }
  std::ranges::stable_sort(by_rank, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < files.size(); ++i) files[i] = std::move(by_rank[i].second);
  return files;
}

void read_streams(const std::vector<std::string>& files, ReadScope scope,
                  const std::function<bool(const RawStream&)>& take, const std::vector<StreamId>* only) {
  StreamReading reading(files, scope, only);
  // A batch is read while the one before it is taken. The file of a single rank is not worth a thread.
  const std::launch policy = core::beside_if(files.size() > 1 || (!files.empty() && is_named_as_node(files.front())));
  const auto read_next = [&] { return std::async(policy, [&] { return reading.next_batch(); }); };
  for (auto next = read_next();;) {
    const std::vector<RawStream> streams = next.get();
    if (streams.empty()) return;
    next = read_next();
    for (const RawStream& stream : streams) {
      if (!take(stream)) return;
    }
  }
}

RawFile read_stream(const std::vector<std::string>& files, StreamId id) {
  const OpenFile file(files[static_cast<size_t>(id.file)], id.file);
  return file.read(std::min<size_t>(id.stream, file.n() - 1), ReadScope::kEverything).content;
}

}  // namespace scalediag::merge
