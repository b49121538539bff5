// Samples of all threads that run on one CPU, from the kernel's software CPU clock. It is an event of the CPU and not
// of a thread, so that switching threads costs nothing. It needs CAP_PERFMON, root, or perf_event_paranoid at most 0.
//
// Every process that has the event's descriptor can map its ring and read all samples; reading does not remove them for
// others. A reader that is slower than the ring is long loses samples.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

struct perf_event_mmap_page;

namespace scalediag::inject {

struct CpuSample {
  pid_t pid = 0;  // in the PID namespace of the process that opened the event; 0 while the CPU idles
  pid_t tid = 0;
  uint64_t time_ns = 0;    // CLOCK_MONOTONIC
  uint64_t address = 0;    // of the application's instruction, also when the sample fell into the kernel
  uint64_t period_ns = 0;  // nanoseconds that one sample of this CPU stands for
  bool in_kernel = false;
};

// The period of a CPU's event, within a tenth of the one asked for: CPUs that are sampled in step would all be sampled
// at the same places of a program that runs in step.
uint64_t period_of_cpu_ns(uint64_t period_ns, int cpu);

// Opens an event that runs; returns its descriptor, or minus an errno.
int open_cpu_event(int cpu, uint64_t period_ns);

class CpuRing {
 public:
  CpuRing() = default;
  CpuRing(const CpuRing&) = delete;
  CpuRing& operator=(const CpuRing&) = delete;
  ~CpuRing();

  // Maps the ring of an event that open_cpu_event() opened in this process or another one; reading starts with samples
  // from now on. The descriptor may then be closed. Returns 0 or an errno.
  int map(int descriptor, uint64_t period_ns);

  static size_t ring_bytes();
  const volatile uint64_t* head() const;

  // Passes each new sample to `take(const CpuSample&)`. One reader at a time in a process.
  template <class Take> void drain(Take take) {
    const uint64_t head = begin_reading();
    CpuSample sample;
    while (position_ < head) {
      if (read_next(sample)) take(sample);
    }
  }

  // The number of samples of any process that were overwritten before they were read.
  uint64_t lost() const { return lost_; }

 private:
  uint64_t load_head() const;
  uint64_t begin_reading();
  bool read_next(CpuSample& sample);
  void copy(uint64_t from, void* to, size_t bytes) const;
  void skip_to(uint64_t head);

  perf_event_mmap_page* page_ = nullptr;
  const char* data_ = nullptr;
  uint64_t period_ns_ = 0;
  uint64_t position_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace scalediag::inject
