// Telling events at once, for an emulation: those of calls that may wait are told before the call, so that it is known
// what a rank waits for, and the order of messages is asked for where a rank could take several.
#include <algorithm>

#include "core/raw/raw_format.h"
#include "pmpi-comm/trace/trace_recorder.h"

namespace scalediag::pmpi {
// Definitions keep their numbers to the end, because nobody has to look for the events of a
// part.
void TraceRecorder::tell(const std::string& definition, uint64_t before_ns) {
  const auto [number, is_new] = told_numbers_.number(definition);
  if (is_new) {
    write_communicators();
    trace::Reader reader(definition);
    reader.number();
    std::string payload;
    trace::put_text(payload, kRoutineTable[reader.number()].name);
    payload += definition;
    const bool known = number <= stream::kLargestDefinition;
    if (!known || !sink_.write(static_cast<trace::ChunkKind>(stream::kDefinition), payload)) broken_ = true;
  }
  if (!sink_.event(number, before_ns)) broken_ = true;
}

void TraceRecorder::note_idle(stream::Idle idle) {
  if (idle == idle_) return;
  idle_ = idle;
  sink_.note_idle(idle);
}

void TraceRecorder::tell_region(std::string_view name) {
  std::string payload;
  trace::put_text(payload, name);
  if (!sink_.write(static_cast<trace::ChunkKind>(stream::kRegionName), payload)) broken_ = true;
}

// A mark comes after all events before it, some of which may be held back.
void TraceRecorder::tell_mark_in_order(uint64_t region, bool begins) {
  std::string mark;
  trace::put(mark, region);
  trace::put(mark, begins ? 1 : 0);
  const Computation before = take_computation();
  if (held_.empty()) return tell_mark(mark, rounded(before.ns));
  held_.push_back({std::move(mark), before, TraceRequests::kNone, false, true});
}

void TraceRecorder::tell_mark(const std::string& mark, uint64_t before_ns) {
  untold_ns_ += before_ns;
  std::string payload;
  trace::put(payload, before_ns);
  payload += mark;
  if (!sink_.write(static_cast<trace::ChunkKind>(stream::kMark), payload)) broken_ = true;
}

// Whether all of a call's event is known before the call.
bool TraceRecorder::is_known_before(uint32_t routine, const Arguments& a) const {
  const Routine& row = kRoutineTable[routine];
  if (row.is_nonblocking()) return false;
  const auto names_one = [&] { return chosen_ || !from_any(a, row.roles); };
  switch (row.group) {
    case Group::kSend: return row.can_wait();
    case Group::kReceive: return row.rule == Rule::kMatchedReceive || names_one();
    case Group::kSendReceive: return names_one();
    case Group::kCompletion:
      return row.roles.flag_at < 0 && row.roles.index_at < 0 && row.roles.indices_at < 0 && n_needing_status_ == 0;
    case Group::kCollective:
    case Group::kNeighborhood: return true;
    case Group::kOneSided: return row.can_wait();
    case Group::kCommunicator: return row.rule == Rule::kMakesComm && routine != kComm_create_group;
    default: return false;
  }
}

bool TraceRecorder::tell_before_call(uint32_t routine, const Arguments& a) {
  if (!is_known_before(routine, a)) return false;
  const Routine& row = kRoutineTable[routine];
  if (row.group != Group::kCommunicator) {
    call_event(routine, a);
    return true;
  }
  const uint32_t comm = communicator(a.comm(row.roles.comm_at));
  if (comm == kOtherCommunicator || comm == kNoCommunicator) return false;
  begin_definition(trace::EventKind::kCommunicatorMade, routine);
  trace::put(definition_, comm);
  emit();
  return true;
}

bool TraceRecorder::ask(stream::Question question, uint32_t comm, int rank, bool any_tag, int tag,
                        stream::Answer& answer) {
  write_communicators();
  const uint64_t before_ns = rounded(take_computation().ns);
  untold_ns_ += before_ns;
  std::string payload;
  trace::put(payload, before_ns);
  trace::put(payload, static_cast<uint64_t>(question));
  trace::put(payload, comm);
  trace::put(payload, rank < 0 ? 0 : static_cast<uint64_t>(rank) + 1);
  trace::put(payload, any_tag ? 1 : 0);
  trace::put_signed(payload, any_tag ? 0 : tag);
  const uint64_t begin = ticks();
  const bool answered = sink_.ask(payload, answer);
  asked_ns_ += clock_.ns_of(ticks() - begin);
  return answered;
}

// Names the rank and the tag of the message that a blocking receive or probe would match on the emulated network.
// Events that are held for an earlier receive cannot be simulated yet, so that nobody could answer.
void TraceRecorder::choose_message(uint32_t routine, const Arguments& a, uintptr_t* values) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  const bool receives = row.group == Group::kReceive && row.rule != Rule::kMatchedReceive;
  const bool probes = row.group == Group::kProbe && at.flag_at < 0;
  if (!sink_.orders_messages() || row.is_nonblocking() || !(receives || probes)) return;
  const int from = a.integer(at.peer_at);
  if (from == mpi_.constants.proc_null || !from_any(a, at) || !held_.empty()) return;
  const uint32_t comm = communicator(a.comm(at.comm_at));
  if (comm == kOtherCommunicator || comm == kNoCommunicator) return;
  const bool any_rank = from == mpi_.constants.any_source;
  const int tag = a.integer(at.tag_at);
  stream::Answer answer;
  if (!ask(stream::Question::kMatch, comm, any_rank ? -1 : static_cast<int>(world_rank(comm, from)),
           tag == mpi_.constants.any_tag, tag, answer) ||
      answer.found == 0) {
    return;
  }
  const std::vector<uint32_t>& members = members_[comm];
  const auto member = std::find(members.begin(), members.end(), static_cast<uint32_t>(answer.rank));
  chosen_rank_ = members.empty() ? answer.rank : static_cast<int>(member - members.begin());
  chosen_tag_ = answer.tag;
  chosen_ = true;
  const auto put = [&](int position, const int& value) {
    values[position] =
        a.is_c() ? static_cast<uintptr_t>(static_cast<unsigned>(value)) : reinterpret_cast<uintptr_t>(&value);
  };
  put(at.peer_at, chosen_rank_);
  put(at.tag_at, chosen_tag_);
}

// Sleep passes on any machine. Where the program sleeps between tests that find nothing, it waits for what the network
// brings: the test that finds it ends at the emulated time, however often the program sleeps here.
void TraceRecorder::slept(uint64_t ns) {
  if (!at_once_) return;
  slept_ns_ += static_cast<double>(ns);
  guarded([&] { computed_.ns += sink_.note_sleep(ns, polled_in_vain_); });
}

// Counts what this machine's order of messages has decided.
void TraceRecorder::note_order(uint32_t routine, const Arguments& a) {
  const Routine& row = kRoutineTable[routine];
  const Roles& at = row.roles;
  bool decided = false;
  switch (row.group) {
    case Group::kReceive:
    case Group::kSendReceive: decided = row.rule != Rule::kMatchedReceive && !chosen_ && from_any(a, at); break;
    case Group::kOneSided: decided = row.rule == Rule::kGetAccumulate || row.rule == Rule::kOneElement; break;
    case Group::kProbe: decided = !chosen_ && (at.flag_at >= 0 || from_any(a, at)); break;
    case Group::kCompletion: decided = at.flag_at >= 0 || at.index_at >= 0 || at.indices_at >= 0; break;
    default: break;
  }
  if (decided) sink_.note_real_order();
}

}  // namespace scalediag::pmpi
