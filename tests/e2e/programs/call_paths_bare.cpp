// Part of call_paths.cpp that is compiled without an unwind table.
#include <cstdint>

static volatile uint64_t bare_sink;

__attribute__((noinline, noclone)) void bare_work(double units) {
  uint64_t x = 88172645463325252u;
  for (auto i = static_cast<int64_t>(units * 6000); i > 0; --i) x = x * 6364136223846793005u + 1;
  bare_sink = x;
}
