#include "collector/counters/machine/machine_cores.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "collector/counters/machine/huge_memory.h"
#include "collector/counters/machine/machine_kernels.h"
#include "collector/counters/machine/repeated_timing.h"

namespace scalediag::counters {
namespace {

struct Interval {
  double begin_s = 0;
  double end_s = 0;
  double cpu_s = 0;  // of the worker's thread between them
};

// The part of one worker in every repeat.
class Worker {
 public:
  virtual ~Worker() = default;
  virtual bool prepare() = 0;  // on the pinned thread, before the first repeat; false: it cannot
  virtual void work() = 0;
};

bool nobody_was_disturbed(const std::vector<Interval>& repeat) {
  return std::ranges::all_of(repeat, [](const Interval& i) { return was_undisturbed(i.end_s - i.begin_s, i.cpu_s); });
}

// intervals[repeat][worker]; empty if a worker could not prepare or no thread could be started. Twice as many repeats
// are made, fewer of long ones (enough_repeats), and one more that meets cold caches and clocks. Those that other
// programs disturbed are left out where half of all remain.
std::vector<std::vector<Interval>> run_together(const std::vector<std::unique_ptr<Worker>>& workers,
                                                const std::vector<int>& cpus, int repeats, Pinning& pinning) {
  const size_t n = workers.size();
  std::vector<std::vector<Interval>> intervals(2 * static_cast<size_t>(repeats) + 1, std::vector<Interval>(n));
  std::atomic<bool> usable{true};
  // Changed while all workers wait for each other.
  size_t begun = 0;  // repeats
  bool is_enough = false;
  double begin_s = 0;
  const auto before_each = [&]() noexcept {
    if (begun == 0) begin_s = monotonic_s();
    is_enough = begun > 0 && enough_repeats(begun - 1, monotonic_s() - begin_s);
    ++begun;
  };
  std::barrier start(static_cast<std::ptrdiff_t>(n), before_each);
  const auto body = [&](size_t w) {
    pinning.note(pin_to_cpu(cpus[w]));
    if (!workers[w]->prepare()) usable = false;
    for (auto& repeat : intervals) {
      start.arrive_and_wait();
      if (!usable || is_enough) return;
      Interval& interval = repeat[w];
      interval.begin_s = monotonic_s();
      const double cpu_begin_s = thread_cpu_s();
      workers[w]->work();
      interval.cpu_s = thread_cpu_s() - cpu_begin_s;
      interval.end_s = monotonic_s();
    }
  };
  std::vector<std::thread> threads;
  for (size_t w = 0; w < n; ++w) {
    try {
      threads.emplace_back(body, w);
    } catch (const std::system_error&) {
      // The workers that wait for the missing ones are released.
      usable = false;
      for (size_t missing = w; missing < n; ++missing) start.arrive_and_drop();
      break;
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (!usable) return {};
  intervals.resize(is_enough ? begun - 1 : begun);
  intervals.erase(intervals.begin());
  const auto disturbed = std::stable_partition(intervals.begin(), intervals.end(), nobody_was_disturbed);
  const auto half = static_cast<std::ptrdiff_t>((intervals.size() + 1) / 2);
  if (disturbed - intervals.begin() >= half) intervals.erase(intervals.begin() + half, intervals.end());
  return intervals;
}

class TriadWorker : public Worker {
 public:
  explicit TriadWorker(size_t bytes) : elements_(std::max<size_t>(bytes / 3 / sizeof(double), 1)) {}

  bool prepare() override {
    auto memory = HugeMemory::allocate(3 * (elements_ * sizeof(double) + kApart));
    if (!memory) return false;
    memory_.emplace(std::move(memory).value());
    std::fill_n(a(), elements_, 0.0);
    std::fill_n(b(), elements_, 1.0);
    std::fill_n(c(), elements_, 2.0);
    return true;
  }
  void work() override { triad(a(), b(), c(), 3.0, elements_); }
  double bytes() const { return 3.0 * static_cast<double>(elements_ * sizeof(double)); }

 private:
  // Bytes between arrays: if their distance were a power of two, they would share the sets of a cache.
  static constexpr size_t kApart = 4096 + 320;
  double* array(size_t i) { return reinterpret_cast<double*>(static_cast<char*>(memory_->data()) + i * stride()); }
  size_t stride() const { return (elements_ * sizeof(double) + 63) / 64 * 64 + kApart; }
  double* a() { return array(0); }
  double* b() { return array(1); }
  double* c() { return array(2); }

  size_t elements_;
  std::optional<HugeMemory> memory_;
};

class AddWorker : public Worker {
 public:
  // About 10 ms at 3 GHz: long compared with a clock tick, short compared with other activity on the machine.
  static constexpr uint64_t kBlocks = 30'000'000 / kAddsPerBlock;
  bool prepare() override {
    // Cores that were idle need some time to reach their frequency.
    const double until = monotonic_s() + 0.1;
    while (monotonic_s() < until) dependent_additions(kBlocks / 10);
    return true;
  }
  void work() override { dependent_additions(kBlocks); }
};

}  // namespace

bool pin_to_cpu(int cpu) {
  const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  cpu_set_t* set = CPU_ALLOC(static_cast<size_t>(cpu) + 1);
  if (set == nullptr) return false;
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(static_cast<size_t>(cpu), bytes, set);
  const bool pinned = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return pinned;
}

Result<core::MachineBandwidth> measure_bandwidth(const std::vector<int>& cpus, int cores, size_t total_bytes,
                                                 int repeats, Pinning& pinning) {
  const auto n = static_cast<size_t>(cores);
  std::vector<std::unique_ptr<Worker>> workers;
  double bytes = 0;
  for (size_t w = 0; w < n; ++w) {
    auto worker = std::make_unique<TriadWorker>(total_bytes / n);
    bytes += worker->bytes();
    workers.push_back(std::move(worker));
  }
  std::vector<double> rates;
  for (const auto& repeat : run_together(workers, cpus, repeats, pinning)) {
    double begin_s = repeat[0].begin_s;
    double end_s = repeat[0].end_s;
    for (const Interval& interval : repeat) {
      begin_s = std::min(begin_s, interval.begin_s);
      end_s = std::max(end_s, interval.end_s);
    }
    rates.push_back(bytes / (end_s - begin_s));
  }
  if (rates.empty()) {
    return Error{ErrorCode::kEnvironment,
                 "memory bandwidth cannot be measured: no " + std::to_string(total_bytes >> 20) +
                     " MiB of memory or no threads to be had",
                 "raise the limits of memory and threads (ulimit -v, ulimit -u, or the container's)"};
  }
  core::MachineBandwidth result;
  result.cores = cores;
  result.best_bytes_per_s = *std::ranges::max_element(rates);
  result.bytes_per_s = summarize_repeats(std::move(rates), "triad, a pinned thread a core");
  return result;
}

core::MachineValue measure_frequency(const std::vector<int>& cpus, int cores, int repeats, Pinning& pinning) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (int w = 0; w < cores; ++w) workers.push_back(std::make_unique<AddWorker>());
  std::vector<double> hz;
  for (const auto& repeat : run_together(workers, cpus, repeats, pinning)) {
    double sum = 0;
    for (const Interval& interval : repeat) {
      // The rate by CPU time, so that cycles of other programs are not missed.
      sum += static_cast<double>(AddWorker::kBlocks * kAddsPerBlock) / interval.cpu_s;
    }
    hz.push_back(sum / static_cast<double>(repeat.size()));
  }
  if (hz.empty()) return {};
  return summarize_repeats(
      std::move(hz), "dependent additions on " + std::to_string(cores) + (cores == 1 ? " core" : " cores at once"));
}

}  // namespace scalediag::counters
