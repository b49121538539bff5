// Reads the files that the ranks of a node share (node_format.h), and those of single ranks in the same manner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::core {

// Bytes of a stream that lie together in the file.
struct StreamPiece {
  uint64_t offset = 0;  // in the stream
  uint64_t at = 0;      // in the file
  uint64_t bytes = 0;
};

// The data of one rank: a part of a node's file, or a file of its own.
struct RankStream {
  uint32_t rank = 0;                // in a node's file; 0 in a rank's own
  uint64_t size = 0;                // bytes from the beginning on, without a gap
  std::vector<StreamPiece> pieces;  // in their order in the file: a later one is valid where two overlap
};

// A file that is open for reading; it is closed at the end of the object's life.
class StreamFile {
 public:
  StreamFile() = default;
  StreamFile(StreamFile&& other) noexcept;
  StreamFile& operator=(StreamFile&& other) noexcept;
  ~StreamFile();

  // Error (kInput): the system refuses; the message is its reason alone. A FIFO or a folder is refused as well.
  static Result<StreamFile> open(const std::string& path);

  // The streams by their ranks, those of one rank by their first segments. A file that does not begin with a segment is
  // one stream, whose rank is 0. Bytes between segments that belong to none are passed over. Error (kInput): reading
  // failed, or a newer version.
  Result<std::vector<RankStream>> streams() const;
  // The rank of the first segment; empty for a file that does not begin with one.
  std::optional<uint32_t> first_rank() const;

  // Reads n bytes from `offset` of the stream on. False: it has not so many, or reading failed.
  bool read(const RankStream& stream, uint64_t offset, char* to, size_t n) const;

 private:
  explicit StreamFile(int fd) : fd_(fd) {}
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace scalediag::core
