// Appends chunks to a rank's raw file, or to the stream that it has in its node's file (core/raw/node_format.h). After
// a failure the file ends with the last whole chunk and its prelude has the reason; the application never notices.
// A file that the application has closed is opened again.
#pragma once

#include <cstdint>
#include <string>

#include "core/raw/own_descriptor.h"
#include "core/raw/raw_records.h"

namespace scalediag::inject {

class RawWriter {
 public:
  RawWriter() = default;
  RawWriter(const RawWriter&) = delete;
  RawWriter& operator=(const RawWriter&) = delete;

  // Creates the file; it must not exist. `magic` has 8 bytes. Returns 0 or an errno.
  int create(const std::string& path, uint32_t rank, const char* magic = raw::kMagic, uint32_t version = raw::kVersion);
  // Begins a stream of the node's file `path`, which is made where it does not exist. With `scratch`, a path on the
  // node that must not exist, chunks are written there until publish(). Returns 0 or an errno.
  int create_in_node(const std::string& path, const std::string& scratch, uint32_t rank,
                     const char* magic = raw::kMagic, uint32_t version = raw::kVersion);
  // Whatever is written is lost. Returns 0 or an errno.
  int create_nowhere(uint32_t rank);
  bool usable() const { return file_.is_kept() && stop_reason_ == raw::StopReason::kNone; }

  // False when the chunk could not be written; the writer is then stopped.
  bool append(raw::ChunkKind kind, const raw::Encoder& payload);
  template <class What> bool append(raw::ChunkKind kind, const What& what) {
    raw::Encoder payload;
    raw::put(payload, what);
    return append(kind, payload);
  }
  // The footer marks the file as finished. More chunks and another footer may follow.
  bool append_footer(uint64_t samples, uint64_t lost_samples);

  // Records in the prelude why the file ends here.
  void stop(raw::StopReason reason, int error_number);

  // Appends what was written to the scratch file since the last call to the node's file. `is_last`: the scratch file is
  // then removed. Without a scratch file nothing is done.
  void publish(bool is_last);

 private:
  int begin(int fd, const std::string& path, uint32_t rank, const char* magic, uint32_t version);
  // The file's, or -1 and errno.
  int descriptor();
  // At the end.
  bool write_all(const char* data, size_t bytes);
  // Appends a segment of the stream, which begins at `offset` of it. Returns 0 or an errno.
  int append_segment(uint64_t offset, const char* data, size_t bytes);
  // Writes the reason for stopping into the prelude of the stream in the node's file, whatever else is on the disk.
  void mark_stopped(raw::StopReason reason, int error_number) const;

  enum class Place { kOwnFile, kNode, kScratch };
  Place place_ = Place::kOwnFile;
  std::string path_;  // of `file_`
  raw::OwnDescriptor file_;
  std::string node_path_;  // but for kOwnFile
  uint64_t stream_ = 0;
  uint64_t prelude_at_ = 0;  // in the node's file; 0: not written there
  uint64_t published_ = 0;   // bytes of the stream
  uint32_t rank_ = 0;
  uint64_t end_ = 0;  // of the last whole chunk
  uint32_t chunks_ = 0;
  uint32_t crc_ = 0;
  raw::StopReason stop_reason_ = raw::StopReason::kNone;
};

}  // namespace scalediag::inject
