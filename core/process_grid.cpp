#include "core/process_grid.h"

#include <cmath>
#include <cstdint>

namespace scalediag::core {
namespace {

// The largest divisor of n that is at most its square root.
int shorter_side(int n) {
  int side = static_cast<int>(std::sqrt(static_cast<double>(n)));
  while (n % side != 0) --side;
  return side;
}

int64_t sum_of(const std::array<int, 3>& sides) { return int64_t{sides[0]} + sides[1] + sides[2]; }

}  // namespace

std::array<int, 3> process_grid(int processes, int dimensions) {
  std::array<int, 3> best = {processes, 1, 1};
  if (dimensions < 2) return best;
  if (dimensions == 2) {
    const int side = shorter_side(processes);
    return {processes / side, side, 1};
  }
  for (int c = 1; c <= processes / c / c; ++c) {
    if (processes % c != 0) continue;
    const int b = shorter_side(processes / c);
    const int a = processes / c / b;
    if (b >= c && sum_of({a, b, c}) <= sum_of(best)) best = {a, b, c};
  }
  return best;
}

bool is_square(int processes) {
  const int64_t side = std::lround(std::sqrt(processes));
  return side * side == processes;
}

bool is_cube(int processes) {
  const int64_t side = std::lround(std::cbrt(processes));
  return side * side * side == processes;
}

std::set<int> prime_factors(int number) {
  std::set<int> primes;
  for (int p = 2; p <= number / p; ++p) {
    for (; number % p == 0; number /= p) primes.insert(p);
  }
  if (number > 1) primes.insert(number);
  return primes;
}

}  // namespace scalediag::core
