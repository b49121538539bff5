#include "pmpi-comm/wrappers/wrapper.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "pmpi-comm/device_memory.h"
#include "pmpi-comm/handles.h"
#include "pmpi-comm/own_work.h"
#include "pmpi-comm/repeated_calls.h"
#include "pmpi-comm/trace/trace_recorder.h"
#include "pmpi-comm/traffic.h"

namespace scalediag::pmpi {

namespace {

// Never destroyed: MPI may be called from destructors that run after ours.
Handles& handles() {
  static Handles* const shared = new Handles(mpi_library());
  return *shared;
}

__thread HandleCache handle_cache __attribute__((tls_model("initial-exec")));

// Where MPI_IN_PLACE stands for what is sent, the buffer that receives.
uintptr_t first_buffer(const Site& site, const uintptr_t* arguments) {
  const Arguments read(arguments, site.language(), site.counts(), mpi_library());
  const Routine& routine = kRoutineTable[site.id()];
  const bool in_place = routine.group == Group::kCollective && routine.roles.recv_at > 0 && read.in_place(0);
  return arguments[in_place ? routine.roles.recv_at : 0];
}

[[noreturn]] void die_for_missing(const char* symbol) {
  const char* const parts[] = {"scalediag: the application called ", symbol,
                               ", which no MPI library that is loaded defines\n"};
  for (const char* part : parts) {
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  std::abort();
}

}  // namespace

void* Site::find_next() {
  // The symbol is not PMPI_X: another tool may be between this library and MPI, and would have been called without us.
  const char* const name = language_ == Language::kC ? symbol_ + 1 : symbol_;
  void* found = next_symbol(name);
  if (found == nullptr && name != symbol_) found = next_symbol(symbol_);
  if (found == nullptr) die_for_missing(name);
  next_.store(found, std::memory_order_relaxed);
  return found;
}

ThreadState* attach_this_thread() {
  const Hooks& h = hooks();
  if (h.attach_thread == nullptr) return nullptr;
  ThreadState* state = h.attach_thread();
  if (state == nullptr || state->calls == nullptr) return nullptr;
  this_thread = state;
  return state;
}

uint32_t look_before(const Site& site, const uintptr_t* arguments) {
  const Arguments read(arguments, site.language(), site.counts(), mpi_library());
  return look_before(site.routine(), read, handles(), handle_cache);
}

void account(const Site& site, uint32_t operation, ThreadState& state, const uintptr_t* arguments, uint32_t seen_before,
             bool succeeded, uint64_t ticks, uint32_t weight) {
  CallTable& table = *state.calls;
  Traffic traffic;
  if (succeeded) {
    const Arguments read(arguments, site.language(), site.counts(), mpi_library());
    note_made(site.routine(), read, handles(), handle_cache);
    if (state.counts_calls) traffic = measure(site.routine(), read, seen_before, handles(), handle_cache, table);
  }
  if (!state.counts_calls) return;
  if (succeeded && !(device_memory.is_empty() && copied_memory.is_empty()))
    note_device_buffer(site.id(), first_buffer(site, arguments), traffic.bytes);
  CallEntry* entry = table.call_entry(operation, traffic.communicator_size, raw::size_bin(traffic.bytes));
  if (entry == nullptr) {
    table.count_uncounted();
    return;
  }
  entry->calls.add(1);
  entry->bytes.add(traffic.bytes);
  if (weight == 0) return;
  entry->ticks.add(ticks * weight);
  if (entry->min_ticks.get() == 0 || ticks < entry->min_ticks.get()) entry->min_ticks.set(ticks);
  if (ticks > entry->max_ticks.get()) entry->max_ticks.set(ticks);
}

void note_round(const Site& site, ThreadState& state, Caller caller) {
  if (state.repeated == nullptr || !state.repeated->is_watching()) return;
  const uint64_t round = state.repeated->round_begun_by(site.id(), caller.address, caller.stack);
  if (round > 0 && hooks().round_begins != nullptr) hooks().round_begins(round);
}

void note_begin(ThreadState& state, uint64_t begin) {
  if (state.repeated != nullptr) state.repeated->enter(begin);
}

void note_end(const Site& site, ThreadState& state, Caller caller, uint64_t begin, uint64_t elapsed) {
  if (state.repeated == nullptr) return;
  state.repeated->leave(site.id(), caller.address, caller.stack, begin, begin + elapsed, state.mpi_ticks);
}

void begin_event(const Site& site, ThreadState& state, const uintptr_t* arguments, uintptr_t* passed_on) {
  if (state.thread_class != raw::kMainThread) return state.trace->note_other_thread(site.id());
  const OwnWork own(state);
  const Arguments read(arguments, site.language(), site.counts(), mpi_library());
  state.trace->enter(site.id(), read, passed_on, handles(), handle_cache);
}

void end_event(const Site& site, ThreadState& state, const uintptr_t* arguments, bool succeeded) {
  if (state.thread_class != raw::kMainThread) return;
  const OwnWork own(state);
  const Arguments read(arguments, site.language(), site.counts(), mpi_library());
  state.trace->leave(site.id(), read, succeeded, handles(), handle_cache);
}

}  // namespace scalediag::pmpi
