#include "raw_seeds.h"

#include <cstring>

#include "core/raw/raw_format.h"
#include "tests/collector/merge/raw/raw_file_builder.h"

namespace scalediag::fuzz {

std::vector<std::string> raw_seeds() {
  using merge::ByteOrder;
  std::vector<std::string> seeds;
  seeds.push_back(merge::small_file(0, 2).bytes());
  seeds.push_back(merge::small_file(1, 300, ByteOrder::kForeign).bytes());
  seeds.push_back(merge::small_file().stop(raw::StopReason::kWriteFailed, 28).bytes());
  seeds.push_back(merge::small_file().version(2).bytes());
  merge::RankIdentity identity;
  identity.rank = 7;
  identity.size = 9;
  identity.sampler = "none";
  identity.counters = {"instructions", "cycles"};
  merge::RawFileBuilder b(7);
  b.identity(identity).rank(8);
  identity.rank = 8;
  b.identity(identity).samples({{{1, raw::kOutsideMpi, 1, 5}, {1, 2, 1, {3, 4}}}});
  b.overflows({{1000, 5000}, {0, 0}});
  b.rank(7).peers({{{raw::kUnknownPeer, raw::kGot}, {1, 1}}, {{299, raw::kPut}, {1, 1}}});
  b.losses({1, 1, 1, 1, 3}).footer(1).clock({raw::Phase::kFlush, 1, 1, 1, 1, 1, 1}).footer(1);
  seeds.push_back(b.bytes());
  seeds.push_back(merge::RawFileBuilder().bytes());
  return seeds;
}

void mend_checksums(std::string& bytes) {
  size_t at = sizeof(raw::Prelude);
  uint32_t crc = 0;
  uint32_t chunks = 0;
  while (at + sizeof(raw::ChunkHeader) <= bytes.size()) {
    raw::ChunkHeader h;
    std::memcpy(&h, bytes.data() + at, sizeof h);
    if (h.payload_bytes > bytes.size() - at - sizeof h) return;
    char* payload = bytes.data() + at + sizeof h;
    if (h.kind == static_cast<uint32_t>(raw::ChunkKind::kFooter) && h.payload_bytes == 24) {
      std::memcpy(payload + 16, &chunks, sizeof chunks);
      std::memcpy(payload + 20, &crc, sizeof crc);
    }
    h.crc32 = raw::chunk_crc(h, payload, h.payload_bytes);
    std::memcpy(bytes.data() + at, &h, sizeof h);
    crc = raw::crc32(&h.crc32, sizeof h.crc32, crc);
    ++chunks;
    at += sizeof h + raw::padded(h.payload_bytes);
  }
}

}  // namespace scalediag::fuzz
