// A thousandth of what the fuzzer does, in every run of the tests; what it is for shows under the sanitizers.
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/told_bytes_check.h"

namespace scalediag::tests {
namespace {

TEST(ToldBytes, ChangedBytesAreAnErrorOrASimulation) {
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return random() % n; };
  for (const std::string& seed : told_seeds()) {
    emulate_told_bytes(seed);
    for (size_t length = 0; length < seed.size(); ++length) emulate_told_bytes(seed.substr(0, length));
    for (int i = 0; i < 3000; ++i) {
      std::string changed = seed;
      for (size_t n = 1 + below(3); n > 0; --n) {
        char& byte = changed[below(changed.size())];
        byte = static_cast<char>(below(2) == 0 ? byte ^ (1 << below(8)) : below(256));
      }
      emulate_told_bytes(changed);
    }
  }
}

}  // namespace
}  // namespace scalediag::tests
