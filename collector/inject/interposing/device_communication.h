// Communication between devices, of NCCL and RCCL: who takes part, how long it takes, and its events in a trace.
//
// Calls between ncclGroupStart and ncclGroupEnd begin at the end of the group, which is timed as a whole, on the stream
// of its first call and for that call's place. In a trace is what was timed: the host's waiting that follows has that
// time in it, and without knowing it, it would count twice.
#pragma once

#include <cstdint>

#include "collector/inject/gpu/gpu_calls.h"
#include "collector/inject/interposing/device_timer.h"

namespace scalediag::inject::gpu {

// The ranks of a communicator; 0: not known.
int ranks_of(void* communicator);

// One call, as long as it lives. `is_timed`: device times were asked for. `trace`: of the thread, or null.
class CommunicationCall {
 public:
  CommunicationCall(const Function& function, const Detail& detail, bool is_timed);
  void succeeded(uint32_t place, uint64_t bytes, pmpi::TraceRecorder* trace);
  void failed();

 private:
  const Function& function_;
  const Detail& detail_;
  TimedCall own_;
  bool is_known_ = false;  // its time will be
};

// After a call of this kind: kGroup begins or ends a group of the calling thread (an end that fails ends it, too),
// kCommunicator may end a communicator.
void after_group_call(const Function& function, bool succeeded, pmpi::TraceRecorder* trace);
void after_communicator_call(const Function& function, const Detail& detail, pmpi::TraceRecorder* trace);

}  // namespace scalediag::inject::gpu
