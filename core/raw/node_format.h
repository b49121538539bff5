// The file that the ranks of a node share where they do not write a file each. Header only, C++17.
//
//   file    = segment*
//   segment = SegmentHeader, `bytes` bytes of a stream
//
// A stream is the file that a rank would otherwise have for itself (raw_format.h, trace_format.h), byte for byte. Every
// segment is appended by one write to a descriptor with O_APPEND: the system finds the end of the file and writes there
// in one step, so that ranks need no lock. A rank that dies, or that finds the disk full, leaves at most its last
// segment in part. A reader that finds no header at its place looks for the next one, and the other ranks lose nothing.
//
// The later of two segments with the same bytes of a stream is valid.
#pragma once

#include <cstdint>

#include "core/raw/raw_format.h"

namespace scalediag::raw {

constexpr char kSegmentMagic[8] = {'S', 'C', 'D', 'S', 'E', 'G', '\r', '\n'};
constexpr uint32_t kNodeVersion = 1;

// The most ranks of a run that write a file each, where no other number is asked for.
constexpr int kUsualRankFiles = 256;

struct SegmentHeader {
  char magic[8];
  uint32_t version;     // kNodeVersion
  uint32_t byte_order;  // raw::kByteOrder; the reader takes those of its own
  uint64_t stream;      // differs for every stream of the file
  uint64_t offset;      // of the segment's first byte in its stream
  uint64_t bytes;       // of the stream, behind this header
  uint32_t rank;
  uint32_t crc32;  // segment_crc(); the stream has checksums of its own
};
static_assert(sizeof(SegmentHeader) == 48);

inline uint32_t segment_crc(SegmentHeader header) {
  header.crc32 = 0;
  return crc32(&header, sizeof header);
}

inline SegmentHeader segment_header(uint64_t stream, uint64_t offset, uint64_t bytes, uint32_t rank) {
  SegmentHeader header{};
  std::memcpy(header.magic, kSegmentMagic, sizeof header.magic);
  header.version = kNodeVersion;
  header.byte_order = kByteOrder;
  header.stream = stream;
  header.offset = offset;
  header.bytes = bytes;
  header.rank = rank;
  header.crc32 = segment_crc(header);
  return header;
}

}  // namespace scalediag::raw
