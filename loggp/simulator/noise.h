// Random changes of computations.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace scalediag::loggp {

// The finalizer of splitmix64.
inline uint64_t mix_noise(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// A log-normal factor with mean 1. It follows from the arguments alone, so the order of simulating does not matter.
inline double noise_factor(double deviation, uint64_t seed, uint32_t rank, uint32_t event) {
  const uint64_t bits = mix_noise(mix_noise(seed) ^ (static_cast<uint64_t>(rank) << 32 | event));
  const double u = (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  const double v = static_cast<double>(mix_noise(bits) >> 11) * 0x1p-53;
  const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  const double variance = std::log1p(deviation * deviation);
  return std::exp(std::sqrt(variance) * normal - variance / 2);
}

}  // namespace scalediag::loggp
