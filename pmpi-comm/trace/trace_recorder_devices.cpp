// The events of waiting for a GPU in a trace, and of communication between GPUs.
#include <algorithm>

#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::pmpi {

uint32_t TraceRecorder::gpu_routine(uint32_t routine, const char* name) {
  const uint32_t number = trace::kFirstGpuRoutine + routine;
  gpu_routines_.try_emplace(number, name);
  return number;
}

std::string_view TraceRecorder::name_of_routine(uint64_t routine) const {
  if (routine < trace::kFirstGpuRoutine) return kRoutineTable[routine].name;
  return gpu_routines_.at(static_cast<uint32_t>(routine));
}

void TraceRecorder::device_begins(uint32_t routine, const char* name) {
  if (at_once_) return;
  polled_in_vain_ = false;
  const std::optional<uint64_t> instructions = counter_ != nullptr ? counter_->enter_mpi(false) : std::nullopt;
  const double ns = clock_.enter_mpi();
  guarded([&] {
    computed_.add({ns, instructions, {}});
    begin_definition(trace::EventKind::kDeviceBegins, gpu_routine(routine, name));
    emit();
  });
}

void TraceRecorder::device_waited(uint32_t routine, const char* name, uint64_t elapsed_ticks,
                                  uint64_t communication_ns) {
  if (at_once_) return;
  clock_.leave_mpi();
  if (counter_ != nullptr) counter_->leave_mpi();
  guarded([&] {
    const double waited_ns = clock_.ns_of(elapsed_ticks) - static_cast<double>(communication_ns);
    computed_.add({std::max(0.0, waited_ns), std::nullopt, {}});
    begin_definition(trace::EventKind::kDeviceWait, gpu_routine(routine, name));
    emit();
    emit_device_communication();
  });
}

// The number of a communicator of its own: the same ranks as those of the newest MPI communicator of that size in which
// this rank has that number.
uint32_t TraceRecorder::device_communicator(const DeviceCommunication& call) {
  const auto [known, is_new] = device_communicators_.try_emplace(call.communicator, kNoCommunicator);
  if (!is_new) return known->second;
  for (size_t i = members_.size(); i-- > 0 && known->second == kNoCommunicator;) {
    const size_t size = members_[i].empty() ? size_ : members_[i].size();
    if (static_cast<size_t>(call.size) == size && world_rank(static_cast<uint32_t>(i), call.rank) == rank_) {
      known->second = register_communicator(members_[i]);
    }
  }
  return known->second;
}

void TraceRecorder::device_communication(const DeviceCommunication& call) {
  if (at_once_) return;
  guarded([&] {
    const uint32_t routine = gpu_routine(call.routine, call.name);
    const uint32_t comm = device_communicator(call);
    if (comm == kNoCommunicator) {
      not_replayed(routine, trace::Reason::kUnknownDevices);
    } else if (call.what == DeviceCommunication::What::kCollective) {
      begin_definition(trace::EventKind::kCollective, routine);
      trace::put(definition_, comm);
      trace::put(definition_, static_cast<uint64_t>(call.collective));
      trace::put(definition_, call.bytes);
      trace::put(definition_, call.peer >= 0 ? static_cast<uint64_t>(call.peer) : 0);
    } else {
      // Of messages in several communicators those of each are an exchange.
      const bool is_another = device_group_.communicator != comm;
      if (is_another) device_exchange();
      device_group_.routine = routine;
      device_group_.communicator = comm;
      const uint32_t peer = world_rank(comm, call.peer);
      const bool sends = call.what == DeviceCommunication::What::kSend;
      if (peer < size_ && peer != rank_)
        (sends ? device_group_.sent : device_group_.received).emplace_back(peer, call.bytes);
      if (device_group_.depth == 0) device_exchange();
      return;
    }
    device_events_.push_back(definition_);
    if (device_events_.size() > kMostHeld) emit_device_communication();
  });
}

void TraceRecorder::device_group(bool begins) {
  if (at_once_) return;
  device_group_.depth = std::max(0, device_group_.depth + (begins ? 1 : -1));
  if (device_group_.depth == 0) guarded([&] { device_exchange(); });
}

// Ends the messages of a group. One there and one back are a Sendrecv, as of neighbours; their communicator is NCCL's
// alone, so that their tag does not matter.
void TraceRecorder::device_exchange() {
  auto& g = device_group_;
  if (g.sent.empty() && g.received.empty()) return;
  const bool is_pair = g.sent.size() <= 1 && g.received.size() <= 1;
  begin_definition(is_pair ? trace::EventKind::kSendrecv : trace::EventKind::kExchange, g.routine);
  trace::put(definition_, g.communicator);
  if (is_pair) {
    for (auto* parts : {&g.sent, &g.received}) {
      const auto [peer, bytes] = parts->empty() ? std::pair<uint32_t, uint64_t>() : parts->front();
      trace::put(definition_, parts->empty() ? 0 : peer + 1);
      trace::put_signed(definition_, 0);
      trace::put(definition_, bytes);
      parts->clear();
    }
    device_events_.push_back(definition_);
    return;
  }
  for (auto* parts : {&g.sent, &g.received}) {
    trace::put(definition_, parts->size());
    for (const auto& [peer, bytes] : *parts) {
      trace::put(definition_, peer);
      trace::put(definition_, bytes);
    }
    parts->clear();
  }
  device_events_.push_back(definition_);
}

void TraceRecorder::emit_device_communication() {
  for (const std::string& definition : device_events_) {
    definition_ = definition;
    emit();
  }
  device_events_.clear();
}

}  // namespace scalediag::pmpi
