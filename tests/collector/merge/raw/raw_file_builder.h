// Writes raw files by hand, as core/raw/raw_format.h describes them and independently of the writer, in either byte
// order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/merge/raw/raw_reader.h"
#include "core/raw/raw_format.h"

namespace scalediag::merge {

enum class ByteOrder { kNative, kForeign };

class Payload {
 public:
  explicit Payload(ByteOrder order) : swap_(order == ByteOrder::kForeign) {}
  Payload& u32(uint32_t v) { return append(swap_ ? __builtin_bswap32(v) : v); }
  Payload& u64(uint64_t v) { return append(swap_ ? __builtin_bswap64(v) : v); }
  Payload& text(std::string_view s) {
    u32(static_cast<uint32_t>(s.size()));
    bytes_.append(s);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  Payload& append(T v) {
    bytes_.append(reinterpret_cast<const char*>(&v), sizeof v);
    return *this;
  }
  bool swap_;
  std::string bytes_;
};

struct SampleRow {
  SampleKey key;
  SampleTotals totals;
};
struct OperationRow {
  OperationKey key;
  OperationTotals totals;
};
struct PeerRow {
  PeerKey key;
  PeerTotals totals;
};
struct OperationName {
  uint32_t id = 0;
  std::string name;
};

class RawFileBuilder {
 public:
  explicit RawFileBuilder(uint32_t rank = 0, ByteOrder order = ByteOrder::kNative);

  RawFileBuilder& rank(uint32_t rank);  // of the chunks that follow
  RawFileBuilder& version(uint32_t version);
  RawFileBuilder& stop(raw::StopReason reason, int error_number);

  RawFileBuilder& identity(const RankIdentity& identity);
  RawFileBuilder& modules(uint32_t epoch, const std::vector<ModuleSpan>& modules);
  RawFileBuilder& samples(const std::vector<SampleRow>& rows);
  // With the key's callers.
  RawFileBuilder& path_samples(const std::vector<SampleRow>& rows);
  RawFileBuilder& callers(const std::vector<raw::Caller>& callers);
  RawFileBuilder& operation_names(const std::vector<OperationName>& names);
  RawFileBuilder& call_sites(const std::vector<raw::CallSite>& sites);
  RawFileBuilder& operations(const std::vector<OperationRow>& rows);
  RawFileBuilder& peers(const std::vector<PeerRow>& rows);
  RawFileBuilder& clock(const ClockPoint& point);
  RawFileBuilder& losses(const Losses& losses);
  RawFileBuilder& counting(const Counting& counting);
  RawFileBuilder& overflows(const std::vector<EventOverflows>& events);
  RawFileBuilder& allowed_cpus(const std::vector<CpuRange>& cpus);
  RawFileBuilder& run(std::string_view stamp);
  RawFileBuilder& spawned(uint64_t processes);
  RawFileBuilder& waits(raw::Phase phase, const Waits& waits);
  RawFileBuilder& footer(uint64_t samples, uint64_t lost_samples = 0);
  RawFileBuilder& chunk(uint32_t kind, const Payload& payload);
  RawFileBuilder& garbage(std::string_view bytes);

  Payload payload() const { return Payload(order_); }
  std::string bytes() const;
  // Size of the file so far: where the next chunk begins.
  size_t size() const { return sizeof(raw::Prelude) + chunks_.size(); }

 private:
  uint32_t ordered(uint32_t v) const { return order_ == ByteOrder::kForeign ? __builtin_bswap32(v) : v; }

  ByteOrder order_;
  uint32_t rank_;
  uint32_t version_ = raw::kVersion;
  uint32_t stop_reason_ = 0;
  uint32_t stop_errno_ = 0;
  uint32_t n_chunks_ = 0;
  uint32_t crc_ = 0;
  std::string chunks_;
};

// A small finished file with every kind of chunk, for tests that only need something whole.
RawFileBuilder small_file(uint32_t rank = 0, uint32_t size = 1, ByteOrder order = ByteOrder::kNative);

}  // namespace scalediag::merge
