#include "collector/replay/message_log_file.h"

#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/atomic_file.h"

namespace scalediag::replay {
namespace {

namespace fs = std::filesystem;
using message_log::ChunkKind;

// Reads the file chunk by chunk, since logs may be larger than memory.
class Checker {
 public:
  explicit Checker(const std::string& path) : path_(path), file_(path, std::ios::binary) {}

  Result<MessageLog> run() {
    std::error_code failed;
    log_.file_bytes = fs::file_size(path_, failed);
    if (failed) return core::read_error(path_, failed.value());
    if (!file_) return core::read_error(path_, EACCES);
    raw::Prelude prelude{};
    file_.read(reinterpret_cast<char*>(&prelude), sizeof prelude);
    if (file_.gcount() < static_cast<std::streamsize>(sizeof prelude.magic) ||
        std::memcmp(prelude.magic, message_log::kMagic, sizeof prelude.magic) != 0) {
      return wrong("is no message log that scalediag recorded", "restore the file, or record again");
    }
    if (!file_) return wrong("ends within its first 64 bytes: it was cut off");
    if (prelude.byte_order != raw::kByteOrder) return wrong("was recorded on a machine of the other byte order");
    if (prelude.version != message_log::kVersion) {
      return wrong("has version " + std::to_string(prelude.version) + ", this scalediag replays version " +
                       std::to_string(message_log::kVersion),
                   "record it again, or replay it with the scalediag that recorded it");
    }
    TRY(read_chunks());
    if (prelude.stop_reason == static_cast<uint32_t>(raw::StopReason::kWriteFailed)) {
      return wrong(std::string("is not whole, because it could not be written: ") +
                       std::strerror(static_cast<int>(prelude.stop_errno)),
                   "make room and record again");
    }
    if (!saw_end_ || !saw_footer_) {
      return wrong("ends early: the rank did not reach MPI_Finalize, or the file was cut off", "record it again");
    }
    return log_;
  }

 private:
  Error wrong(const std::string& what, const std::string& hint = "") const {
    return {ErrorCode::kInput, path_ + " " + what, hint, path_};
  }
  Error damaged() const {
    return wrong("is damaged at byte " + std::to_string(at_),
                 "record it again, or copy it again from where it was whole");
  }

  Status read_chunks() {
    std::vector<char> payload;
    for (at_ = sizeof(raw::Prelude); at_ < log_.file_bytes;) {
      raw::ChunkHeader header{};
      if (saw_footer_) return damaged();                         // recording never goes on
      if (log_.file_bytes - at_ < sizeof header) return Done{};  // cut off
      file_.read(reinterpret_cast<char*>(&header), sizeof header);
      if (header.payload_bytes > raw::kMaxPayloadBytes) return damaged();
      if (log_.file_bytes - at_ - sizeof header < raw::padded(header.payload_bytes)) return Done{};
      payload.resize(raw::padded(header.payload_bytes));
      file_.read(payload.data(), static_cast<std::streamsize>(payload.size()));
      if (!file_) return wrong("cannot be read at byte " + std::to_string(at_));
      if (header.crc32 != raw::chunk_crc(header, payload.data(), header.payload_bytes) ||
          !take(static_cast<ChunkKind>(header.kind), raw::Decoder(payload.data(), header.payload_bytes, false),
                ZSTD_getFrameContentSize(payload.data(), header.payload_bytes))) {
        return damaged();
      }
      at_ += sizeof header + payload.size();
    }
    return Done{};
  }

  // `stream_bytes`: what the payload says to hold of the stream, where it holds any.
  bool take(ChunkKind kind, raw::Decoder payload, uint64_t stream_bytes) {
    if ((kind == ChunkKind::kIdentity) == saw_identity_) return false;
    switch (kind) {
      case ChunkKind::kIdentity:
        saw_identity_ = true;
        raw::get(payload, log_.identity);
        return payload.ok() && log_.identity.rank < log_.identity.size;
      case ChunkKind::kCalls:
        stream_bytes_ += stream_bytes;
        return !saw_end_ && stream_bytes <= message_log::kMaxChunkBytes;
      case ChunkKind::kRefused: log_.refused = payload.string(); return payload.ok() && !log_.refused.empty();
      case ChunkKind::kEnd: {
        message_log::End end;
        raw::get(payload, end);
        log_.calls = end.calls;
        log_.events = end.events;
        log_.recorder_s = static_cast<double>(end.recorder_ns) * 1e-9;
        saw_end_ = true;
        return payload.ok() && end.stream_bytes == stream_bytes_;
      }
      case ChunkKind::kFooter: saw_footer_ = true; return saw_end_;
    }
    return false;
  }

  const std::string path_;
  std::ifstream file_;
  MessageLog log_;
  uint64_t at_ = 0;
  uint64_t stream_bytes_ = 0;
  bool saw_identity_ = false, saw_end_ = false, saw_footer_ = false;
};

void append_doubles(std::string& text, const std::vector<double>& values) {
  text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

}  // namespace

Result<MessageLog> check_message_log(const std::string& path) { return Checker(path).run(); }

std::vector<int> logged_ranks(const std::string& folder) {
  std::vector<int> ranks;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    int rank = 0;
    const std::string name = entry.path().filename().string();
    if (std::sscanf(name.c_str(), "rank%d", &rank) == 1 && rank >= 0 &&
        name == message_log::rank_file(static_cast<uint32_t>(rank), message_log::kLogEnding)) {
      ranks.push_back(rank);
    }
  }
  std::ranges::sort(ranks);
  return ranks;
}

Result<std::vector<double>> read_vector(const std::string& path, int rank) {
  const std::string bytes = TRY(core::read_file(path));
  const size_t line = bytes.find('\n');
  int its_rank = -1;
  size_t count = 0;
  if (line == bytes.npos ||
      std::sscanf(bytes.substr(0, line).c_str(), "scalediag-vector 1 %d %zu", &its_rank, &count) != 2 ||
      its_rank != rank || count != (bytes.size() - line - 1) / sizeof(double) ||
      (bytes.size() - line - 1) % sizeof(double) != 0) {
    return Error{ErrorCode::kInput, path + " is no vector of rank " + std::to_string(rank), "replay the rank again",
                 path};
  }
  std::vector<double> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data() + line + 1, count * sizeof(double));
  return values;
}

Status write_vector(const std::string& path, int rank, const std::vector<double>& computation_s) {
  std::string text = "scalediag-vector 1 " + std::to_string(rank) + " " + std::to_string(computation_s.size()) + "\n";
  append_doubles(text, computation_s);
  return core::write_file_atomically(path, text);
}

Result<std::vector<double>> write_medians(const std::string& path, int rank,
                                          const std::vector<std::vector<double>>& replays) {
  const size_t n = replays.size(), events = replays.front().size();
  std::vector<double> medians, apart, totals(n);
  std::vector<double> values(n);
  for (size_t i = 0; i < events; ++i) {
    for (size_t k = 0; k < n; ++k) {
      values[k] = replays[k][i];
      totals[k] += values[k];
    }
    std::ranges::sort(values);
    // The k-th of n sorted values is the larger one of k pairs, and the smaller one of n - 1 - k.
    double sum = 0;
    for (size_t k = 0; k < n; ++k) sum += values[k] * (2 * static_cast<double>(k) - static_cast<double>(n - 1));
    apart.push_back(std::max(0.0, sum) / (static_cast<double>(n * (n - 1)) / 2));
    medians.push_back((values[(n - 1) / 2] + values[n / 2]) / 2);
  }
  std::string text =
      "scalediag-vector 2 " + std::to_string(rank) + " " + std::to_string(events) + " " + std::to_string(n) + "\n";
  for (const auto* part : {&medians, &apart, &totals}) append_doubles(text, *part);
  TRY(core::write_file_atomically(path, text));
  return medians;
}

}  // namespace scalediag::replay
