#include "collector/inject/interposing/device_communication.h"

#include <cstring>

#include "collector/inject/interposing/gpu_original.h"
#include "pmpi-comm/own_work.h"

namespace scalediag::inject::gpu {
namespace {

// Of the calling thread.
struct OpenGroup {
  int depth = 0;
  TimedCall timed;
  void* stream = nullptr;
  uint32_t place = 0;
};
__thread OpenGroup group __attribute__((tls_model("initial-exec")));

int asked(Original& function, void* communicator) {
  int n = 0;
  const auto ask = reinterpret_cast<int (*)(void*, int*)>(function.get());
  return ask != nullptr && ask(communicator, &n) == 0 ? n : -1;
}

bool is_named(const Function& function, const char* name) { return std::strcmp(function.name, name) == 0; }

pmpi::DeviceCommunication event_of(const Function& function, const Detail& detail, uint64_t bytes) {
  using What = pmpi::DeviceCommunication::What;
  struct Row {
    const char* name;
    What what;
    mpi::Collective collective;
  };
  static constexpr Row kRows[] = {{"ncclAllReduce", What::kCollective, mpi::Collective::kAllreduce},
                                  {"ncclReduce", What::kCollective, mpi::Collective::kReduce},
                                  {"ncclBroadcast", What::kCollective, mpi::Collective::kBcast},
                                  {"ncclBcast", What::kCollective, mpi::Collective::kBcast},
                                  {"ncclAllGather", What::kCollective, mpi::Collective::kAllgather},
                                  {"ncclReduceScatter", What::kCollective, mpi::Collective::kReduceScatter},
                                  {"ncclSend", What::kSend, {}},
                                  {"ncclRecv", What::kReceive, {}}};
  static Original user_rank("ncclCommUserRank");
  pmpi::DeviceCommunication event;
  event.routine = number_of(function);
  event.name = function.name;
  event.communicator = reinterpret_cast<uintptr_t>(detail.communicator);
  event.size = static_cast<int>(detail.value);
  event.rank = asked(user_rank, detail.communicator);
  event.peer = detail.peer;
  event.bytes = bytes;
  for (const Row& row : kRows) {
    if (!is_named(function, row.name)) continue;
    event.what = row.what;
    event.collective = row.collective;
  }
  // Its caller gives the block of one rank; in a trace stands the whole buffer.
  if (event.collective == mpi::Collective::kReduceScatter) event.bytes *= detail.value;
  return event;
}

}  // namespace

int ranks_of(void* communicator) {
  static Original count("ncclCommCount");
  const int n = asked(count, communicator);
  return n > 0 ? n : 0;
}

CommunicationCall::CommunicationCall(const Function& function, const Detail& detail, bool is_timed)
    : function_(function), detail_(detail) {
  if (!is_timed) return;
  if (group.depth == 0) {
    own_ = begin_timed(function.name, detail.stream);
    is_known_ = own_.first != nullptr;
    return;
  }
  if (group.timed.first == nullptr) {
    group.timed = begin_timed(function.name, detail.stream);
    group.stream = detail.stream;
    group.place = 0;
  }
  is_known_ = group.timed.first != nullptr;
}

void CommunicationCall::succeeded(uint32_t place, uint64_t bytes, pmpi::TraceRecorder* trace) {
  own_.is_traced = trace != nullptr;
  if (group.depth == 0) {
    end_timed(own_, detail_.stream, place);
  } else if (group.place == 0) {
    group.place = place;
  }
  if (trace == nullptr || !is_known_) return;
  const pmpi::OwnWork own(*pmpi::this_thread);
  trace->device_communication(event_of(function_, detail_, bytes));
}

void CommunicationCall::failed() {
  if (group.depth == 0) drop_timed(own_);
}

void after_group_call(const Function& function, bool succeeded, pmpi::TraceRecorder* trace) {
  const bool begins = is_named(function, "ncclGroupStart");
  if (begins && !succeeded) return;
  group.depth += begins ? 1 : -1;
  if (group.depth < 0) group.depth = 0;  // it began when nothing was counted
  if (trace != nullptr) {
    const pmpi::OwnWork own(*pmpi::this_thread);
    trace->device_group(begins);
  }
  if (group.depth > 0) return;
  group.timed.is_traced = trace != nullptr;
  end_timed(group.timed, group.stream, group.place);
  group = {};
}

void after_communicator_call(const Function& function, const Detail& detail, pmpi::TraceRecorder* trace) {
  const bool ends = is_named(function, "ncclCommDestroy") || is_named(function, "ncclCommAbort");
  if (!ends || trace == nullptr) return;
  const pmpi::OwnWork own(*pmpi::this_thread);
  trace->forget_device_communicator(reinterpret_cast<uintptr_t>(detail.communicator));
}

}  // namespace scalediag::inject::gpu
