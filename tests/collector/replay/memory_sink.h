// A message log in memory, for tests of what the library inside the application writes.
#pragma once

#include <cstring>
#include <string>

#include "core/raw/message_log.h"
#include "pmpi-comm/replay/answered_routines.h"
#include "pmpi-comm/replay/call_log.h"

namespace scalediag::pmpi {

// Keeps a log in memory, in the shape of its file.
class MemorySink : public LogSink {
 public:
  MemorySink() {
    raw::Prelude prelude{};
    std::memcpy(prelude.magic, message_log::kMagic, sizeof prelude.magic);
    prelude.version = message_log::kVersion;
    prelude.byte_order = raw::kByteOrder;
    file.assign(reinterpret_cast<const char*>(&prelude), sizeof prelude);
    raw::Encoder identity;
    raw::put(identity, message_log::Identity{1, 2, checksum_of_routines(), "host", "app", "MPI"});
    write(message_log::ChunkKind::kIdentity, {identity.data(), identity.size()});
  }
  bool write(message_log::ChunkKind kind, std::string_view payload) override {
    if (fails) return false;
    raw::ChunkHeader header{};
    header.kind = static_cast<uint32_t>(kind);
    header.payload_bytes = static_cast<uint32_t>(payload.size());
    file.append(reinterpret_cast<const char*>(&header), sizeof header);
    file.append(payload);
    file.resize(file.size() + raw::padded(header.payload_bytes) - header.payload_bytes);
    return true;
  }
  std::string file;
  bool fails = false;
};

}  // namespace scalediag::pmpi
