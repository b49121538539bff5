// The hooks of the library: when it is loaded, when threads begin, end or give up their cores, around dlclose and fork.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <cstdlib>
#include <new>

#include "collector/inject/callgrind_counting.h"
#include "collector/inject/engine.h"
#include "collector/inject/interposing/gomp_library.h"
#include "collector/inject/interposing/next_function.h"
#include "collector/inject/interposing/signal_shield.h"
#include "collector/inject/probe.h"
#include "collector/inject/real_pthread_create.h"
#include "collector/inject/unwinding/call_stacks.h"
#include "pmpi-comm/thread_state.h"
#include "pmpi-comm/virtual_clock/long_wait.h"

namespace scalediag::inject {
namespace {

using PthreadCreate = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

struct Start {
  void* (*function)(void*);
  void* argument;
  uint32_t thread_class;
  bool blocks_our_signal;  // inherited from the mask of the thread that makes it
};

// Makes the engine learn when the calling thread ends. Where no key is available it does not, and the record stays.
void watch_end(ThreadRecord* record) {
  static const struct Key {
    pthread_key_t key = 0;
    bool made =
        pthread_key_create(&key, [](void* ended) { Engine::get().end_thread(static_cast<ThreadRecord*>(ended)); }) == 0;
  } end;
  if (record != nullptr && end.made) pthread_setspecific(end.key, record);
}

void* run_thread(void* data) {
  const Start start = *static_cast<Start*>(data);
  delete static_cast<Start*>(data);
  shield::set_blocked_by_program(start.blocks_our_signal);
  watch_end(Engine::get().begin_thread(start.thread_class, reinterpret_cast<uint64_t>(start.function)));
  return start.function(start.argument);
}

void* run_thread_of_mpi(void* data) {
  const Start start = *static_cast<Start*>(data);
  delete static_cast<Start*>(data);
  callgrind::leave_out_this_thread();
  return start.function(start.argument);
}

pmpi::ThreadState* attach_thread() {
  ThreadRecord* record = Engine::get().begin_thread(raw::kOtherThread);
  watch_end(record);
  return record;
}

__attribute__((constructor)) void on_load() {
  if (is_a_probe()) return report_mpi_at_init();
  const Settings settings = read_settings();
  if (settings.directory.empty()) return;
  Engine& engine = Engine::get();
  engine.arm(settings);
  set_thread_trampoline(reinterpret_cast<uint64_t>(&run_thread));
  Counting::get().prepare(settings);
  pthread_atfork(nullptr, nullptr, [] { Engine::get().forget_after_fork(); });
  pmpi::Hooks h;
  h.init_begin = [](const void* frame) { Engine::get().init_begin(frame); };
  h.init_end = [](int rank, int size, const char* version) { Engine::get().init_end(rank, size, version); };
  h.mpi_is_unknown = [](const pmpi::MpiLibrary& library) { Engine::get().refuse(library); };
  h.finalize_begin = [] { Engine::get().finalize_begin(); };
  h.finalize_end = [] { Engine::get().finalize_end(); };
  h.round_begins = [](uint64_t round) { Engine::get().round_begins(round); };
  h.abort = [] { Engine::get().abort(); };
  h.attach_thread = attach_thread;
  h.drain = [](pmpi::ThreadState& state) { Engine::get().drain(static_cast<ThreadRecord&>(state)); };
  pmpi::set_hooks(h);
}

__attribute__((destructor)) void on_exit() {
  if (Engine::get().armed()) Engine::get().process_exit();
}

}  // namespace

int real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static const auto real = next_function<PthreadCreate>("pthread_create");
  return real(thread, attributes, start, argument);
}

}  // namespace scalediag::inject

using scalediag::inject::Engine;

extern "C" {

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*function)(void*), void* argument) {
  namespace inject = scalediag::inject;
  Engine& engine = Engine::get();
  if (engine.armed()) {
    auto* start = new (std::nothrow)
        inject::Start{function, argument, engine.class_of_new_thread(), inject::shield::blocked_by_program()};
    if (start != nullptr) {
      const int e = inject::real_pthread_create(thread, attributes, inject::run_thread, start);
      if (e != 0) delete start;
      return e;
    }
  }
  if (inject::callgrind::active() && inject::callgrind::makes_mpi_thread()) {
    auto* start = new (std::nothrow) inject::Start{function, argument, scalediag::raw::kMpiInternalThread, false};
    if (start != nullptr) {
      const int e = inject::real_pthread_create(thread, attributes, inject::run_thread_of_mpi, start);
      if (e != 0) delete start;
      return e;
    }
  }
  return inject::real_pthread_create(thread, attributes, function, argument);
}

// An application that counts with PAPI itself must not fail because we count too.
__attribute__((visibility("default"))) int PAPI_start(int event_set) {
  using Start = int (*)(int);
  constexpr int kEventSetRuns = -10;  // PAPI_EISRUN
  constexpr int kNoPapi = -16;        // PAPI_ENOINIT
  auto& counting = scalediag::inject::Counting::get();
  static const auto next = scalediag::inject::next_function<Start>("PAPI_start");
  const Start real = next != nullptr ? next : counting.papi_start();
  if (real == nullptr) return kNoPapi;
  const int result = real(event_set);
  return result == kEventSetRuns && counting.give_way() ? real(event_set) : result;
}

__attribute__((visibility("default"))) int dlclose(void* handle) {
  static const auto real = scalediag::inject::next_function<int (*)(void*)>("dlclose");
  Engine& engine = Engine::get();
  if (engine.armed()) engine.before_unload();
  const int result = real(handle);
  if (engine.armed()) engine.after_unload();
  scalediag::inject::gomp::forget_callers();
  return result;
}

// The progress engines of MPI libraries wait in sched_yield when ranks share cores.
__attribute__((visibility("default"))) int sched_yield() {
  static const auto real = scalediag::inject::next_function<int (*)()>("sched_yield");
  // Nothing is charged without a ring of samples, and ranks that wait yield a hundred thousand times a second.
  scalediag::pmpi::ThreadState* const state = scalediag::pmpi::this_thread;
  if (state != nullptr) {
    if (state->ring_head != &state->kNoRing) Engine::get().yields();
    if (scalediag::pmpi::sleeps_in_long_wait(*state)) return 0;
  }
  return real();
}

}  // extern "C"
