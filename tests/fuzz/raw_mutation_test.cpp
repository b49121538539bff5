// A small version of the fuzzer, with any compiler and the same steps every time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "raw_bytes_check.h"
#include "raw_seeds.h"

namespace scalediag::fuzz {
namespace {

constexpr int kMutantsOfASeed = 25000;

void mutate(std::string& bytes, std::mt19937& random) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  constexpr uint32_t kInteresting[] = {0, 1, 2, 7, 8, 24, 0x7fffffff, 0x80000000, 0xfffffff9, 0xffffffff, 1u << 28};
  switch (below(6)) {
    case 0:
      if (!bytes.empty()) bytes[below(bytes.size())] ^= static_cast<char>(1u << below(8));
      break;
    case 1:
      if (!bytes.empty()) bytes[below(bytes.size())] = static_cast<char>(below(256));
      break;
    case 2:
      bytes.resize(below(bytes.size() + 1));
      break;
    case 3: {  // a whole number, where numbers stand
      const size_t words = bytes.size() / 4;
      const uint32_t value = kInteresting[below(std::size(kInteresting))];
      if (words > 0)
        std::copy_n(reinterpret_cast<const char*>(&value), 4, bytes.begin() + 4 * static_cast<long>(below(words)));
      break;
    }
    case 4: {  // repeat a piece
      const size_t from = 8 * below(bytes.size() / 8 + 1);
      const std::string piece = bytes.substr(from, 8 * below(20));
      bytes.insert(8 * below(bytes.size() / 8 + 1), piece);
      break;
    }
    default: {  // drop a piece
      const size_t from = 8 * below(bytes.size() / 8 + 1);
      bytes.erase(from, 8 * below(20));
      break;
    }
  }
}

TEST(RawMutation, NoMutantBreaksTheReader) {
  std::mt19937 random(20180601);
  for (const std::string& seed : raw_seeds()) {
    ASSERT_EQ(check_raw_bytes(seed), "");
    for (int i = 0; i < kMutantsOfASeed; ++i) {
      std::string mutant = seed;
      for (auto steps = 1 + random() % 4; steps > 0; --steps) mutate(mutant, random);
      // Every other mutant gets valid checksums, so that the code behind the checks is tested as well.
      if (i % 2 == 0) mend_checksums(mutant);
      ASSERT_EQ(check_raw_bytes(mutant), "") << "mutant " << i;
    }
  }
}

}  // namespace
}  // namespace scalediag::fuzz
