#pragma once

#include <cstdint>

namespace scalediag::inject {

// The most bytes that this process has had in memory (VmHWM), 0 where the system does not tell. Unlike getrusage's
// ru_maxrss it does not begin with what the process was before exec.
uint64_t peak_resident_bytes();

}  // namespace scalediag::inject
