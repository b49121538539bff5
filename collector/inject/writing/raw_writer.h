// Appends chunks to a rank's raw file. After a failure the file ends with the last whole chunk and its prelude has the
// reason; the application never notices. Where the application has closed the file, it is opened again.
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
  // Whatever is written is lost. Returns 0 or an errno.
  int create_nowhere(uint32_t rank);
  bool usable() const { return file_.is_kept() && stop_reason_ == raw::StopReason::kNone; }

  // False when the chunk could not be written; the writer is then stopped.
  bool append(raw::ChunkKind kind, const raw::Encoder& payload);
  template <class What>
  bool append(raw::ChunkKind kind, const What& what) {
    raw::Encoder payload;
    raw::put(payload, what);
    return append(kind, payload);
  }
  // The footer marks the file as finished. More chunks and another footer may follow.
  bool append_footer(uint64_t samples, uint64_t lost_samples);

  // Records in the prelude why the file ends here.
  void stop(raw::StopReason reason, int error_number);

 private:
  int begin(int fd, const std::string& path, uint32_t rank, const char* magic, uint32_t version);
  // The file's, or -1 and errno.
  int descriptor();
  // At the end.
  bool write_all(const char* data, size_t bytes);

  std::string path_;
  raw::OwnDescriptor file_;
  uint32_t rank_ = 0;
  uint64_t end_ = 0;  // of the last whole chunk
  uint32_t chunks_ = 0;
  uint32_t crc_ = 0;
  raw::StopReason stop_reason_ = raw::StopReason::kNone;
};

}  // namespace scalediag::inject
