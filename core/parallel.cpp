#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace scalediag::core {
namespace {

// The number of pieces of each thread: so many that no thread waits long for another one at the end.
constexpr size_t kPieces = 8;

}  // namespace

void in_parallel(size_t count, unsigned threads, const std::function<void(size_t begin, size_t end)>& work,
                 size_t worth_a_thread) {
  const size_t most = threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads;
  const size_t used = std::min(most, count / worth_a_thread);
  if (used < 2) {
    if (count > 0) work(0, count);
    return;
  }
  const size_t piece = std::max<size_t>(1, count / (used * kPieces));
  std::atomic<size_t> next = 0;
  std::mutex failing;
  std::exception_ptr failure;
  const auto run = [&] {
    for (;;) {
      const size_t begin = next.fetch_add(piece);
      if (begin >= count) return;
      try {
        work(begin, std::min(begin + piece, count));
      } catch (...) {
        const std::lock_guard lock(failing);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(used - 1);
    try {
      for (size_t i = 1; i < used; i++) others.emplace_back(run);
    } catch (const std::system_error&) {
      // There is a limit on threads: the existing ones do all the work.
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace scalediag::core
