// Work that is divided among the cores of the machine.
#pragma once

#include <cstddef>
#include <functional>

namespace scalediag::core {

// Calls work(begin, end) for ranges that cover 0 ... count - 1 once each, in several threads at the same time. As every
// index writes to places of its own only, results are the same whatever the number of threads is.
// threads: at most so many; 0: as many as the process may use cores. worth_a_thread, at least 1: how many indices take
// as long as starting a thread; fewer than twice as many are worked through by the calling one.
// The first exception is thrown again when all threads have ended; ranges that were not begun by then are left out.
void in_parallel(size_t count, unsigned threads, const std::function<void(size_t begin, size_t end)>& work,
                 size_t worth_a_thread = 32);

}  // namespace scalediag::core
