#include "collector/merge/raw/raw_reader.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "collector/merge/raw/chunk_parser.h"
#include "collector/merge/raw/whole_run.h"

namespace scalediag::merge {
namespace {

// The source of the bytes. A file is read in pieces and not mapped: if it shrinks meanwhile, the result must be an
// error and not a bus error.
struct Input {
  uint64_t size = 0;
  std::function<bool(uint64_t offset, char* to, size_t n)> read_at;
};

uint32_t swapped(uint32_t v, bool swap) { return swap ? __builtin_bswap32(v) : v; }

std::string at_offset(uint64_t offset) { return " at offset " + std::to_string(offset); }

class FileParser {
 public:
  FileParser(const Input& input, ReadScope scope) : input_(input), scope_(scope) {}

  RawFile run() {
    if (read_prelude()) {
      while (offset_ < input_.size && read_chunk()) {
      }
      if (file_.problem.empty()) conclude();
    }
    for (auto& [rank, record] : records_) {
      extend_to_whole_run(record);
      file_.records.push_back(std::move(record));
    }
    return std::move(file_);
  }

 private:
  bool fail(FileState state, std::string problem) {
    file_.state = state;
    file_.problem = std::move(problem);
    return false;
  }

  bool read_prelude() {
    raw::Prelude p{};
    if (input_.size < sizeof p || !input_.read_at(0, reinterpret_cast<char*>(&p), sizeof p)) {
      return fail(FileState::kNotRaw, "the file ends inside its prelude" + at_offset(input_.size));
    }
    if (std::memcmp(p.magic, raw::kMagic, sizeof p.magic) != 0) {
      return fail(FileState::kNotRaw, "not a scalediag raw file: it does not begin with the magic bytes");
    }
    swap_ = p.byte_order == __builtin_bswap32(raw::kByteOrder);
    if (!swap_ && p.byte_order != raw::kByteOrder) {
      return fail(FileState::kDamaged,
                  "the prelude is damaged: unknown byte order" + at_offset(offsetof(raw::Prelude, byte_order)));
    }
    const uint32_t version = swapped(p.version, swap_);
    if (version > raw::kVersion) {
      return fail(FileState::kNewerVersion,
                  "raw format version " + std::to_string(version) + " is newer than version " +
                      std::to_string(raw::kVersion) +
                      ", which this scalediag reads: it and its libscalediag.so are of different builds");
    }
    if (version == 0) {
      return fail(FileState::kDamaged,
                  "the prelude is damaged: version 0" + at_offset(offsetof(raw::Prelude, version)));
    }
    const bool reserved_is_zero =
        std::all_of(std::begin(p.reserved), std::end(p.reserved), [](uint8_t b) { return b == 0; });
    stop_reason_ = swapped(p.stop_reason, swap_);
    stop_errno_ = swapped(p.stop_errno, swap_);
    if (!reserved_is_zero || stop_reason_ > static_cast<uint32_t>(raw::StopReason::kAborted) ||
        (stop_reason_ == 0 && stop_errno_ != 0)) {
      return fail(FileState::kDamaged,
                  "the prelude is damaged" + at_offset(reserved_is_zero ? offsetof(raw::Prelude, stop_reason)
                                                                        : offsetof(raw::Prelude, reserved)));
    }
    offset_ = sizeof p;
    return true;
  }

  bool read_chunk() {
    const uint64_t left = input_.size - offset_;
    raw::ChunkHeader header{};
    if (left < sizeof header) return ends_inside("a chunk header");
    if (!input_.read_at(offset_, reinterpret_cast<char*>(&header), sizeof header)) return refused();
    const uint32_t bytes = swapped(header.payload_bytes, swap_);
    if (bytes > raw::kMaxPayloadBytes) return damaged("a chunk claims " + std::to_string(bytes) + " bytes");
    if (left - sizeof header < raw::padded(bytes)) return ends_inside("a chunk");

    buffer_.resize(raw::padded(bytes));  // no more than the file holds
    if (!input_.read_at(offset_ + sizeof header, buffer_.data(), buffer_.size())) return refused();
    if (raw::chunk_crc(header, buffer_.data(), bytes) != swapped(header.crc32, swap_)) {
      return damaged("the checksum of a chunk does not match");
    }
    if (std::any_of(buffer_.begin() + bytes, buffer_.end(), [](char c) { return c != 0; })) {
      return damaged("the padding of a chunk is not zero");
    }
    if (!take(header, bytes)) return false;
    crc_ = raw::crc32(&header.crc32, sizeof header.crc32, crc_);
    ++chunks_;
    offset_ += sizeof header + buffer_.size();
    return true;
  }

  bool take(const raw::ChunkHeader& header, uint32_t bytes) {
    const uint32_t kind = swapped(header.kind, swap_);
    raw::Decoder payload(buffer_.data(), bytes, swap_);
    finished_ = kind == static_cast<uint32_t>(raw::ChunkKind::kFooter);
    if (finished_) return take_footer(payload);
    const uint32_t rank = swapped(header.rank, swap_);
    RankRecord& record = records_[rank];
    record.rank = rank;
    const std::string wrong = parse_chunk(kind, payload, scope_, record);
    if (!wrong.empty()) return damaged("a chunk " + wrong);
    return true;
  }

  bool take_footer(raw::Decoder& payload) {
    raw::Footer footer;
    raw::get(payload, footer);
    if (!payload.ok() || !payload.at_end()) return damaged("the footer has the wrong size");
    if (footer.chunks != chunks_ || footer.crc != crc_) {
      return damaged("the footer does not match the chunks before it");
    }
    return scope_ == ReadScope::kTotals || samples_agree(footer.samples) ||
           damaged("the footer counts other samples than the chunks before it");
  }

  // Samples whose key was dropped are counted only in the footer.
  bool samples_agree(uint64_t in_footer) const {
    uint64_t sum = 0;
    bool dropped = false;
    for (const auto& [rank, record] : records_) {
      for (const auto& [key, totals] : record.samples) sum += totals.samples;
      dropped = dropped || record.losses.dropped_keys > 0;
    }
    return dropped ? sum <= in_footer : sum == in_footer;
  }

  void conclude() {
    if (stop_reason_ != 0) {
      fail(FileState::kUnfinished, stop_text());
    } else if (!finished_) {
      fail(FileState::kNoFooter, "no footer" + at_offset(offset_));
    } else {
      file_.state = FileState::kFinished;
    }
  }

  std::string stop_text() const {
    switch (static_cast<raw::StopReason>(stop_reason_)) {
      case raw::StopReason::kWriteFailed:
        return std::string("recording stopped because writing failed (") +
               std::strerror(static_cast<int>(stop_errno_)) + ")";
      case raw::StopReason::kOutOfMemory: return "recording stopped because memory ran out";
      case raw::StopReason::kAborted: return "the program called MPI_Abort";
      case raw::StopReason::kNone: break;
    }
    return {};
  }

  bool damaged(const std::string& what) { return fail(FileState::kDamaged, with_stop(what + at_offset(offset_))); }
  bool ends_inside(const std::string& what) {
    return fail(FileState::kUnfinished, with_stop("the file ends inside " + what + at_offset(offset_)));
  }
  bool refused() { return fail(FileState::kUnreadable, "reading failed" + at_offset(offset_)); }
  std::string with_stop(std::string what) const {
    return stop_reason_ == 0 ? std::move(what) : stop_text() + "; " + what;
  }

  const Input& input_;
  const ReadScope scope_;
  RawFile file_;
  std::map<uint32_t, RankRecord> records_;
  std::vector<char> buffer_;
  uint64_t offset_ = 0;
  uint32_t chunks_ = 0;
  uint32_t crc_ = 0;
  uint32_t stop_reason_ = 0;
  uint32_t stop_errno_ = 0;
  bool swap_ = false;
  bool finished_ = false;
};

}  // namespace

RawFile read_raw(const core::StreamFile& file, const core::RankStream& stream, ReadScope scope) {
  // Most ranks write little, and one reading of that is faster than two of each chunk.
  constexpr uint64_t kMostAtOnce = 16 << 20;
  if (stream.size <= kMostAtOnce) {
    std::string bytes(stream.size, '\0');
    if (file.read(stream, 0, bytes.data(), bytes.size())) return parse_raw(bytes, scope);
  }
  const Input input{stream.size, [&](uint64_t offset, char* to, size_t n) { return file.read(stream, offset, to, n); }};
  return FileParser(input, scope).run();
}

RawFile parse_raw(std::string_view bytes, ReadScope scope) {
  const Input input{bytes.size(), [bytes](uint64_t offset, char* to, size_t n) {
                      if (offset > bytes.size() || bytes.size() - offset < n) return false;
                      if (n > 0) std::memcpy(to, bytes.data() + offset, n);
                      return true;
                    }};
  return FileParser(input, scope).run();
}

}  // namespace scalediag::merge
