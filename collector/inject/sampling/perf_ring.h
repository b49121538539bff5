// Samples of one thread from the kernel's software CPU clock, without signals: the kernel writes records into a ring
// that is read from time to time.
//
// Every record holds the event's count, the CPU time of the thread so far. A sample stands for the CPU time
// since the sample before it, so the sum over samples is the thread's CPU time even where a timer came late.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/inject/sampling/sample.h"
#include "core/raw/own_descriptor.h"

struct perf_event_mmap_page;

namespace scalediag::inject {

class PerfRing {
 public:
  PerfRing() = default;
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;
  ~PerfRing() { close(); }

  // Starts sampling the thread. Tries to see kernel mode as well, which needs privilege; without it time in
  // kernel mode is charged to the next sample in user mode. Returns 0 or an errno.
  int open(pid_t tid, uint64_t period_ns);
  void close();

  // Between pause() and resume() no CPU time is counted and no sample is taken, and a switch of threads costs less.
  // False when the event's descriptor could not be kept or the application has closed it: sampling goes on.
  bool pause() { return control(PERF_EVENT_IOC_DISABLE); }
  bool resume() { return control(PERF_EVENT_IOC_ENABLE); }

  bool is_open() const { return page_ != nullptr; }
  bool sees_kernel_mode() const { return sees_kernel_; }
  size_t ring_bytes() const { return ring_bytes_; }
  // The kernel's write position; it differs from `seen` of drain when there is something to read.
  const volatile uint64_t* head() const;

  // Passes each new sample to `take(const Sample&)`. Returns the position read up to. One reader at a time.
  template <class Take> uint64_t drain(Take take);

  uint64_t lost() const { return lost_; }

 private:
  struct Record {
    uint32_t type = 0;
    uint16_t misc = 0;
    uint16_t size = 0;
    uint64_t words[8] = {};
  };
  bool control(unsigned long request);
  uint64_t load_head() const;
  void store_tail(uint64_t tail);
  Record record_at(uint64_t position) const;
  bool sample_of(const Record& record, Sample& sample) const;
  void count_loss(const Record& record);

  perf_event_mmap_page* page_ = nullptr;
  raw::OwnDescriptor event_;
  const char* data_ = nullptr;
  size_t ring_bytes_ = 0;
  uint64_t tail_ = 0;
  uint64_t lost_ = 0;
  bool sees_kernel_ = false;
};

template <class Take> uint64_t PerfRing::drain(Take take) {
  const uint64_t head = load_head();
  while (tail_ < head) {
    const Record r = record_at(tail_);
    if (r.size == 0) {  // cannot happen; a corrupted ring must not hang the application
      tail_ = head;
      break;
    }
    Sample s;
    if (sample_of(r, s)) {
      take(s);
    } else {
      count_loss(r);
    }
    tail_ += r.size;
  }
  store_tail(tail_);
  return tail_;
}

}  // namespace scalediag::inject
