// Counting events with PAPI inside the application.
//
//   Counting        once a process: PAPI itself, the list of events, errors
//   ThreadCounting  once a thread: its EventSets, the overflow handler, a ring of counts
//
// The first hardware event of the list that can overflow (PAPI_TOT_CYC) interrupts the thread every `period` of its
// counts; the handler reads the thread's events and charges what was added since the overflow before to the function
// that was interrupted, or to the MPI operation that the thread is in. Counts of a function are thus exact to one
// period for each time that it begins to run; a function that is shorter than a period gets counts of its neighbours.
//
// Hardware events that are given with a period of their own ("PAPI_TOT_INS@500009") overflow by themselves instead: one
// period of the event that overflowed, and of no other, is charged to the interrupted place. Counts of a function are
// then an estimate without bias, however short the function is, with the error of so many samples. The handler also
// reads all events, so that their exact totals are known (counted()) and the merge can scale the charged counts to
// them.
//
// Events of the application's own libraries ("sde:::lib::NAME", PAPI's software-defined events) count for the whole
// process, whichever thread adds to them. Each overflows by itself: an event that libsde keeps overflows at once and
// without a signal, in the thread that adds to it; one that is the application's own variable overflows by a timer of
// PAPI's. Only the event that overflowed is charged.
//
// An application that counts with PAPI itself has precedence: where its EventSet cannot start because ours runs, ours
// stops on that thread for good.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collector/inject/counting/count_ring.h"
#include "collector/inject/settings.h"
#include "core/papi_library.h"

namespace scalediag::inject {

class ThreadCounting;

class Counting {
 public:
  static constexpr size_t kMostEvents = 24;

  // The only instance. It is never destroyed, like the engine.
  static Counting& get();

  // Called while the library is loaded: libsde looks for PAPI only when the application makes its first counter.
  void prepare(const Settings& settings);
  // Called by the thread that called MPI_Init, before any thread begins to count.
  void start();
  // Ends counting; later overflows are ignored.
  void stop() { on_.store(false, std::memory_order_relaxed); }
  // Called in a child of fork, where the counters are the parent's: stopping them would stop them in the parent.
  void forget_after_fork();

  bool asked_for() const { return asked_for_; }
  bool on() const { return on_.load(std::memory_order_relaxed); }
  // Names of the events that are counted, in the order of the counts; empty when there are none.
  const std::vector<std::string>& names() const { return names_; }
  // Whether every hardware event overflows by itself.
  bool each_overflows() const { return each_overflows_; }
  // The counts between two overflows of the hardware event at `index` of names(), where each overflows by itself; 0 for
  // events of the application.
  uint64_t charged_period(size_t index) const { return events_[index].of_application ? 0 : events_[index].period; }

  // Begins to count for the calling thread; nullptr when that is not possible. `operation` is read in the handler.
  std::unique_ptr<ThreadCounting> begin_thread(const std::atomic<uint32_t>* operation);

  // Called when PAPI_start of the application failed because an EventSet runs. True when ours was stopped, so that the
  // application's call may be repeated.
  bool give_way();

  // The number of threads without counts, for the raw file.
  uint32_t uncounted_threads() const { return uncounted_threads_.load(std::memory_order_relaxed); }
  std::string problem() const;

  // PAPI_start of the library that events are counted with; nullptr when none is loaded.
  decltype(&PAPI_start) papi_start() const { return papi_.start; }

 private:
  friend class ThreadCounting;
  struct Event {
    std::string name;
    uint64_t period = 0;  // 0: the event does not overflow by itself
    int code = 0;
    int component = 0;
    bool of_application = false;
  };

  void note(const std::string& problem);
  void resolve_events();
  bool read_shared(long long* values) const;

  PapiLibrary papi_;
  bool loaded_ = false;
  bool papi_was_used_ = false;  // by the application, before us
  uint64_t period_ = 0;
  bool each_overflows_ = false;
  std::vector<Event> events_;
  std::vector<std::string> names_;
  std::vector<size_t> hardware_;     // indices into events_
  std::vector<size_t> application_;  // the same
  std::atomic<bool> on_{false};
  std::atomic<uint32_t> uncounted_threads_{0};
  std::atomic<bool> gave_way_{false};
  mutable std::mutex problem_lock_;
  std::string problem_;
  bool asked_for_ = false;  // since prepare()

  // The part of an event of the application that has been charged, and the number of resets, in one word: a handler
  // that read its value before a reset must not charge it afterwards.
  static constexpr int kSeenBits = 48;
  static uint64_t seen_of(uint64_t word) { return word & ((uint64_t{1} << kSeenBits) - 1); }
  static uint64_t reset_of(uint64_t word) { return word >> kSeenBits; }
  static uint64_t seen_word(uint64_t reset, uint64_t seen) { return reset << kSeenBits | seen_of(seen); }

  // The application's events are read through the EventSet of the thread that called MPI_Init, whichever thread asks:
  // an EventSet that began later would miss earlier counts. Starting any EventSet sets these events to 0 for all;
  // counts that were not charged yet are carried over. Increments by other threads between reading an event and PAPI's
  // reset, a microsecond or so, are lost: PAPI cannot do both at once.
  std::atomic<int> shared_set_{PAPI_NULL};
  std::mutex resetting_lock_;
  std::atomic<uint16_t> resets_{0};                // odd while one is under way
  std::atomic<uint64_t> seen_[kMostEvents] = {};   // seen_word(), by place in application_
  std::atomic<uint64_t> carry_[kMostEvents] = {};  // the same
};

class ThreadCounting {
 public:
  ThreadCounting() = default;
  ThreadCounting(const ThreadCounting&) = delete;
  ThreadCounting& operator=(const ThreadCounting&) = delete;
  // Called by the thread that it counts for.
  ~ThreadCounting() { stop(); }

  // Calls take(uint64_t address, uint32_t operation, const uint64_t* counts) for each new overflow.
  template <class Take> void drain(Take take) { ring_.drain(take); }
  // Overflows that were not recorded: a later one gets their counts, but where each event overflows by itself.
  uint64_t late() const { return late_.load(std::memory_order_relaxed); }
  // The thread's count of the event at `index` of Counting::names() if each event overflows by itself: up to its last
  // overflow of any event, or to its end. 0 for events of the application.
  uint64_t counted(size_t index) const { return counted_[index].load(std::memory_order_relaxed); }

  // The thread's instructions so far, where they are among the hardware events and overflows of cycles charge them;
  // nothing: they are not, or cannot be read. Called by the thread itself.
  std::optional<uint64_t> instructions();

  // The object of the calling thread; nullptr when it does not count.
  static ThreadCounting* current();
  void stop();

 private:
  friend class Counting;

  bool start(Counting& counting, const std::atomic<uint32_t>* operation, std::string& problem);
  // `last` is called when everything but the start is ready.
  template <class Last>
  bool start_set(const std::vector<size_t>& events, bool of_application, int& set, std::string& problem, Last last);
  void start_application_set(std::string& problem);
  void close_set(int& set);
  static void on_overflow(int event_set, void* address, long long which, void* context);
  void hardware_overflow(uint64_t address);
  void own_overflow(uint64_t address, uint64_t which);
  void note_counted(const long long* values);
  void application_overflow(uint64_t address, uint64_t which);

  Counting* counting_ = nullptr;
  const std::atomic<uint32_t>* operation_ = nullptr;
  int hardware_set_ = PAPI_NULL;
  int application_set_ = PAPI_NULL;
  bool reading_ = false;                                       // the handler interrupted itself
  uint64_t last_[Counting::kMostEvents] = {};                  // by place in Counting::hardware_
  std::atomic<uint64_t> counted_[Counting::kMostEvents] = {};  // by place in Counting::names()
  CountRing ring_;
  std::atomic<uint64_t> late_{0};
};

}  // namespace scalediag::inject
