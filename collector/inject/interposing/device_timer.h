// The time that the device takes for launches and copies, by pairs of the library's own events around each.
//
// An event is done when all that was asked of its stream before is done. The time between the two events of a pair is
// therefore that of the launch alone where the stream had work when it was asked; where it was idle, the time that the
// host took between the first event and the launch is in it as well, some microseconds. Launches whose stream is being
// captured into a graph are not timed. Pairs are read when the host waits for the device.
#pragma once

#include <cstdint>

namespace scalediag::inject::gpu {

struct TimedCall {
  void* first = nullptr;  // events; null: the call is not timed
  void* last = nullptr;
  bool is_hip = false;
  bool is_traced = false;  // communication whose event is in the trace
};

// Around a call on `stream` of the library that has a function of that name: CUDA's runtime, its driver, whose streams
// are the same, or HIP. Nothing is timed where the library does not have what it takes.
TimedCall begin_timed(const char* function, void* stream);
void end_timed(const TimedCall& timed, void* stream, uint32_t place);
// The call failed.
void drop_timed(const TimedCall& timed);
// Adds the times of what is done by now. Another thread that does so at the same moment does it for all.
void collect_timed();
// Of what was added since the last call of this function: the ns of communication that is in the trace.
uint64_t take_traced_ns();

}  // namespace scalediag::inject::gpu
