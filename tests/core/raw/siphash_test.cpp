#include "core/raw/siphash.h"

#include <gtest/gtest.h>

namespace scalediag::raw {
namespace {

// Aumasson and Bernstein (2012), appendix A: the key 00 01 .. 0f and the message 00 01 .. 0e.
TEST(SipHash, VectorOfThePaper) {
  unsigned char message[15];
  for (unsigned char i = 0; i < sizeof message; ++i) message[i] = i;
  const SipKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(siphash(key, message, sizeof message), 0xa129ca6149be45e5);
}

}  // namespace
}  // namespace scalediag::raw
