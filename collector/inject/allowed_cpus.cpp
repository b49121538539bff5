#include "collector/inject/allowed_cpus.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace scalediag::inject {

void AllowedCpus::add(pid_t tid) {
  // The system call, unlike its wrapper, says how many bytes it wrote.
  std::array<unsigned long, kWords> mask{};
  const long bytes = syscall(SYS_sched_getaffinity, tid, sizeof mask, mask.data());
  if (bytes <= 0) return;
  const size_t words = std::min(kWords, static_cast<size_t>(bytes) / sizeof(unsigned long));
  for (size_t w = 0; w < words; ++w) {
    changed_ = changed_ || (mask[w] & ~allowed_[w]) != 0;
    allowed_[w] |= mask[w];
  }
}

bool AllowedCpus::write_changed(raw::Encoder& to) {
  if (!changed_) return false;
  const size_t at = to.size();
  to.u32(0);
  uint32_t ranges = 0;
  const auto is_allowed = [this](size_t cpu) {
    return cpu < kWords * kBits && (allowed_[cpu / kBits] >> (cpu % kBits) & 1) != 0;
  };
  for (size_t cpu = 0; cpu < kWords * kBits; ++cpu) {
    if (!is_allowed(cpu)) continue;
    to.u32(static_cast<uint32_t>(cpu));
    while (is_allowed(cpu + 1)) ++cpu;
    to.u32(static_cast<uint32_t>(cpu));
    ++ranges;
  }
  to.set_u32(at, ranges);
  changed_ = false;
  return true;
}

}  // namespace scalediag::inject
