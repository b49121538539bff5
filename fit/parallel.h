// Work that is divided among the cores of the machine.
#pragma once

#include <cstddef>
#include <functional>

namespace scalediag::fit {

// Calls work(begin, end) for ranges that cover 0 ... count - 1 once each, in several threads at the same time. As every
// index writes to places of its own only, results are the same whatever the number of threads is.
// threads: at most so many; 0: as many as the process may use cores. Fewer than 64 indices are
// worked through by the calling thread.
// The first exception is thrown again when all threads have ended; ranges that were not begun by then are left out.
void in_parallel(size_t count, unsigned threads, const std::function<void(size_t begin, size_t end)>& work);

}  // namespace scalediag::fit
