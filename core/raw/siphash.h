// SipHash-2-4 of Aumasson and Bernstein (2012): a keyed hash of 64 bits, which nobody without the key can make. Header
// only, C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace scalediag::raw {

struct SipKey {
  uint64_t low = 0, high = 0;
};

inline uint64_t siphash(const SipKey& key, const void* data, size_t bytes) {
  const auto turned = [](uint64_t x, int by) { return x << by | x >> (64 - by); };
  uint64_t a = key.low ^ 0x736f6d6570736575, b = key.high ^ 0x646f72616e646f6d;
  uint64_t c = key.low ^ 0x6c7967656e657261, d = key.high ^ 0x7465646279746573;
  const auto rounds = [&](int n) {
    for (; n > 0; --n) {
      a += b, c += d;
      b = turned(b, 13) ^ a, d = turned(d, 16) ^ c;
      a = turned(a, 32);
      c += b, a += d;
      b = turned(b, 17) ^ c, d = turned(d, 21) ^ a;
      c = turned(c, 32);
    }
  };
  const auto* const from = static_cast<const unsigned char*>(data);
  const auto word = [&](size_t at, size_t n) {  // of little-endian bytes
    uint64_t value = 0;
    for (size_t i = 0; i < n; ++i) value |= static_cast<uint64_t>(from[at + i]) << (8 * i);
    return value;
  };
  const size_t whole = bytes / 8 * 8;
  for (size_t at = 0; at <= whole; at += 8) {
    const uint64_t m = at < whole ? word(at, 8) : word(at, bytes - whole) | static_cast<uint64_t>(bytes) << 56;
    d ^= m;
    rounds(2);
    a ^= m;
  }
  c ^= 0xff;
  rounds(4);
  return a ^ b ^ c ^ d;
}

}  // namespace scalediag::raw
