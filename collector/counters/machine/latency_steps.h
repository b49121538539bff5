// The working sets at which latency steps up from one level of the memory hierarchy to the next.
#pragma once

#include <utility>
#include <vector>

namespace scalediag::counters {

// `curve`: (working set in bytes, latency in seconds) by rising sets. `plateaus`: latency of each level in seconds, the
// last one memory. Element i of the result is the working set in bytes at which latency passes the mean of plateaus i
// and i + 1 for the last time, that is where half of the loads are served by the next level, interpolated in
// logarithms; 0 where the curve never does, or where the two plateaus differ by less than a fifth, which is no step.
// The result has one element less than `plateaus`.
//
// The expected position for a chase around a cycle of S lines in a cache of C lines: a cache that always evicts the
// line that was unused for longest misses everything as soon as S exceeds C. With random eviction a line survives the
// (1 - h) S misses of a round with the probability h = exp(-(1 - h) S / C), which is 1/2 at S = 2 ln 2 C = 1.39 C. So
// steps are expected at 1 to 1.4 times the size, and below it where pages or neighbours take room.
std::vector<double> find_latency_steps(const std::vector<std::pair<double, double>>& curve,
                                       const std::vector<double>& plateaus);

}  // namespace scalediag::counters
