// Work that is divided among the cores of the machine.
#pragma once

#include <cstddef>
#include <functional>
#include <future>

namespace scalediag::core {

// Calls work(begin, end) for ranges that cover 0 ... count - 1 once each, in several threads at the same time. As every
// index writes only to its own places, results do not depend on the number of threads.
// `threads` is the largest number; 0: as many as the cores that the process may use. `worth_a_thread`, at least 1, is
// the number of indices that take as long as starting a thread; fewer than twice as many are processed by the calling
// thread.
// The first exception is thrown again when all threads have ended; ranges that had not begun by then are left out.
void in_parallel(size_t count, unsigned threads, const std::function<void(size_t begin, size_t end)>& work,
                 size_t worth_a_thread = 32);

// The policy by which std::async() calls its function in a thread of its own where that is `worth_it` and one can be
// made, otherwise in the thread that asks for the result. std::launch::async alone throws where threads are limited.
inline std::launch beside_if(bool worth_it) {
  return worth_it ? std::launch::async | std::launch::deferred : std::launch::deferred;
}

}  // namespace scalediag::core
