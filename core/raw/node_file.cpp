#include "core/raw/node_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/raw/node_format.h"

namespace scalediag::core {
namespace {

using raw::SegmentHeader;

bool read_at(int fd, uint64_t offset, char* to, size_t n) {
  while (n > 0) {
    const ssize_t got = pread(fd, to, n, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    n -= static_cast<size_t>(got);
    offset += static_cast<uint64_t>(got);
  }
  return true;
}

// A version is not looked at: the header of a newer one has the same beginning.
bool is_header(const SegmentHeader& header) {
  return std::memcmp(header.magic, raw::kSegmentMagic, sizeof header.magic) == 0 &&
         header.byte_order == raw::kByteOrder && header.crc32 == raw::segment_crc(header);
}

// The headers of a file, which are read in windows, since most segments are small.
class HeaderReader {
 public:
  HeaderReader(int fd, uint64_t size) : fd_(fd), size_(size) {}

  // Empty: there is none at that place.
  std::optional<SegmentHeader> at(uint64_t place) {
    SegmentHeader header;
    if (size_ < sizeof header || place > size_ - sizeof header || !fill(place)) return std::nullopt;
    std::memcpy(&header, window_.data() + (place - begin_), sizeof header);
    if (!is_header(header)) return std::nullopt;
    return header;
  }
  // The first place from `place` on that has one; the file's size where there is none.
  uint64_t next(uint64_t place) {
    const std::string_view magic(raw::kSegmentMagic, sizeof raw::kSegmentMagic);
    while (size_ >= sizeof(SegmentHeader) && place <= size_ - sizeof(SegmentHeader) && fill(place)) {
      const std::string_view bytes(window_.data() + (place - begin_), end() - place);
      const size_t found = bytes.find(magic);
      // A magic may begin in this window and end in the next one.
      place +=
          found == bytes.npos ? std::max<size_t>(1, bytes.size() - std::min(bytes.size(), magic.size() - 1)) : found;
      if (found == bytes.npos) continue;
      if (at(place)) return place;
      ++place;
    }
    return size_;
  }
  bool failed() const { return failed_; }

 private:
  uint64_t end() const { return begin_ + window_.size(); }
  // Has the window hold a header at `place`, which lies before the end of the file.
  bool fill(uint64_t place) {
    if (place >= begin_ && end() >= sizeof(SegmentHeader) && place <= end() - sizeof(SegmentHeader)) return true;
    // Little is read ahead when the last segment was larger than a window.
    const uint64_t ahead = place >= begin_ && place <= end() + kWindow ? kWindow : kFirst;
    window_.resize(std::min<uint64_t>(size_ - place, ahead));
    begin_ = place;
    failed_ = failed_ || !read_at(fd_, place, window_.data(), window_.size());
    return !failed_;
  }

  static constexpr uint64_t kWindow = 256 * 1024, kFirst = 4096;
  const int fd_;
  const uint64_t size_;
  uint64_t begin_ = 0;
  std::vector<char> window_;
  bool failed_ = false;
};

// The bytes from the beginning on that some piece has.
uint64_t size_without_gap(std::vector<StreamPiece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const StreamPiece& a, const StreamPiece& b) { return a.offset < b.offset; });
  uint64_t size = 0;
  for (const StreamPiece& p : pieces) {
    if (p.offset > size) break;
    size = std::max(size, p.offset + p.bytes);
  }
  return size;
}

}  // namespace

StreamFile::StreamFile(StreamFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(std::exchange(other.size_, 0)) {}

StreamFile& StreamFile::operator=(StreamFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

StreamFile::~StreamFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<StreamFile> StreamFile::open(const std::string& path) {
  const auto refused = [&](int error) { return Error{ErrorCode::kInput, std::strerror(error), "", path}; };
  // The open does not wait for a FIFO of that name.
  StreamFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat s {};
  if (file.fd_ < 0 || fstat(file.fd_, &s) != 0) return refused(errno);
  if (!S_ISREG(s.st_mode)) return refused(S_ISDIR(s.st_mode) ? EISDIR : EINVAL);
  file.size_ = static_cast<uint64_t>(s.st_size);
  return file;
}

std::optional<uint32_t> StreamFile::first_rank() const {
  SegmentHeader header{};
  if (size_ < sizeof header || !read_at(fd_, 0, reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  if (std::memcmp(header.magic, raw::kSegmentMagic, sizeof header.magic) != 0) return std::nullopt;
  return header.rank;
}

Result<std::vector<RankStream>> StreamFile::streams() const {
  std::vector<RankStream> streams;
  if (!first_rank()) {
    streams.push_back({0, size_, {{0, 0, size_}}});
    return streams;
  }
  std::unordered_map<uint64_t, size_t> index_of;
  HeaderReader headers(fd_, size_);
  for (uint64_t place = headers.next(0); place < size_;) {
    const std::optional<SegmentHeader> header = headers.at(place);
    if (!header) {
      place = headers.next(place + 1);
      continue;
    }
    if (header->version > raw::kNodeVersion) {
      return Error{ErrorCode::kInput,
                   "version " + std::to_string(header->version) + " of the file of a node is newer than version " +
                       std::to_string(raw::kNodeVersion) + ", which this scalediag reads",
                   "use the scalediag that recorded it, or a newer one"};
    }
    const uint64_t begin = place + sizeof(SegmentHeader);
    uint64_t end = header->bytes > size_ - begin ? size_ : begin + header->bytes;
    // No segment follows when the rank wrote less than it meant to, and another one wrote behind that.
    if (end < begin + header->bytes || (end < size_ && !headers.at(end))) end = headers.next(begin);
    end = std::min(end, begin + std::min(header->bytes, size_ - begin));
    const auto [known, is_new] = index_of.try_emplace(header->stream, streams.size());
    if (is_new) streams.push_back({header->rank, 0, {}});
    const uint64_t most = ~uint64_t{0} - header->offset;
    streams[known->second].pieces.push_back({header->offset, begin, std::min(end - begin, most)});
    place = end;
  }
  if (headers.failed()) return Error{ErrorCode::kInput, "reading failed"};
  for (RankStream& stream : streams) stream.size = size_without_gap(stream.pieces);
  std::ranges::stable_sort(streams, {}, &RankStream::rank);
  return streams;
}

bool StreamFile::read(const RankStream& stream, uint64_t offset, char* to, size_t n) const {
  if (offset > stream.size || stream.size - offset < n) return false;
  // Later pieces are read over earlier ones.
  for (const StreamPiece& p : stream.pieces) {
    const uint64_t begin = std::max(p.offset, offset), end = std::min(p.offset + p.bytes, offset + n);
    if (begin < end && !read_at(fd_, p.at + (begin - p.offset), to + (begin - offset), end - begin)) return false;
  }
  return true;
}

}  // namespace scalediag::core
