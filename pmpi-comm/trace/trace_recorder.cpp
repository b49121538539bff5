#include "pmpi-comm/trace/trace_recorder.h"

#include <cstring>
#include <new>
#include <set>
#include <utility>

#include "core/raw/raw_format.h"

namespace scalediag::pmpi {
namespace {

void put_item(std::string& to, const TraceItem& item, const std::vector<uint32_t>& local, bool repeated) {
  if (item.event == TraceItem::kLoop) {
    trace::put(to, 2 * static_cast<uint64_t>(item.body.size()) + 1);
    trace::put(to, item.count);
    for (const TraceItem& inner : item.body) put_item(to, inner, local, true);
    return;
  }
  trace::put(to, 2 * static_cast<uint64_t>(local[item.event]));
  trace::put(to, item.before.total);
  if (!repeated) return;
  trace::put(to, item.before.least);
  trace::put(to, item.before.most);
  trace::put(to, rounded(item.before.deviation()));
}

void put_instructions(std::string& to, const TraceItem& item) {
  for (const TraceItem& inner : item.body) put_instructions(to, inner);
  if (item.event == TraceItem::kLoop) return;
  trace::put(to, item.instructions.n);
  if (item.instructions.n == 0) return;
  trace::put(to, item.instructions.total);
  trace::put(to, item.instructions.least);
  trace::put(to, item.instructions.most);
  trace::put(to, rounded(item.instructions.deviation()));
}

// Nothing: a part was not counted.
std::optional<uint64_t> sum(std::optional<uint64_t> a, std::optional<uint64_t> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

template <class Visit> void each_event(const std::vector<TraceItem>& items, Visit visit) {
  for (const TraceItem& item : items) {
    if (item.event == TraceItem::kLoop) {
      each_event(item.body, visit);
    } else {
      visit(item.event);
    }
  }
}

}  // namespace

void TraceRecorder::start(const TraceIdentity& identity, double ns_per_tick) {
  rank_ = identity.rank;
  size_ = identity.size;
  guarded([&] {
    members_.emplace_back();  // MPI_COMM_WORLD
    ordinals_[{}] = 1;
    trace::put(new_communicators_, 0);
    trace::put(new_communicators_, 0);
    n_new_communicators_ = 1;
    std::string payload;
    trace::put(payload, identity.rank);
    trace::put(payload, identity.size);
    trace::put_text(payload, identity.host);
    trace::put_text(payload, identity.executable);
    trace::put_text(payload, identity.mpi_version);
    write_to_all(trace::ChunkKind::kIdentity, payload);
  });
  clock_.start(ns_per_tick);
  if (counter_ != nullptr) counter_->leave_mpi();
}

void TraceRecorder::Computation::add(const Computation& more) {
  for (Mark mark : more.marks) {
    mark.ns += ns;
    mark.instructions = sum(mark.instructions, instructions);
    marks.push_back(mark);
  }
  ns += more.ns;
  instructions = sum(instructions, more.instructions);
}

void TraceRecorder::enter(uint32_t routine, const Arguments& arguments, uintptr_t* values, Handles& handles,
                          HandleCache& cache) {
  const bool polls_again = polled_in_vain_ && kRoutineTable[routine].progress == Progress::kPolled;
  const std::optional<uint64_t> instructions = counter_ != nullptr ? counter_->enter_mpi(polls_again) : std::nullopt;
  const double ns = clock_.enter_mpi();
  const bool spins = polls_again && ns < kSpin_ns;
  if (!spins) computed_.add({ns, instructions, {}});
  polled_in_vain_ = false;
  handles_ = &handles;
  cache_ = &cache;
  has_own_status_ = false;
  told_before_ = chosen_ = false;
  guarded([&] {
    before_call(routine, arguments, values);
    if (!at_once_) return;
    choose_message(routine, arguments, values);
    // The receive is told with what was put into its arguments.
    told_before_ = tell_before_call(routine, arguments);
    if (kRoutineTable[routine].is_nonblocking()) return;  // it does not wait
    note_idle(told_before_  ? stream::Idle::kInsideTold
              : polls_again ? stream::Idle::kPolls
                            : stream::Idle::kInsideCall);
  });
}

void TraceRecorder::leave(uint32_t routine, const Arguments& arguments, bool succeeded, Handles& handles,
                          HandleCache& cache) {
  handles_ = &handles;
  cache_ = &cache;
  if (succeeded) guarded([&] { after_call(routine, arguments); });
  if (at_once_) note_idle(polled_in_vain_ ? stream::Idle::kPolls : stream::Idle::kComputes);
  if (at_once_ && polled_in_vain_) sink_.note_poll(routine, computed_.ns);
  clock_.leave_mpi();
  if (counter_ != nullptr) counter_->leave_mpi();
}

std::optional<double> TraceRecorder::virtual_time_s() {
  if (!at_once_ || !sink_.gives_time()) return std::nullopt;
  // What is held back, as a nonblocking receive from any rank, is told once its message is known, and all after it.
  if (!held_.empty()) {
    sink_.note_unknown_time();
    return std::nullopt;
  }
  std::optional<double> time_s;
  computed_.add({clock_.enter_mpi(), 0, {}});
  guarded([&] {
    stream::Answer answer;
    if (ask(stream::Question::kTime, 0, 0, true, 0, answer)) time_s = answer.clock_s;
  });
  clock_.leave_mpi();
  return time_s;
}

uint32_t TraceRecorder::communicator(uintptr_t handle) {
  if (handle == mpi_.constants.comm_world) return 0;
  CommInfo* info = handles_->comm(handle, *cache_);
  if (info == nullptr) return kNoCommunicator;
  if (info->trace_number != 0) return info->trace_number;
  std::vector<uint32_t> members;
  bool is_world = true;
  for (uint32_t i = 0; i < info->size && !info->inter; ++i) {
    members.push_back(handles_->world_rank(*info, static_cast<int>(i)));
    is_world = is_world && members.back() == i;
  }
  uint32_t number = static_cast<uint32_t>(members_.size());
  for (const uint32_t member : members) {
    if (member == raw::kUnknownPeer) number = kOtherCommunicator;
  }
  if (info->inter) number = kOtherCommunicator;
  if (number != kOtherCommunicator) {
    const CommInfo* world = handles_->comm(mpi_.constants.comm_world, *cache_);
    if (is_world && world != nullptr && world->size == members.size()) members.clear();
    register_communicator(std::move(members));
  }
  info->trace_number = number;
  return number;
}

uint32_t TraceRecorder::register_communicator(std::vector<uint32_t> members) {
  trace::put(new_communicators_, ordinals_[members]++);
  trace::put(new_communicators_, members.size());
  int64_t before = 0;
  for (const uint32_t member : members) {
    trace::put_signed(new_communicators_, static_cast<int64_t>(member) - before);
    before = member;
  }
  ++n_new_communicators_;
  members_.push_back(std::move(members));
  return static_cast<uint32_t>(members_.size() - 1);
}

uint32_t TraceRecorder::world_rank(uint32_t communicator, int rank) const {
  if (rank < 0) return raw::kUnknownPeer;
  const std::vector<uint32_t>& members = members_[communicator];
  if (members.empty()) return static_cast<uint32_t>(rank);
  return static_cast<size_t>(rank) < members.size() ? members[static_cast<size_t>(rank)] : raw::kUnknownPeer;
}

void TraceRecorder::begin_definition(trace::EventKind kind, uint32_t routine) {
  definition_.clear();
  trace::put(definition_, static_cast<uint64_t>(kind));
  trace::put(definition_, routine);
}

void TraceRecorder::not_replayed(uint32_t routine, trace::Reason reason) {
  begin_definition(trace::EventKind::kNotReplayed, routine);
  trace::put(definition_, static_cast<uint64_t>(reason));
}

void TraceRecorder::emit_not_replayed(uint32_t routine, trace::Reason reason) {
  not_replayed(routine, reason);
  emit();
}

TraceRecorder::Computation TraceRecorder::take_computation() { return std::exchange(computed_, {}); }

void TraceRecorder::emit(uint32_t open_request) {
  const Computation before = take_computation();
  if (held_.empty() && open_request == TraceRequests::kNone) {
    append(definition_, before);
    return;
  }
  held_.push_back({definition_, before, open_request, false, false});
  if (held_.size() <= kMostHeld) return;
  // The first of the held events is given up, so that the others go on.
  OpenRequest& request = requests_[held_.front().open_request];
  request.held = kNotHeld;
  request.late = true;
  held_.front().open_request = TraceRequests::kNone;
  held_.front().left_out = true;
  release_held();
}

// Releases the events that no longer wait for an earlier one.
void TraceRecorder::release_held() {
  while (!held_.empty() && held_.front().open_request == TraceRequests::kNone) {
    Held& front = held_.front();
    if (front.is_mark) {
      tell_mark(front.definition, rounded(front.before.ns));
    } else if (!front.left_out) {
      append(front.definition, front.before);
    } else if (held_.size() > 1) {
      held_[1].before.add(front.before);
    } else {
      computed_.add(front.before);
    }
    held_.pop_front();
    ++first_held_;
  }
}

void TraceRecorder::append(const std::string& definition, const Computation& before) {
  if (at_once_) tell(definition, rounded(before.ns));
  ++n_events_;
  if (kept_ == nullptr) return;
  if (!at_once_) return keep(definition, before);
  Computation kept = before;
  kept.ns = kept_ns(before.ns);
  keep(definition, kept);
}

// The told computation since the last kept event, rounded as it was told.
double TraceRecorder::kept_ns(double ns) {
  return kept_factor_ * static_cast<double>(rounded(ns) + std::exchange(untold_ns_, 0));
}

void TraceRecorder::keep(const std::string& definition, const Computation& before) {
  const auto [number, is_new] = numbers_.try_emplace(definition, static_cast<uint32_t>(definitions_.size()));
  if (is_new) {
    definitions_.push_back(&number->first);
    definition_bytes_ += definition.size() + sizeof(std::string);
  }
  sequence_.append(number->second, rounded(before.ns), before.instructions);
  if (series_) append_series(before);
  if (definitions_.size() > kMostDefinitions || definition_bytes_ > kMostDefinitionBytes) {
    spill();
  } else if (sequence_.items().size() > 4 * TraceSequence::kLongestBody) {
    write_events(sequence_.take_oldest(2 * TraceSequence::kLongestBody));
  }
}

// The series that go on with each event; `computation` is the one before the event that was counted last.
void TraceRecorder::append_series(const Computation& computation) {
  trace::put(computations_, rounded(computation.ns));
  ++n_computations_;
  if (counter_ != nullptr) {
    trace::put(instructions_, computation.instructions ? *computation.instructions + 1 : 0);
    ++n_instructions_;
  }
  put_marks(computation, n_events_ - 1);
  if (computations_.size() >= kMostComputationBytes) write_computations();
}

// Marks of the computation of this number.
void TraceRecorder::put_marks(const Computation& computation, uint64_t number) {
  for (const Computation::Mark& mark : computation.marks) {
    trace::put(marks_, static_cast<uint64_t>(mark.kind));
    trace::put(marks_, mark.name);
    if (mark.name == n_named_marks_) {
      ++n_named_marks_;
      for (const auto& [name, its_number] : mark_names_) {
        if (its_number == mark.name) trace::put_text(marks_, name);
      }
    }
    trace::put_signed(marks_, static_cast<int64_t>(number - last_marked_));
    trace::put(marks_, rounded(mark.ns));
    trace::put(marks_, counter_ != nullptr && mark.instructions ? *mark.instructions + 1 : 0);
    if (mark.kind == trace::Mark::kParameter) {
      uint64_t bits = 0;
      std::memcpy(&bits, &mark.value, sizeof bits);
      trace::put(marks_, bits);
    }
    last_marked_ = number;
    ++n_marks_;
  }
}

uint64_t TraceRecorder::number_of_mark(std::string_view name, bool& is_new) {
  auto known = mark_names_.find(name);
  is_new = known == mark_names_.end();
  if (is_new) known = mark_names_.emplace(std::string(name), mark_names_.size()).first;
  return known->second;
}

void TraceRecorder::mark(trace::Mark kind, std::string_view name, double value) {
  if (at_once_ ? !sink_.marks_regions() || kind == trace::Mark::kParameter : !series_) return;
  // Reading the clock is no end of the computation: what follows is added to it.
  const std::optional<uint64_t> instructions = counter_ != nullptr ? counter_->enter_mpi(false) : std::nullopt;
  const double ns = clock_.enter_mpi();
  guarded([&] {
    computed_.add({ns, instructions, {}});
    bool is_new = false;
    const uint64_t number = number_of_mark(name, is_new);
    if (at_once_) {
      if (is_new) tell_region(name);
      tell_mark_in_order(number, kind == trace::Mark::kBegin);
    } else {
      computed_.marks.push_back({kind, number, value, computed_.ns, computed_.instructions});
    }
  });
  if (counter_ != nullptr) counter_->leave_mpi();
  if (at_once_) clock_.leave_mpi();
}

// Writes everything, so that definitions can be forgotten.
void TraceRecorder::spill() {
  write_events(sequence_.take_oldest(sequence_.items().size()));
  numbers_.clear();
  definitions_.clear();
  definition_bytes_ = 0;
}

void TraceRecorder::write_to_all(trace::ChunkKind kind, const std::string& payload) {
  if (!sink_.write(kind, payload)) broken_ = true;
  if (kept_ != &sink_) write_kept(kind, payload);
}

void TraceRecorder::write_kept(trace::ChunkKind kind, const std::string& payload) {
  if (kept_ == nullptr || kept_->write(kind, payload)) return;
  if (kept_ == &sink_) {
    broken_ = true;
  } else {
    kept_ = nullptr;
  }
}

// Writes the items of which there are `n`, and forgets them.
void TraceRecorder::write_list(trace::ChunkKind kind, uint64_t& n, std::string& items) {
  if (n == 0) return;
  std::string payload;
  trace::put(payload, n);
  payload += items;
  if (kind == trace::ChunkKind::kCommunicators) {
    write_to_all(kind, payload);
  } else {
    write_kept(kind, payload);
  }
  items.clear();
  n = 0;
}

void TraceRecorder::write_communicators() {
  write_list(trace::ChunkKind::kCommunicators, n_new_communicators_, new_communicators_);
}

void TraceRecorder::write_computations() {
  write_list(trace::ChunkKind::kComputations, n_computations_, computations_);
  write_list(trace::ChunkKind::kInstructionSeries, n_instructions_, instructions_);
  write_list(trace::ChunkKind::kMarks, n_marks_, marks_);
}

void TraceRecorder::write_events(const std::vector<TraceItem>& items) {
  write_communicators();
  std::vector<uint32_t> local(definitions_.size(), TraceItem::kLoop);
  std::set<uint64_t> named;
  std::string names, definitions, payload;
  uint32_t n_names = 0, n_definitions = 0;
  each_event(items, [&](uint32_t event) {
    if (local[event] != TraceItem::kLoop) return;
    local[event] = n_definitions++;
    definitions += *definitions_[event];
    trace::Reader reader(*definitions_[event]);
    reader.number();
    const uint64_t routine = reader.number();
    if (!named.insert(routine).second) return;
    ++n_names;
    trace::put(names, routine);
    trace::put_text(names, name_of_routine(routine));
  });
  trace::put(payload, n_names);
  payload += names;
  trace::put(payload, n_definitions);
  payload += definitions;
  trace::put(payload, items.size());
  for (const TraceItem& item : items) put_item(payload, item, local, false);
  write_kept(trace::ChunkKind::kEvents, payload);
  if (counter_ == nullptr) return;
  payload.clear();
  for (const TraceItem& item : items) put_instructions(payload, item);
  write_kept(trace::ChunkKind::kInstructions, payload);
}

std::string TraceRecorder::end_payload(trace::End end, double tail_ns, uint64_t elapsed_ns) const {
  std::string payload;
  trace::put(payload, n_events_);
  trace::put(payload, static_cast<uint64_t>(end));
  trace::put(payload, rounded(tail_ns));
  trace::put(payload, elapsed_ns);
  return payload;
}

void TraceRecorder::finish(trace::End end, uint64_t elapsed_ns) {
  computed_.add({clock_.enter_mpi(), 0, {}});
  guarded([&] {
    if (const uint32_t routine = other_threads_call_.load(std::memory_order_relaxed); routine < kCountedRoutines) {
      emit_not_replayed(routine, trace::Reason::kOtherThread);
    }
    emit_device_communication();
    for (Held& held : held_) {
      if (held.open_request == TraceRequests::kNone) continue;
      not_replayed(requests_[held.open_request].routine, trace::Reason::kUnknownSender);
      held.definition = definition_;
      held.open_request = TraceRequests::kNone;
    }
    release_held();
    if (kept_ != nullptr) spill();
    const Computation tail = take_computation();
    put_marks(tail, n_events_);
    write_computations();
    if (!sink_.write(trace::ChunkKind::kEnd, end_payload(end, tail.ns, elapsed_ns))) broken_ = true;
    // The elapsed time of this machine is not the emulated one: 0, not known.
    if (kept_ != &sink_) write_kept(trace::ChunkKind::kEnd, end_payload(end, kept_ns(tail.ns), 0));
  });
}

}  // namespace scalediag::pmpi
