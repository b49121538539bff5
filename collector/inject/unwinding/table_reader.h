// Reads a module's unwind table (.eh_frame) where it is mapped. After a read beyond the end every value is 0 and ok()
// is false.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace scalediag::inject {

class TableReader {
 public:
  TableReader() = default;
  TableReader(const uint8_t* at, const uint8_t* end) : at_(at), end_(end), ok_(at <= end) {}

  bool ok() const { return ok_; }
  bool at_end() const { return !ok_ || at_ == end_; }
  const uint8_t* at() const { return at_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(at_); }

  uint8_t u8() { return value<uint8_t>(); }
  uint16_t u16() { return value<uint16_t>(); }
  uint32_t u32() { return value<uint32_t>(); }
  uint64_t u64() { return value<uint64_t>(); }
  uint64_t uleb() {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      const uint8_t byte = u8();
      if (shift < 64) v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return v;
    }
    return fail();
  }
  int64_t sleb() {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70;) {
      const uint8_t byte = u8();
      if (shift < 64) v |= static_cast<uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) v |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(v);
    }
    return static_cast<int64_t>(fail());
  }
  // A pointer in the encoding of the Linux Standard Base ("DW_EH_PE_..."); `data_base` is what it may be relative to.
  // It fails for encodings that need the module's other tables.
  uint64_t pointer(uint8_t encoding, uint64_t data_base) {
    const uint64_t here = address();
    uint64_t v = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c: v = u64(); break;
      case 0x01: v = uleb(); break;
      case 0x02: v = u16(); break;
      case 0x03: v = u32(); break;
      case 0x09: v = static_cast<uint64_t>(sleb()); break;
      case 0x0a: v = static_cast<uint64_t>(int64_t{static_cast<int16_t>(u16())}); break;
      case 0x0b: v = static_cast<uint64_t>(int64_t{static_cast<int32_t>(u32())}); break;
      default: return fail();
    }
    switch (encoding & 0xf0) {
      case 0x00: return v;
      case 0x10: return v + here;
      case 0x30: return v + data_base;
      default: return fail();
    }
  }
  void skip(uint64_t bytes) {
    if (bytes > static_cast<uint64_t>(end_ - at_)) {
      fail();
    } else {
      at_ += bytes;
    }
  }

 private:
  template <class T> T value() {
    T v{};
    if (!ok_ || static_cast<size_t>(end_ - at_) < sizeof v) {
      fail();
      return v;
    }
    std::memcpy(&v, at_, sizeof v);
    at_ += sizeof v;
    return v;
  }
  uint64_t fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  bool ok_ = false;
};

}  // namespace scalediag::inject
