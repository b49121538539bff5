#include "pmpi-comm/replay/call_log.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "pmpi-comm/ticks.h"

namespace scalediag::pmpi {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
static_assert(2 * kChunkBytes <= message_log::kMaxChunkBytes);

// The quickest of zstd's regular levels: numbers of simulations gain little by more.
constexpr int kLevel = 1;

}  // namespace

CallLog::CallLog() : compressor_(nullptr, ZSTD_freeCCtx), decompressor_(nullptr, ZSTD_freeDCtx) {}

CallLog::~CallLog() = default;

bool CallLog::replay(std::string_view file, message_log::Identity& identity, uint64_t most_ahead) {
  raw::Prelude prelude;
  if (file.size() < sizeof prelude) return false;
  std::memcpy(&prelude, file.data(), sizeof prelude);
  if (std::memcmp(prelude.magic, message_log::kMagic, sizeof prelude.magic) != 0 ||
      prelude.version != message_log::kVersion || prelude.byte_order != raw::kByteOrder) {
    return false;
  }
  file_ = file.substr(sizeof prelude);
  raw::ChunkHeader header{};
  if (file_.size() < sizeof header) return false;
  std::memcpy(&header, file_.data(), sizeof header);
  if (header.kind != static_cast<uint32_t>(message_log::ChunkKind::kIdentity) ||
      file_.size() - sizeof header < raw::padded(header.payload_bytes)) {
    return false;
  }
  raw::Decoder payload(file_.data() + sizeof header, header.payload_bytes, false);
  raw::get(payload, identity);
  file_.remove_prefix(sizeof header + raw::padded(header.payload_bytes));
  // Within MPI_Init, and not in the first call, which a profiler need not know. Where it fails, so does that call.
  const uint64_t before = ticks();
  unpack_ahead(most_ahead);
  if (left_.empty()) next_chunk();
  unpacking_ticks_ = ticks() - before;
  return payload.ok();
}

void CallLog::pass(message_log::Call& call) {
  if (recording()) {
    message_log::put(buffer_, call);
    if (buffer_.size() >= kChunkBytes) flush();
  } else {
    call = message_log::get_call([this] { return next_number(); });
  }
}

void CallLog::pass_number(uint64_t& number) {
  if (recording()) {
    trace::put(buffer_, number);
  } else {
    number = next_number();
  }
}

void CallLog::pass_bytes(void* at, size_t n) {
  if (!recording()) {
    take(at, n);
    return;
  }
  for (const char* from = static_cast<const char*>(at); n > 0;) {
    const size_t piece = std::min(n, kChunkBytes);
    buffer_.append(from, piece);
    if (buffer_.size() >= kChunkBytes) flush();
    from += piece;
    n -= piece;
  }
}

void CallLog::flush() {
  if (buffer_.empty()) return;
  if (compressor_ == nullptr) compressor_.reset(ZSTD_createCCtx());
  ok_ = ok_ && compressor_ != nullptr;
  if (ok_) {
    packed_.resize(ZSTD_compressBound(buffer_.size()));
    const size_t n =
        ZSTD_compressCCtx(compressor_.get(), packed_.data(), packed_.size(), buffer_.data(), buffer_.size(), kLevel);
    ok_ = ZSTD_isError(n) == 0 && sink_->write(message_log::ChunkKind::kCalls, {packed_.data(), n});
  }
  if (ok_) stream_bytes_ += buffer_.size();
  buffer_.clear();
}

std::string_view CallLog::next_frame() {
  raw::ChunkHeader header{};
  if (file_.size() < sizeof header) return {};
  std::memcpy(&header, file_.data(), sizeof header);
  if (header.kind != static_cast<uint32_t>(message_log::ChunkKind::kCalls) ||
      file_.size() - sizeof header < raw::padded(header.payload_bytes)) {
    return {};
  }
  const std::string_view frame = file_.substr(sizeof header, header.payload_bytes);
  file_.remove_prefix(sizeof header + raw::padded(header.payload_bytes));
  return frame;
}

bool CallLog::unpack(std::string_view frame, char* to, size_t bytes) {
  if (decompressor_ == nullptr) decompressor_.reset(ZSTD_createDCtx());
  return decompressor_ != nullptr &&
         ZSTD_decompressDCtx(decompressor_.get(), to, bytes, frame.data(), frame.size()) == bytes;
}

// Leaves everything to next_chunk() where that is too much, or not what it should be.
void CallLog::unpack_ahead(uint64_t most_bytes) {
  const std::string_view file = file_;
  std::vector<std::string_view> frames;
  uint64_t bytes = 0;
  for (std::string_view frame = next_frame(); !frame.empty() && bytes <= most_bytes; frame = next_frame()) {
    const unsigned long long n = ZSTD_getFrameContentSize(frame.data(), frame.size());
    bytes += n <= message_log::kMaxChunkBytes ? n : UINT64_MAX - bytes;
    frames.push_back(frame);
  }
  file_ = file;
  if (bytes == 0 || bytes > most_bytes) return;
  ahead_.reset(new (std::nothrow) char[bytes]);
  if (ahead_ == nullptr) return;
  size_t at = 0;
  for (const std::string_view frame : frames) {
    const size_t n = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (!unpack(frame, ahead_.get() + at, n)) return;
    at += n;
  }
  left_ = {ahead_.get(), at};
  file_ = {};
}

bool CallLog::next_chunk() {
  const uint64_t before = ticks();
  const std::string_view frame = next_frame();
  if (frame.empty()) return false;
  const unsigned long long n = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (n > message_log::kMaxChunkBytes) return false;  // also where it is not told
  buffer_.resize(n);
  if (!unpack(frame, buffer_.data(), n)) return false;
  left_ = buffer_;
  unpacking_ticks_ += ticks() - before;
  return true;
}

bool CallLog::take(void* to, size_t n) {
  for (auto* at = static_cast<char*>(to); n > 0;) {
    if (left_.empty() && !(ok_ && next_chunk())) return ok_ = false;
    const size_t piece = std::min(n, left_.size());
    std::memcpy(at, left_.data(), piece);
    left_.remove_prefix(piece);
    at += piece;
    n -= piece;
  }
  return true;
}

uint64_t CallLog::next_number() {
  uint64_t v = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    unsigned char byte = 0;
    if (!take(&byte, 1)) return 0;
    v |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return v;
  }
  ok_ = false;
  return 0;
}

}  // namespace scalediag::pmpi
