#include "collector/counters/papi/known_loops.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace scalediag::counters {

uint64_t run_counted_loop(uint64_t iterations) {
  uint64_t left = iterations;
#if defined(__x86_64__)
  asm volatile("1: dec %0\n\tjnz 1b" : "+r"(left) : : "cc");
#elif defined(__aarch64__)
  asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
#endif
  return 2 * (iterations - left);
}

void run_mixed_work() {
  constexpr size_t kDoubles = 1 << 22;  // 32 MiB
  constexpr int kSteps = 400000;
  static std::vector<double> memory(kDoubles, 1.5);
  uint64_t state = 88172645463325252u;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    state ^= state << 13;  // xorshift64 (Marsaglia 2003)
    state ^= state >> 7;
    state ^= state << 17;
    double& value = memory[state % kDoubles];
    if ((state >> 40 & 1) != 0) {
      sum += std::sqrt(value) * 1.25;
    } else {
      sum -= value / 3;
    }
    value = value * 0.5 + 1;
  }
  asm volatile("" : : "g"(sum));  // the compiler may not leave the sum out
}

void run_dense_work() {
  constexpr size_t kDoubles = 512;  // 12 KiB in three arrays: the first level holds them
  constexpr int kRounds = 5000;
  static double a[kDoubles], b[kDoubles], c[kDoubles];
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kDoubles; ++i) a[i] = b[i] * 0.5 + c[i];
    asm volatile("" : : "r"(a) : "memory");  // every round is done
  }
}

}  // namespace scalediag::counters
