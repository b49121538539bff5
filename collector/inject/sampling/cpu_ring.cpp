#include "collector/inject/sampling/cpu_ring.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "collector/inject/sampling/page_bytes.h"
#include "collector/inject/sampling/perf_registers.h"
#include "collector/inject/sampling/spread_period.h"

namespace scalediag::inject {
namespace {

constexpr size_t kRingBytes = 128 * 1024;
constexpr uint64_t kCpuRecordBytes = 48;  // a sample's

}  // namespace

uint64_t period_of_cpu_ns(uint64_t period_ns, int cpu) {
  return spread_period_ns(period_ns, static_cast<uint64_t>(cpu));
}

int open_cpu_event(int cpu, uint64_t period_ns) {
  perf_event_attr a;
  std::memset(&a, 0, sizeof a);
  a.size = sizeof a;
  a.type = PERF_TYPE_SOFTWARE;
  a.config = PERF_COUNT_SW_CPU_CLOCK;
  a.sample_period = period_of_cpu_ns(period_ns, cpu);
  a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER;
  a.sample_regs_user = 1ULL << kInstructionPointerRegister;
  a.exclude_hv = 1;
  a.exclude_guest = 1;
  a.exclude_idle = 1;  // a CPU that nothing runs on writes no records, which every rank would read and drop
  // Threads record the times at which they enter and leave MPI by the same clock.
  a.use_clockid = 1;
  a.clockid = CLOCK_MONOTONIC;
  // The ring is polled; no reader is to be woken.
  a.watermark = 1;
  a.wakeup_watermark = 0x7fffffff;
  const long fd = syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return fd >= 0 ? static_cast<int>(fd) : -errno;
}

CpuRing::~CpuRing() {
  if (page_ != nullptr) munmap(page_, page_bytes() + ring_bytes());
}

size_t CpuRing::ring_bytes() { return std::max(kRingBytes, page_bytes()); }

int CpuRing::map(int descriptor, uint64_t period_ns) {
  // Without write access the kernel does not wait for readers but overwrites the oldest records.
  void* p = mmap(nullptr, page_bytes() + ring_bytes(), PROT_READ, MAP_SHARED, descriptor, 0);
  if (p == MAP_FAILED) return errno;
  page_ = static_cast<perf_event_mmap_page*>(p);
  data_ = static_cast<const char*>(p) + page_bytes();
  period_ns_ = period_ns;
  position_ = load_head();
  return 0;
}

const volatile uint64_t* CpuRing::head() const { return reinterpret_cast<const volatile uint64_t*>(&page_->data_head); }

uint64_t CpuRing::load_head() const { return __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE); }

void CpuRing::copy(uint64_t from, void* to, size_t bytes) const {
  const size_t at = static_cast<size_t>(from) & (ring_bytes() - 1);
  const size_t first = std::min(bytes, ring_bytes() - at);
  std::memcpy(to, data_ + at, first);
  std::memcpy(static_cast<char*>(to) + first, data_, bytes - first);
}

// Records have no marks by which the next one could be found again.
void CpuRing::skip_to(uint64_t head) {
  lost_ += (head - position_) / kCpuRecordBytes;
  position_ = head;
}

uint64_t CpuRing::begin_reading() {
  const uint64_t head = load_head();
  if (head - position_ > ring_bytes()) skip_to(head);
  return head;
}

bool CpuRing::read_next(CpuSample& sample) {
  struct {
    perf_event_header header;
    uint64_t address;
    uint32_t pid, tid;
    uint64_t time_ns;
    uint64_t register_abi;
    uint64_t user_address;  // when there is an ABI
  } record{};
  static_assert(sizeof record == kCpuRecordBytes);
  copy(position_, &record.header, sizeof record.header);
  const size_t bytes = record.header.size;
  if (bytes > sizeof record.header) copy(position_, &record, std::min(bytes, sizeof record));
  // The kernel may have overwritten records while they were copied. It writes before it moves the head, so that records
  // within the longest record's length of the end are in doubt as well.
  const uint64_t head = load_head();
  if (head + kCpuRecordBytes - position_ > ring_bytes() || bytes < sizeof record.header) {
    skip_to(head);
    return false;
  }
  position_ += bytes;
  if (record.header.type != PERF_RECORD_SAMPLE) return false;
  sample.pid = static_cast<pid_t>(record.pid);
  sample.tid = static_cast<pid_t>(record.tid);
  sample.time_ns = record.time_ns;
  sample.period_ns = period_ns_;
  sample.in_kernel = (record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
  const bool has_registers = record.register_abi != PERF_SAMPLE_REGS_ABI_NONE;
  sample.address = !sample.in_kernel ? record.address : has_registers ? record.user_address : 0;
  return true;
}

}  // namespace scalediag::inject
