// The common part of every wrapper, around the call that it passes on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pmpi-comm/arguments.h"
#include "pmpi-comm/call_table.h"
#include "pmpi-comm/callgrind_counting.h"
#include "pmpi-comm/own_work.h"
#include "pmpi-comm/thread_state.h"
#include "pmpi-comm/ticks.h"

#define SCALEDIAG_EXPORT extern "C" __attribute__((visibility("default")))

namespace scalediag::pmpi {

// One exported symbol of one routine.
class Site {
 public:
  // `symbol` of a C routine starts with "PMPI_".
  constexpr Site(uint32_t id, const char* symbol, Language language, Counts counts)
      : id_(id), language_(language), counts_(counts), symbol_(symbol) {}

  // The function the application would have called without us. Aborts with a message when there is none: the
  // application called a routine that its MPI does not have.
  void* next() {
    void* found = next_.load(std::memory_order_relaxed);
    return __builtin_expect(found != nullptr, 1) ? found : find_next();
  }
  uint32_t id() const { return id_; }
  const Routine& routine() const { return kRoutineTable[id_]; }
  Language language() const { return language_; }
  Counts counts() const { return counts_; }

 private:
  void* find_next();

  const uint32_t id_;
  const Language language_;
  const Counts counts_;
  const char* const symbol_;
  std::atomic<void*> next_{nullptr};
};

// The parts that are the same for every number of arguments.
ThreadState* attach_this_thread();
uint32_t look_before(const Site& site, const uintptr_t* arguments);
// `operation` has the call site. `ticks` are those of all calls that this one stands for; weight 0: it was not timed.
void account(const Site& site, uint32_t operation, ThreadState& state, const uintptr_t* arguments, uint32_t seen_before,
             bool succeeded, uint64_t ticks, uint32_t weight);

// Tell what looks for repetitions (repeated_calls.h) of a call that is no poll; note_round() before it, outside the
// call's own time.
void note_round(const Site& site, ThreadState& state, Caller caller);
void note_begin(ThreadState& state, uint64_t begin);
void note_end(const Site& site, ThreadState& state, Caller caller, uint64_t begin, uint64_t elapsed);

// Marks the thread as inside an outermost MPI call. A destructor undoes it, because an error handler may leave
// by an exception.
class InsideMpi {
 public:
  InsideMpi(ThreadState& state, uint32_t operation) : state_(state) {
    drain(state_);
    state_.operation.store(operation, std::memory_order_relaxed);
    ++state_.depth;
  }
  InsideMpi(const InsideMpi&) = delete;
  InsideMpi& operator=(const InsideMpi&) = delete;
  ~InsideMpi() {
    if (called_) return;
    returned();
    finish();
  }
  // To be called when the call has returned: the following time is no longer the operation's. Calls are still not
  // counted.
  void returned() {
    called_ = true;
    drain(state_);
    state_.operation.store(raw::kOutsideMpi, std::memory_order_relaxed);
  }
  void finish() { --state_.depth; }

 private:
  ThreadState& state_;
  bool called_ = false;
};

// Whether callgrind counts the calling thread, whose events are recorded: `recording` is false then.
inline bool is_counted_trace() {
  return callgrind_counts.load(std::memory_order_relaxed) && this_thread != nullptr && this_thread->trace != nullptr;
}

// Called around a call of a thread whose events are recorded. `arguments` are those of the application, `passed_on`
// those that are passed on, which may be changed.
void begin_event(const Site& site, ThreadState& state, const uintptr_t* arguments, uintptr_t* passed_on);
void end_event(const Site& site, ThreadState& state, const uintptr_t* arguments, bool succeeded);

// The routine and where it was called from, as keys have it.
inline uint32_t operation_of(const Site& site, Caller caller, ThreadState& state) {
  return raw::operation_at(site.id(), state.calls->site_of(caller));
}

enum class Kind { kTimed, kPolled, kLooksBefore };

constexpr Kind kind_of(Rule rule, Progress progress) {
  if (progress == Progress::kPolled) return Kind::kPolled;
  return looks_before_call(rule) ? Kind::kLooksBefore : Kind::kTimed;
}

template <size_t... i>
inline uintptr_t call_with(void* next, const uintptr_t* values, std::index_sequence<i...>) {
  return reinterpret_cast<uintptr_t (*)(decltype(values[i] + 0)...)>(next)(values[i]...);
}
// Calls `next` with these n arguments.
template <size_t n> inline uintptr_t call(void* next, const uintptr_t* values) {
  return call_with(next, values, std::make_index_sequence<n>());
}

// In Fortran the error code follows the routine's arguments.
inline bool has_succeeded(const Site& site, uintptr_t result, const uintptr_t* values) {
  if (site.language() == Language::kC) return static_cast<int>(result) == 0;
  return *reinterpret_cast<const int*>(values[site.routine().arguments]) == 0;
}

// The same where events are recorded; every call is timed. Not inlined, so that the usual path stays short.
template <size_t n>
__attribute__((noinline)) uintptr_t pass_on_traced(Site& site, ThreadState& state, Caller caller, uint32_t seen_before,
                                                   bool is_poll, const uintptr_t* values) {
  uintptr_t passed_on[n];
  std::copy_n(values, n, passed_on);
  if (!is_poll) note_round(site, state, caller);
  begin_event(site, state, values, passed_on);
  const uint32_t operation = state.counts_calls ? operation_of(site, caller, state) : raw::operation_at(site.id(), 0);
  InsideMpi inside(state, operation);
  state.yields = 0;
  const uint64_t begin = ticks();
  if (!is_poll) note_begin(state, begin);
  const uintptr_t result = call<n>(site.next(), passed_on);
  const uint64_t elapsed = ticks() - begin;
  inside.returned();
  const bool succeeded = has_succeeded(site, result, values);
  account(site, operation, state, values, seen_before, succeeded, elapsed, 1);
  if (!is_poll) note_end(site, state, caller, begin, elapsed);
  state.mpi_ticks += elapsed;
  end_event(site, state, passed_on, succeeded);
  inside.finish();
  return result;
}

// The same where nothing is recorded but, under callgrind, the events of the thread that is counted: its work outside
// MPI is counted, MPI and the recording are not. The search for the next symbol is not the application's work either.
template <Kind kind, size_t n>
__attribute__((noinline)) uintptr_t pass_on_uncounted(Site& site, Caller caller, const uintptr_t* values) {
  const Uncounted uncounted;
  uint32_t seen_before = 0;
  if (is_counted_trace()) {
    if constexpr (kind == Kind::kLooksBefore) seen_before = look_before(site, values);
    if (this_thread->depth == 0) {
      return pass_on_traced<n>(site, *this_thread, caller, seen_before, kind == Kind::kPolled, values);
    }
  }
  return call<n>(site.next(), values);
}

// Passes the call on and counts it if it is an outermost one: a function for all exported ones of so many arguments, of
// which there are some 1,400.
template <Kind kind, size_t n>
__attribute__((noinline)) uintptr_t pass_on_from(Site& site, Caller caller, const uintptr_t* values) {
  if (!recording.load(std::memory_order_relaxed)) return pass_on_uncounted<kind, n>(site, caller, values);
  void* const next = site.next();
  uint32_t seen_before = 0;
  // At any depth, since a handle that is freed inside another MPI call is invalid as well.
  if constexpr (kind == Kind::kLooksBefore) seen_before = look_before(site, values);

  ThreadState* state = this_thread;
  if (state == nullptr) state = attach_this_thread();
  if (state == nullptr || state->depth > 0) return call<n>(next, values);

  if (__builtin_expect(state->trace != nullptr, 0)) {
    return pass_on_traced<n>(site, *state, caller, seen_before, kind == Kind::kPolled, values);
  }
  uint32_t weight = 1;
  if constexpr (kind == Kind::kPolled) weight = state->calls->next_poll_weight(site.id());
  const uint32_t operation = operation_of(site, caller, *state);
  if constexpr (kind != Kind::kPolled) note_round(site, *state, caller);
  InsideMpi inside(*state, operation);
  uint64_t begin = 0, elapsed = 0;
  uintptr_t result;
  if (kind != Kind::kPolled || weight != 0) {
    begin = ticks();
    if constexpr (kind != Kind::kPolled) note_begin(*state, begin);
    result = call<n>(next, values);
    elapsed = ticks() - begin;
  } else {
    result = call<n>(next, values);
  }
  inside.returned();
  const bool succeeded = has_succeeded(site, result, values);
  account(site, operation, *state, values, seen_before, succeeded, elapsed, weight);
  if constexpr (kind != Kind::kPolled) note_end(site, *state, caller, begin, elapsed);
  state->mpi_ticks += elapsed * weight;
  inside.finish();
  return result;
}

// Passes the call on and counts it if it is an outermost one. `arguments` are all of the routine's, in Fortran followed
// by the error code and, where one is text, its length.
//
// Inlined into the exported function, so that the return address and the frame are those of the application.
template <Kind kind, class... Argument>
__attribute__((always_inline)) inline uintptr_t pass_on(Site& site, Argument... arguments) {
  const Caller caller{reinterpret_cast<uintptr_t>(__builtin_return_address(0)),
                      reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa())};
  const uintptr_t values[] = {arguments...};
  return pass_on_from<kind, sizeof...(Argument)>(site, caller, values);
}

}  // namespace scalediag::pmpi
