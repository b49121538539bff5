// Trace files as ranks write them, for tests.
#pragma once

#include <string>

#include "core/raw/raw_format.h"
#include "core/raw/trace_format.h"

namespace scalediag::tests {

inline void add_chunk(std::string& file, trace::ChunkKind kind, const std::string& payload) {
  raw::ChunkHeader header{};
  header.kind = static_cast<uint32_t>(kind);
  header.payload_bytes = static_cast<uint32_t>(payload.size());
  header.crc32 = raw::chunk_crc(header, payload.data(), payload.size());
  file.append(reinterpret_cast<const char*>(&header), sizeof header);
  file += payload;
  file.append(raw::padded(header.payload_bytes) - header.payload_bytes, '\0');
}

inline std::string prelude(uint32_t version = trace::kVersion) {
  raw::Prelude p{};
  std::memcpy(p.magic, trace::kMagic, sizeof p.magic);
  p.version = version;
  p.byte_order = raw::kByteOrder;
  return std::string(reinterpret_cast<const char*>(&p), sizeof p);
}

// Numbers in the encoding of a payload.
inline std::string numbers(std::initializer_list<uint64_t> values) {
  std::string payload;
  for (const uint64_t value : values) trace::put(payload, value);
  return payload;
}

inline std::string identity(uint64_t rank, uint64_t size) {
  std::string payload = numbers({rank, size});
  for (const char* text : {"host", "/app", "MPI"}) trace::put_text(payload, text);
  return payload;
}

// The whole file of one rank in a world of `size` with only MPI_COMM_WORLD. `events` is the payload of the events'
// chunk, which has `n_events`; the rank computed for `tail_ns` after them. `computations` and `instructions` are the
// payloads of chunks that are left out where they are empty.
inline std::string rank_file(uint64_t rank, uint64_t size, const std::string& events, uint64_t n_events,
                             uint64_t tail_ns = 0, trace::End end = trace::End::kFinalize,
                             const std::string& computations = "", const std::string& instructions = "") {
  std::string file = prelude();
  add_chunk(file, trace::ChunkKind::kIdentity, identity(rank, size));
  add_chunk(file, trace::ChunkKind::kCommunicators, numbers({1, 0, 0}));
  add_chunk(file, trace::ChunkKind::kEvents, events);
  if (!instructions.empty()) add_chunk(file, trace::ChunkKind::kInstructions, instructions);
  if (!computations.empty()) add_chunk(file, trace::ChunkKind::kComputations, computations);
  add_chunk(file, trace::ChunkKind::kEnd, numbers({n_events, static_cast<uint64_t>(end), tail_ns, 2'000'000'000}));
  add_chunk(file, trace::ChunkKind::kFooter, std::string(24, '\0'));
  return file;
}

}  // namespace scalediag::tests
