#include "collector/counters/machine/machine_kernels.h"

// One instruction each; `volatile` keeps them in place and in order.
#if defined(__x86_64__)
#define SCALEDIAG_ADD(to, step) asm volatile("addq %1, %0" : "+r"(to) : "r"(step) : "cc")
#elif defined(__aarch64__)
#define SCALEDIAG_ADD(to, step) asm volatile("add %0, %0, %1" : "+r"(to) : "r"(step))
#else
// On other processors the compiler chooses the instruction, and only may not merge two of them.
#define SCALEDIAG_ADD(to, step)  \
  do {                           \
    to += step;                  \
    asm volatile("" : "+r"(to)); \
  } while (false)
#endif

#define SCALEDIAG_TWICE(what) what what
#define SCALEDIAG_16_TIMES(what) SCALEDIAG_TWICE(SCALEDIAG_TWICE(SCALEDIAG_TWICE(SCALEDIAG_TWICE(what))))

namespace scalediag::counters {

void** chase(void** place, size_t steps) {
  for (size_t left = steps; left >= kChaseUnroll; left -= kChaseUnroll) {
    SCALEDIAG_16_TIMES(place = static_cast<void**>(*place);)
  }
  asm volatile("" : "+r"(place));
  return place;
}

uint64_t touch_lines(const void* memory, size_t bytes, size_t line_bytes) {
  const char* const begin = static_cast<const char*>(memory);
  uint64_t sum = 0;
  for (size_t at = 0; at < bytes; at += line_bytes) sum += *reinterpret_cast<const uint64_t*>(begin + at);
  asm volatile("" : "+r"(sum));
  return sum;
}

uint64_t dependent_additions(uint64_t blocks) {
  uint64_t x = 1;
  const uint64_t step = 3;
  for (uint64_t left = blocks; left != 0; --left) {
    SCALEDIAG_16_TIMES(SCALEDIAG_TWICE(SCALEDIAG_TWICE(SCALEDIAG_TWICE(SCALEDIAG_ADD(x, step);))))
  }
  return x;
}

uint64_t independent_additions(uint64_t blocks) {
  uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
  const uint64_t step = 3;
  for (uint64_t left = blocks; left != 0; --left) {
    SCALEDIAG_16_TIMES(SCALEDIAG_ADD(a, step); SCALEDIAG_ADD(b, step); SCALEDIAG_ADD(c, step); SCALEDIAG_ADD(d, step);
                       SCALEDIAG_ADD(e, step); SCALEDIAG_ADD(f, step); SCALEDIAG_ADD(g, step); SCALEDIAG_ADD(h, step);)
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

void triad(double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c, double factor,
           size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = b[i] + factor * c[i];
  asm volatile("" : : "r"(a) : "memory");
}

}  // namespace scalediag::counters
