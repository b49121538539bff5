#include "collector/inject/sampling/cpu_sampler.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "collector/inject/cpus/cpu_set.h"

namespace scalediag::inject {

int CpuSampler::start(const std::string& run, uint64_t period_ns) try {
  pid_ = getpid();
  run_ = run;
  period_ns_ = period_ns;
  n_cpus_ = static_cast<uint32_t>(std::clamp<long>(sysconf(_SC_NPROCESSORS_CONF), 1, kMostCpus));
  rings_ = std::make_unique<std::atomic<CpuRing*>[]>(n_cpus_);
  wanted_ = std::make_unique<std::atomic<bool>[]>(n_cpus_);
  const CpuSet mine = cpus_of(0);
  std::vector<uint32_t> cpus;
  for (uint32_t cpu = 0; cpu < n_cpus_; ++cpu) {
    if (mine.has(cpu)) cpus.push_back(cpu);
  }
  if (cpus.empty()) return ENODEV;
  // The first CPU is tried before other ranks are asked: most ranks without the right to sample CPUs fail here.
  const int fd = open_cpu_event(static_cast<int>(cpus.front()), period_ns);
  if (fd < 0) return -fd;
  close(fd);
  if (const int failed = add(cpus)) {
    // The rings that were opened so far have no reader, and must not go on sampling.
    opened_.clear();
    for (uint32_t cpu = 0; cpu < n_cpus_; ++cpu) delete rings_[cpu].exchange(nullptr);
    exchange_.stop();
    return failed;
  }
  running_.store(true, std::memory_order_release);
  return 0;
} catch (const std::bad_alloc&) {
  return ENOMEM;
}

int CpuSampler::add(const std::vector<uint32_t>& cpus) {
  opened_.reserve(opened_.size() + cpus.size());
  return exchange_.get(run_, period_ns_, cpus, [this](uint32_t cpu, int descriptor) {
    auto ring = std::make_unique<CpuRing>();
    const int failed = ring->map(descriptor, period_of_cpu_ns(period_ns_, static_cast<int>(cpu)));
    if (failed != 0) return failed;
    opened_.push_back(ring.get());
    rings_[cpu].store(ring.release(), std::memory_order_release);
    return 0;
  });
}

void CpuSampler::want(uint32_t cpu) {
  if (cpu >= n_cpus_ || rings_[cpu].load(std::memory_order_relaxed) != nullptr) return;
  wanted_[cpu].store(true, std::memory_order_relaxed);
  any_wanted_.store(true, std::memory_order_release);
}

void CpuSampler::want_cpus_of_this_thread() {
  const CpuSet mine = cpus_of(0);
  for (uint32_t cpu = 0; cpu < n_cpus_; ++cpu) {
    if (mine.has(cpu)) want(cpu);
  }
}

void CpuSampler::extend() {
  if (!any_wanted_.exchange(false, std::memory_order_acquire)) return;
  std::vector<uint32_t> cpus;
  for (uint32_t cpu = 0; cpu < n_cpus_; ++cpu) {
    if (wanted_[cpu].exchange(false, std::memory_order_relaxed)) cpus.push_back(cpu);
  }
  // A CPU that fails is tried again when a thread is next seen there.
  if (!cpus.empty()) add(cpus);
}

uint64_t CpuSampler::lost() const {
  uint64_t lost = 0;
  for (const CpuRing* ring : opened_) lost += ring->lost();
  if (read_ == 0) return lost;
  return static_cast<uint64_t>(static_cast<double>(lost) * static_cast<double>(taken_) / static_cast<double>(read_));
}

void CpuSampler::forget_after_fork() {
  running_.store(false, std::memory_order_release);
  exchange_.forget_after_fork();
}

}  // namespace scalediag::inject
