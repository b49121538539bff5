// The stream of a message log, written or read: what a call gave back passes through the same functions in the same
// order when it is recorded and when it is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/raw/message_log.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace scalediag::pmpi {

// Writes a chunk; false when it could not be written, after which nothing more is.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual bool write(message_log::ChunkKind kind, std::string_view payload) = 0;
};

class CallLog {
 public:
  CallLog();
  ~CallLog();
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;

  // Either of the two begins the log. `file` is the whole file and stays valid; false: it is no log of this version.
  // A stream of `most_ahead` bytes or fewer is unpacked at once, a longer one piece by piece in the calls that need it.
  void record(LogSink& sink) { sink_ = &sink; }
  bool replay(std::string_view file, message_log::Identity& identity, uint64_t most_ahead = 0);

  bool recording() const { return sink_ != nullptr; }
  // False: the log could not be written, or it has ended or is damaged.
  bool ok() const { return ok_; }

  // Each records the value, or replaces it by the logged one.
  void pass(message_log::Call& call);
  void pass_number(uint64_t& number);
  void pass_bytes(void* at, size_t n);
  template <class T> void pass(T& value) { pass_bytes(&value, sizeof value); }

  // Of a log that is recorded: writes what has not been written.
  void flush();
  uint64_t stream_bytes() const { return stream_bytes_; }  // written, before compression
  // Of the time-stamp counter: what unpacking took since replay() began.
  uint64_t unpacking_ticks() const { return unpacking_ticks_; }

 private:
  void unpack_ahead(uint64_t most_bytes);
  // The compressed bytes of the chunk that is next, which is then the one after it; empty where there is none.
  std::string_view next_frame();
  bool unpack(std::string_view frame, char* to, size_t bytes);
  bool next_chunk();
  bool take(void* to, size_t n);
  uint64_t next_number();

  bool ok_ = true;
  uint64_t stream_bytes_ = 0;
  LogSink* sink_ = nullptr;
  std::string buffer_;     // of the stream: what is not written yet, or the present chunk
  std::string packed_;     // of recording
  std::string_view file_;  // from the next chunk on
  std::string_view left_;  // of the present chunk, or of all
  std::unique_ptr<char[]> ahead_;
  uint64_t unpacking_ticks_ = 0;
  std::unique_ptr<ZSTD_CCtx_s, size_t (*)(ZSTD_CCtx_s*)> compressor_;
  std::unique_ptr<ZSTD_DCtx_s, size_t (*)(ZSTD_DCtx_s*)> decompressor_;
};

}  // namespace scalediag::pmpi
