// The file that a rank leaves behind, shared by the library inside the
// application (writer) and the merger (reader). Header only, C++17, no
// dependency but the standard library.
//
//   file    = prelude chunk*            (a finished file ends with a footer chunk; one at MPI_Finalize and one
//                                        at exit is usual, and a footer counts the chunks before it, footers too)
//   prelude = Prelude, 64 bytes
//   chunk   = ChunkHeader, payload, zero bytes up to a multiple of 8
//
// Integers are in the writer's byte order, which the prelude tells. Payloads have no padding.
//
// Counts are written as a running total for each key, whenever it has changed since the last flush. The last chunk that
// names a key is valid, so that a file that ends early is right up to its last flush.
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace scalediag::raw {

constexpr char kMagic[8] = {'S', 'C', 'D', 'R', 'A', 'W', '\r', '\n'};
// Version 1 had no kCounting, 2 no kAllowedCpus, kRun and kSpawned, 4 no kWaits, 8 no kOverflows, 16 no kMemory,
// kFileTotals, call sites, kRepeatedCalls and kRegions, 32 no kCallers and kPathSamples, 64 no kParallelRegions,
// 128 no kFilePlaces and kFilePlaceTotals, 256 no kGpuPlaces, kGpuPlaceTotals, kGpuUse and kInGpuCall, 512 no kRounds.
// Versions are powers of two, so that no flipped bit makes one of another.
constexpr uint32_t kVersion = 1024;
constexpr uint32_t kByteOrder = 0x01020304;

// The reason for which a rank stopped recording before its end; kept in the prelude because existing blocks can be
// rewritten even on a full disk.
enum class StopReason : uint32_t {
  kNone = 0,
  kWriteFailed = 1,  // the reason is stop_errno
  kOutOfMemory = 2,
  kAborted = 3,  // the application called MPI_Abort
};

struct Prelude {
  char magic[8];
  uint32_t version;
  uint32_t byte_order;
  uint32_t stop_reason;  // StopReason
  uint32_t stop_errno;
  uint8_t reserved[40];
};
static_assert(sizeof(Prelude) == 64);

// The payload of a chunk is the record that is named here, or a vector of it ("n x"), as raw_records.h encodes them.
// The last chunk of a kind is valid, or the last one that names a key.
enum class ChunkKind : uint32_t {
  kIdentity = 1,  // Identity
  kModules = 2,   // EpochModules
  kSamples = 3,   // n x { PlainSampleKey, SampleValue, a u64 for each of the identity's counters }; may be only counts
  kOperationNames = 4,     // n x OperationName
  kOperations = 5,         // n x { OperationKey, OperationTotals }
  kPeers = 6,              // n x { PeerKey, PeerTotals }
  kClock = 7,              // ClockPoint
  kLosses = 8,             // Losses
  kCounting = 9,           // Counting, where events were requested
  kAllowedCpus = 10,       // n x CpuRange: where threads of the application might run so far; rising, with gaps between
  kRun = 11,               // string: the stamp of the file's run, as in experiment.json; empty where there was none
  kSpawned = 12,           // u64: processes that the program spawned (MPI_Comm_spawn), counted by the root of the call
  kWaits = 13,             // PhaseWaits; absent where the system does not tell
  kOverflows = 14,         // n x EventOverflows, one a counter of the identity, where each event overflows by itself
  kCallSites = 15,         // n x CallSite, each once
  kCallers = 16,           // n x Caller, each once, callers before what they call
  kPathSamples = 17,       // n x { SampleKey, SampleValue, counts as in kSamples }: those with a call stack
  kRepeatedCalls = 20,     // n x RepeatedCall, at the end of recording
  kRegions = 21,           // n x Region, at the end of recording, parents before what lies in them
  kRegionParameters = 22,  // n x RegionParameter
  kRegionProblems = 23,    // RegionProblems; absent where there are none
  kParallelRegions = 24,   // n x ParallelRegion, after kRegions; absent where there are none
  kMemory = 25,            // Memory
  kFileTotals = 26,  // n x FileTotals: what the C library's functions did with regular files, MPI's own calls left out
  kPythonFunctions = 27,  // n x PythonFunction, each once
  kRounds = 30,           // Rounds, of a run that ends after some rounds of its main loop: at their begin and end, each
                          // after all totals of that moment
  kFilePlaces = 28,       // n x FilePlace, each once
  kFilePlaceTotals = 29,  // n x FilePlaceTotals, those that changed
  kGpuPlaces = 40,        // n x GpuPlace, each once
  kGpuPlaceTotals = 41,   // n x GpuPlaceTotals, those that changed
  kGpuUse = 42,           // GpuUse, where a GPU's library was called
  kFooter = 255,          // Footer
};

// Samples a second of CPU time and thread, where no other rate is asked for.
constexpr double kUsualRate_hz = 250;

constexpr uint32_t kOutsideMpi = 0xFFFFFFFF;
// The collector's own work in libraries and in the kernel, around a call of MPI or instead of one. Only in samples.
constexpr uint32_t kOfCollector = 0xFFFFFFFE;
// Inside a call of a GPU's library that was not made by MPI. Only in samples.
constexpr uint32_t kInGpuCall = 0xFFFFFFFD;
constexpr uint32_t kLowestSpecial = kInGpuCall;

// An operation in keys of samples and calls is the routine and the site that called it: routine | site << 10. Site 0 is
// unknown, as in files of older versions.
constexpr uint32_t kOperationBits = 10;
constexpr uint32_t operation_at(uint32_t routine, uint32_t site) { return routine | site << kOperationBits; }
constexpr uint32_t routine_of(uint32_t operation) {
  return operation >= kLowestSpecial ? operation : operation & ((1u << kOperationBits) - 1);
}
constexpr uint32_t site_of(uint32_t operation) { return operation >= kLowestSpecial ? 0 : operation >> kOperationBits; }
constexpr uint32_t kUnknownPeer = 0xFFFFFFFF;
// Of a sample's address: it is no address, and its lower half is the number of a Python function.
constexpr uint64_t kPythonAddress = uint64_t{1} << 63;

// The first numbers of a sample's callers: a stack begins with how its outermost end was reached. 0: no call stacks
// were recorded.
enum StackRoot : uint32_t {
  kNoStack = 0,
  kWholeStack = 1,     // the first function of the thread was reached
  kCutStack = 2,       // it lies beyond what was copied of the stack
  kNoTableStack = 3,   // no unwind table has the code that was reached
  kMisledStack = 4,    // a table led out of the stack
  kUncopiedStack = 5,  // the stack could not be copied, or had no place among those that are kept
  kStackRoots = 6,
};

enum ThreadClass : uint32_t {
  kMainThread = 0,  // the thread that called MPI_Init
  kOtherThread = 1,
  kMpiInternalThread = 2,  // started from inside an MPI call
};

enum PeerDirection : uint32_t { kSent = 0, kPut = 1, kGot = 2 };

enum class Phase : uint32_t {
  kLoad = 0,
  kInitBegin = 1,
  kInitEnd = 2,
  kFlush = 3,
  kFinalizeBegin = 4,
  kFinalizeEnd = 5,
  kExit = 6,
};

struct ChunkHeader {
  uint32_t kind;
  uint32_t payload_bytes;  // without padding
  uint32_t crc32;          // chunk_crc(): of the other fields and the payload
  uint32_t rank;           // the rank that wrote it, so that ranks can share a file
};
static_assert(sizeof(ChunkHeader) == 16);

constexpr uint32_t kMaxPayloadBytes = 1u << 28;

constexpr uint32_t padded(uint32_t bytes) { return (bytes + 7) & ~7u; }

// [k][b]: the CRC of the byte b and k zero bytes behind it.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;
constexpr CrcTables crc_tables() {
  CrcTables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    tables[0][i] = c;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t i = 0; i < 256; ++i) tables[k][i] = tables[0][tables[k - 1][i] & 0xFF] ^ (tables[k - 1][i] >> 8);
  }
  return tables;
}
inline constexpr CrcTables kCrcTables = crc_tables();

// CRC-32 of IEEE 802.3, reflected; the check value of "123456789" is 0xCBF43926. Eight bytes at a time, by the sum of
// what each of them gives ("slicing by 8", Kounavis and Berry 2005).
inline uint32_t crc32(const void* data, size_t bytes, uint32_t before = 0) {
  uint32_t c = ~before;
  const auto* p = static_cast<const unsigned char*>(data);
  for (; bytes >= 8; bytes -= 8, p += 8) {
    const uint32_t low = c ^ (p[0] | p[1] << 8 | p[2] << 16 | static_cast<uint32_t>(p[3]) << 24);
    c = kCrcTables[7][low & 0xFF] ^ kCrcTables[6][low >> 8 & 0xFF] ^ kCrcTables[5][low >> 16 & 0xFF] ^
        kCrcTables[4][low >> 24] ^ kCrcTables[3][p[4]] ^ kCrcTables[2][p[5]] ^ kCrcTables[1][p[6]] ^
        kCrcTables[0][p[7]];
  }
  for (; bytes > 0; --bytes, ++p) c = kCrcTables[0][(c ^ *p) & 0xFF] ^ (c >> 8);
  return ~c;
}

// The checksum of a chunk covers its header as well: a kind or rank with a flipped bit would otherwise pass
// whenever the payload happens to have a shape that the other kind accepts. `header` is as it stands in the file.
inline uint32_t chunk_crc(ChunkHeader header, const void* payload, size_t payload_bytes) {
  header.crc32 = 0;
  return crc32(payload, payload_bytes, crc32(&header, sizeof header));
}

// The bin of a call that moves `bytes` bytes.
constexpr uint32_t size_bin(uint64_t bytes) {
  return bytes == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(bytes));
}

// "file:SIZE-NS", the size in bytes and the time of the last change of a file, for modules without a build id.
constexpr std::string_view kFileStamp = "file:";
inline std::string file_stamp(const struct stat& status) {
  const int64_t changed_ns = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return std::string(kFileStamp) + std::to_string(status.st_size) + "-" + std::to_string(changed_ns);
}

// Builds a payload.
class Encoder {
 public:
  void u32(uint32_t v) { append(&v, sizeof v); }
  void u64(uint64_t v) { append(&v, sizeof v); }
  void string(std::string_view s) {
    u32(static_cast<uint32_t>(s.size()));
    append(s.data(), s.size());
  }
  // Appends the bytes without their length.
  void bytes(std::string_view s) { append(s.data(), s.size()); }
  // Overwrites a u32 written earlier, for counts that are known at the end only.
  void set_u32(size_t at, uint32_t v) { std::memcpy(bytes_.data() + at, &v, sizeof v); }
  size_t size() const { return bytes_.size(); }
  const char* data() const { return bytes_.data(); }
  void clear() { bytes_.clear(); }

 private:
  void append(const void* p, size_t n) {
    const size_t at = bytes_.size();
    bytes_.resize(at + n);
    if (n != 0) std::memcpy(bytes_.data() + at, p, n);
  }
  std::vector<char> bytes_;
};

// Reads a payload. After a read past the end every value is 0 or empty and ok() is false.
class Decoder {
 public:
  Decoder(const char* data, size_t bytes, bool swap) : p_(data), end_(data + bytes), swap_(swap) {}
  bool ok() const { return ok_; }
  bool at_end() const { return p_ == end_; }
  size_t left() const { return static_cast<size_t>(end_ - p_); }
  uint32_t u32() {
    uint32_t v = 0;
    take(&v, sizeof v);
    return swap_ ? __builtin_bswap32(v) : v;
  }
  uint64_t u64() {
    uint64_t v = 0;
    take(&v, sizeof v);
    return swap_ ? __builtin_bswap64(v) : v;
  }
  std::string string() {
    const uint32_t n = u32();
    if (n > left()) {
      fail();
      return {};
    }
    std::string s(p_, n);
    p_ += n;
    return s;
  }

 private:
  void take(void* to, size_t n) {
    if (left() < n) {
      fail();
      return;
    }
    std::memcpy(to, p_, n);
    p_ += n;
  }
  void fail() {
    ok_ = false;
    p_ = end_;
  }
  const char* p_;
  const char* end_;
  bool swap_;
  bool ok_ = true;
};

}  // namespace scalediag::raw
