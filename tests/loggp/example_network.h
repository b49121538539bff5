// Parameters with different values for every letter, so that a wrong one shows.
#pragma once

#include "loggp/network/network.h"

namespace scalediag::loggp {

// In seconds: o_s 2, o_r 3, g 5, G 0.25 a byte, O 0.125 a byte, L 100; S_sync as given.
inline Network example_network(uint64_t sync_bytes = kAnySize) {
  Segment s;
  s.send_overhead_s = 2;
  s.receive_overhead_s = 3;
  s.gap_s = 5;
  s.gap_s_per_byte = 0.25;
  s.overhead_s_per_byte = 0.125;
  return uniform_network(s, 100, sync_bytes);
}

}  // namespace scalediag::loggp
