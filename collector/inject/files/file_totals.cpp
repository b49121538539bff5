#include "collector/inject/files/file_totals.h"

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "collector/inject/files/file_callers.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::inject::files {
namespace {

constexpr auto kFunctions = static_cast<size_t>(Function::kCount);

// Of calls that have no place. Any thread may call any of them, also one that the collector does not know.
struct Totals {
  std::atomic<uint64_t> calls{0}, bytes{0}, ticks{0};
};
std::array<Totals, kFunctions> without_place;

enum class Kind : uint8_t { kUnknown, kRegular, kOther };
constexpr int kRemembered = 4096;  // descriptors; what higher ones are is asked at every call
std::array<std::atomic<Kind>, kRemembered> kinds;

Kind kind_of(int descriptor) {
  const int before = errno;
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  errno = before;
  return known && S_ISREG(status.st_mode) ? Kind::kRegular : Kind::kOther;
}

}  // namespace

__thread int OwnCalls::depth = 0;

bool counts_here() {
  if (!pmpi::recording.load(std::memory_order_relaxed) || OwnCalls::any()) return false;
  const pmpi::ThreadState* const thread = pmpi::this_thread;
  return thread == nullptr || thread->depth == 0;
}

bool is_regular(int descriptor) {
  if (descriptor < 0) return false;
  if (descriptor >= kRemembered) return kind_of(descriptor) == Kind::kRegular;
  std::atomic<Kind>& remembered = kinds[static_cast<size_t>(descriptor)];
  Kind kind = remembered.load(std::memory_order_relaxed);
  if (kind == Kind::kUnknown) {
    kind = kind_of(descriptor);
    remembered.store(kind, std::memory_order_relaxed);
  }
  return kind == Kind::kRegular;
}

bool is_regular(std::FILE* file) {
  if (file == nullptr) return false;
  const int before = errno;
  const int descriptor = fileno(file);  // -1 and an error for one in memory
  errno = before;
  return is_regular(descriptor);
}

void forget(int descriptor) {
  if (descriptor < 0 || descriptor >= kRemembered) return;
  kinds[static_cast<size_t>(descriptor)].store(Kind::kUnknown, std::memory_order_relaxed);
}

void forget(unsigned first, unsigned last) {
  for (unsigned fd = first; fd <= last && fd < kRemembered; ++fd) forget(static_cast<int>(fd));
}

void add(Function function, pmpi::Caller caller, int64_t bytes, uint64_t ticks) {
  const uint32_t place = place_of(function, caller);
  if (place != 0) {
    add_at(place, bytes, ticks);
    return;
  }
  Totals& totals = without_place[static_cast<size_t>(function)];
  totals.calls.fetch_add(1, std::memory_order_relaxed);
  if (bytes > 0) totals.bytes.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
  totals.ticks.fetch_add(ticks, std::memory_order_relaxed);
}

Record record() {
  Record record;
  std::array<raw::FileTotals, kFunctions> sums;
  for (size_t i = 0; i < kFunctions; ++i) {
    sums[i] = {raw::kFileFunctions[i].name, without_place[i].calls.load(std::memory_order_relaxed),
               without_place[i].bytes.load(std::memory_order_relaxed),
               without_place[i].ticks.load(std::memory_order_relaxed)};
  }
  for (PlaceRecord& p : places()) {
    const auto function = static_cast<size_t>(p.function);
    sums[function].calls += p.calls;
    sums[function].bytes += p.bytes;
    sums[function].ticks += p.ticks;
    record.places.push_back({p.number, raw::kFileFunctions[function].name, 0, std::move(p.frames)});
    record.place_totals.push_back({p.number, p.calls, p.bytes, p.ticks});
  }
  for (raw::FileTotals& f : sums) {
    if (f.calls > 0) record.functions.push_back(std::move(f));
  }
  return record;
}

}  // namespace scalediag::inject::files
