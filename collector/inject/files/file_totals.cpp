#include "collector/inject/files/file_totals.h"

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

#include "pmpi-comm/thread_state.h"

namespace scalediag::inject::files {
namespace {

constexpr auto kFunctions = static_cast<size_t>(Function::kCount);
constexpr std::array<const char*, kFunctions> kNames = {
    "open",  "close", "read",   "write", "pread",  "pwrite", "readv",   "writev", "preadv",  "pwritev",
    "fsync", "fopen", "fclose", "fread", "fwrite", "fgets",  "getline", "fputs",  "fprintf", "fflush"};

// Any thread may call any of them, also one that the collector does not know.
struct Totals {
  std::atomic<uint64_t> calls{0}, bytes{0}, ticks{0};
};
std::array<Totals, kFunctions> all;

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

void add(Function function, int64_t bytes, uint64_t ticks) {
  Totals& totals = all[static_cast<size_t>(function)];
  totals.calls.fetch_add(1, std::memory_order_relaxed);
  if (bytes > 0) totals.bytes.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
  totals.ticks.fetch_add(ticks, std::memory_order_relaxed);
}

std::vector<raw::FileTotals> totals() {
  std::vector<raw::FileTotals> called;
  for (size_t i = 0; i < kFunctions; ++i) {
    const uint64_t calls = all[i].calls.load(std::memory_order_relaxed);
    if (calls == 0) continue;
    called.push_back(
        {kNames[i], calls, all[i].bytes.load(std::memory_order_relaxed), all[i].ticks.load(std::memory_order_relaxed)});
  }
  return called;
}

}  // namespace scalediag::inject::files
