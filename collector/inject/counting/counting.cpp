#include "collector/inject/counting/counting.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unwind.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <new>

#include "collector/inject/interposing/signal_guard.h"
#include "pmpi-comm/loaded_module.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::inject {
namespace {

// The counts between two overflows of an application's event without a period of its own: "sde:::lib::NAME@10000".
constexpr uint64_t kPeriodOfApplication = 10000;
// The cycles between two overflows without --period: 4 ms at 2.5 GHz. `profile` gives a period by the measured clock
// rate.
constexpr uint64_t kPeriodOfCycles = 10000000;
constexpr char kApplicationPrefix[] = "sde:::";

__thread ThreadCounting* this_counting __attribute__((tls_model("initial-exec"))) = nullptr;

// The addresses of PAPI, libsde and this library; looked up once, read in handlers.
pmpi::LoadedModule papi_range, sde_range, own_range;

pmpi::LoadedModule module_of(const void* code) { return pmpi::loaded_module_of(reinterpret_cast<uint64_t>(code)); }

bool is_ours(uint64_t address) {
  return papi_range.holds(address) || sde_range.holds(address) || own_range.holds(address);
}

// The first caller outside PAPI, libsde and this library. Only for overflows that come without a signal.
uint64_t caller_in_application() {
  uint64_t found = 0;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        const uint64_t address = _Unwind_GetIP(frame);
        if (address == 0) return _URC_END_OF_STACK;
        if (is_ours(address - 1)) return _URC_NO_REASON;
        *static_cast<uint64_t*>(data) = address - 1;  // of the call, not what comes after it
        return _URC_END_OF_STACK;
      },
      &found);
  return found;
}

unsigned long this_thread_id() { return static_cast<unsigned long>(pthread_self()); }

int threshold_of(uint64_t period) { return static_cast<int>(std::min<uint64_t>(period, INT_MAX)); }

}  // namespace

Counting& Counting::get() {
  alignas(Counting) static char storage[sizeof(Counting)];
  static Counting* const counting = new (storage) Counting;
  return *counting;
}

void Counting::note(const std::string& problem) {
  const std::lock_guard<std::mutex> guard(problem_lock_);
  if (problem_.find(problem) == std::string::npos) problem_ += (problem_.empty() ? "" : "; ") + problem;
}

std::string Counting::problem() const {
  const std::lock_guard<std::mutex> guard(problem_lock_);
  std::string text = problem_;
  if (gave_way_.load(std::memory_order_relaxed)) {
    text += std::string(text.empty() ? "" : "; ") + "the application counts with PAPI itself";
  }
  return text;
}

void Counting::prepare(const Settings& settings) {
  period_ = settings.overflow_period != 0 ? settings.overflow_period : kPeriodOfCycles;
  bool any_of_application = false;
  for (size_t begin = 0; begin < settings.events.size();) {
    const size_t end = std::min(settings.events.find(',', begin), settings.events.size());
    Event event;
    event.name = settings.events.substr(begin, end - begin);
    begin = end + 1;
    event.of_application = event.name.compare(0, sizeof kApplicationPrefix - 1, kApplicationPrefix) == 0;
    if (event.of_application) event.period = kPeriodOfApplication;
    if (const size_t at = event.name.find('@'); at != std::string::npos) {
      event.period = std::max<uint64_t>(1, std::strtoull(event.name.c_str() + at + 1, nullptr, 10));
      event.name.resize(at);
      each_overflows_ = each_overflows_ || !event.of_application;
    }
    any_of_application = any_of_application || event.of_application;
    if (event.name.empty()) continue;
    if (events_.size() < kMostEvents) {
      events_.push_back(event);
    } else {
      note(event.name + ": more events than " + std::to_string(kMostEvents) + " are not counted");
    }
  }
  asked_for_ = !events_.empty();
  if (!any_of_application) return;
  const std::string problem = papi_.load(true);
  loaded_ = problem.empty();
  if (!loaded_) note(problem);
}

void Counting::start() {
  if (events_.empty()) return;
  if (!loaded_) {
    const std::string problem = papi_.load(false);
    loaded_ = problem.empty();
    if (!loaded_) return note(problem);
  }
  papi_was_used_ = papi_.is_initialized() != PAPI_NOT_INITED;
  const std::string problem = papi_.initialise();
  if (!problem.empty()) return note(problem);
  // Fails when the application has registered its threads with PAPI, which is as good for us.
  papi_.thread_init(this_thread_id);
  papi_range = module_of(reinterpret_cast<const void*>(papi_.read));
  sde_range = module_of(dlsym(RTLD_DEFAULT, "papi_sde_inc_counter"));
  own_range = module_of(reinterpret_cast<const void*>(&module_of));
  resolve_events();
  on_.store(!names_.empty(), std::memory_order_relaxed);
}

void Counting::resolve_events() {
  std::vector<Event> known;
  for (Event& event : events_) {
    std::string name = event.name;
    int result = papi_.event_name_to_code(name.c_str(), &event.code);
    if (result == PAPI_OK) {
      event.component = papi_.get_event_component(event.code);
      if (event.component < 0) result = event.component;
    }
    if (result != PAPI_OK) {
      note(event.name + ": " + papi_.text_of(result));
      continue;
    }
    std::vector<size_t>& place = event.of_application ? application_ : hardware_;
    if (!place.empty() && known[place.front()].component != event.component) {
      note(event.name + ": belongs to another component of PAPI than " + known[place.front()].name);
      continue;
    }
    place.push_back(known.size());
    known.push_back(event);
    names_.push_back(event.name);
  }
  events_.swap(known);
}

std::unique_ptr<ThreadCounting> Counting::begin_thread(const std::atomic<uint32_t>* operation) {
  if (!on()) return nullptr;
  std::unique_ptr<ThreadCounting> thread(new (std::nothrow) ThreadCounting);
  std::string problem = thread == nullptr ? "out of memory" : "";
  if (thread != nullptr && thread->start(*this, operation, problem)) {
    if (!problem.empty()) note(problem);
    return thread;
  }
  ++uncounted_threads_;
  note(problem);
  return nullptr;
}

void Counting::forget_after_fork() {
  stop();
  this_counting = nullptr;
}

bool Counting::give_way() {
  if (this_counting == nullptr || !on()) return false;
  gave_way_.store(true, std::memory_order_relaxed);  // before stop(), which reads it
  this_counting->stop();
  ++uncounted_threads_;
  return true;
}

bool Counting::read_shared(long long* values) const {
  const int set = shared_set_.load(std::memory_order_acquire);
  return set != PAPI_NULL && papi_.read(set, values) == PAPI_OK;
}

ThreadCounting* ThreadCounting::current() { return this_counting; }

bool ThreadCounting::start(Counting& counting, const std::atomic<uint32_t>* operation, std::string& problem) {
  counting_ = &counting;
  operation_ = operation;
  // The ring has kSlots entries for each event that overflows.
  const size_t overflowing = counting.each_overflows_ ? counting.hardware_.size() : 1;
  if (!ring_.allocate(counting.names_.size(), CountRing::kSlots * std::max<size_t>(1, overflowing))) {
    problem = "out of memory";
    return false;
  }
  const int registered = counting.papi_.register_thread();
  if (registered != PAPI_OK) {
    problem = std::string("PAPI_register_thread: ") + counting.papi_.text_of(registered);
    return false;
  }
  this_counting = this;
  if (!counting.hardware_.empty()) start_set(counting.hardware_, false, hardware_set_, problem, [] {});
  if (!counting.application_.empty()) start_application_set(problem);
  if (hardware_set_ != PAPI_NULL || application_set_ != PAPI_NULL) return true;
  this_counting = nullptr;
  return false;
}

void ThreadCounting::start_application_set(std::string& problem) {
  Counting& c = *counting_;
  const std::lock_guard<std::mutex> guard(c.resetting_lock_);
  ++c.resets_;
  const auto done = static_cast<uint16_t>(c.resets_.load() + 1);
  long long before[Counting::kMostEvents] = {};
  bool had_values = false;
  const auto read_before = [&] { had_values = c.read_shared(before); };
  if (start_set(c.application_, true, application_set_, problem, read_before)) {
    for (size_t i = 0; i < c.application_.size(); ++i) {
      const auto value = static_cast<uint64_t>(std::max(0LL, before[i]));
      const uint64_t seen = Counting::seen_of(c.seen_[i].exchange(Counting::seen_word(done, 0)));
      if (had_values && value > seen) c.carry_[i] += value - seen;
    }
    int none = PAPI_NULL;
    c.shared_set_.compare_exchange_strong(none, application_set_);
    c.resets_.store(done);
  } else {
    --c.resets_;
  }
}

template <class Last>
bool ThreadCounting::start_set(const std::vector<size_t>& events, bool of_application, int& set, std::string& problem,
                               Last last) {
  const PapiLibrary& papi = counting_->papi_;
  const auto failed = [&](const std::string& what, int result) {
    problem += (problem.empty() ? "" : "; ") + what + ": " + papi.text_of(result);
    if (set != PAPI_NULL) close_set(set);
    return false;
  };
  int result = papi.create_eventset(&set);
  if (result != PAPI_OK) return failed("PAPI_create_eventset", result);
  result = papi.assign_eventset_component(set, counting_->events_[events.front()].component);
  if (result != PAPI_OK) return failed("PAPI_assign_eventset_component", result);
  for (const size_t e : events) {
    result = papi.add_event(set, counting_->events_[e].code);
    if (result != PAPI_OK) return failed("PAPI_add_event " + counting_->events_[e].name, result);
  }
  const bool each = of_application || counting_->each_overflows_;
  bool overflows = false;
  for (const size_t e : events) {
    const Counting::Event& event = counting_->events_[e];
    result = papi.overflow(set, event.code, threshold_of(each ? event.period : counting_->period_), 0, on_overflow);
    overflows = overflows || result == PAPI_OK;
    if (each && result != PAPI_OK) return failed("PAPI_overflow " + event.name, result);
    if (!each && overflows) break;
  }
  if (!overflows) return failed("PAPI_overflow " + counting_->events_[events.front()].name, result);
  last();
  result = papi.start(set);
  // Another EventSet runs, which is not ours.
  if (result == PAPI_EISRUN) counting_->gave_way_.store(true, std::memory_order_relaxed);
  // The handler exists only from here on.
  guard_signals(papi_range.begin, papi_range.end, [] { return this_counting != nullptr; });
  return result == PAPI_OK ? true : failed("PAPI_start", result);
}

void ThreadCounting::close_set(int& set) {
  const PapiLibrary& papi = counting_->papi_;
  papi.cleanup_eventset(set);
  papi.destroy_eventset(&set);
  set = PAPI_NULL;
}

void ThreadCounting::stop() {
  if (this_counting != this) return;
  for (int* set : {&application_set_, &hardware_set_}) {
    long long values[Counting::kMostEvents] = {};
    if (*set == PAPI_NULL) continue;
    // The other threads read the application's events through this EventSet.
    int shared = *set;
    counting_->shared_set_.compare_exchange_strong(shared, PAPI_NULL);
    const bool stopped = counting_->papi_.stop(*set, values) == PAPI_OK;
    if (stopped && set == &hardware_set_) note_counted(values);
    close_set(*set);
  }
  this_counting = nullptr;
  // Unregistering would also remove the application's own EventSets of this thread.
  if (!counting_->papi_was_used_ && !counting_->gave_way_) counting_->papi_.unregister_thread();
}

void ThreadCounting::on_overflow(int event_set, void* address, long long which, void*) {
  ThreadCounting* thread = this_counting;
  if (thread == nullptr || thread->reading_ || !thread->counting_->on()) return;
  const int saved = errno;
  thread->reading_ = true;
  const auto at = reinterpret_cast<uint64_t>(address);
  if (event_set == thread->hardware_set_ && thread->counting_->each_overflows_) {
    thread->own_overflow(at, static_cast<uint64_t>(which));
  } else if (event_set == thread->hardware_set_) {
    thread->hardware_overflow(at);
  } else if (event_set == thread->application_set_) {
    thread->application_overflow(at, static_cast<uint64_t>(which));
  }
  thread->reading_ = false;
  errno = saved;
}

void ThreadCounting::hardware_overflow(uint64_t address) {
  const std::vector<size_t>& events = counting_->hardware_;
  long long now[Counting::kMostEvents] = {};
  // Counts that are not charged now are part of the next difference.
  if (ring_.full() || counting_->papi_.read(hardware_set_, now) != PAPI_OK) {
    late_.store(late_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  uint64_t added[Counting::kMostEvents] = {};
  for (size_t i = 0; i < events.size(); ++i) {
    const auto value = static_cast<uint64_t>(now[i]);
    if (value <= last_[i]) continue;
    added[events[i]] = value - last_[i];
    last_[i] = value;
  }
  ring_.push(address, operation_->load(std::memory_order_relaxed), added);
}

std::optional<uint64_t> ThreadCounting::instructions() {
  if (this_counting != this || !counting_->on() || counting_->each_overflows_) return std::nullopt;
  const std::vector<size_t>& events = counting_->hardware_;
  for (size_t i = 0; i < events.size(); ++i) {
    if (counting_->names_[events[i]] != "PAPI_TOT_INS") continue;
    long long now[Counting::kMostEvents] = {};
    reading_ = true;  // an overflow during this is charged with the next one
    const int result = counting_->papi_.read(hardware_set_, now);
    reading_ = false;
    if (result != PAPI_OK) return std::nullopt;
    return static_cast<uint64_t>(now[i]);
  }
  return std::nullopt;
}

// `which` has a bit for each event that overflowed, in PAPI's own order.
void ThreadCounting::own_overflow(uint64_t address, uint64_t which) {
  const std::vector<size_t>& events = counting_->hardware_;
  long long now[Counting::kMostEvents] = {};
  if (counting_->papi_.read(hardware_set_, now) == PAPI_OK) note_counted(now);
  int overflowed[Counting::kMostEvents] = {};
  int n = Counting::kMostEvents;
  const int known =
      counting_->papi_.get_overflow_event_index(hardware_set_, static_cast<long long>(which), overflowed, &n);
  uint64_t added[Counting::kMostEvents] = {};
  for (int i = 0; known == PAPI_OK && i < n; ++i) {
    const size_t place = events[static_cast<size_t>(overflowed[i])];
    added[place] += counting_->events_[place].period;
  }
  if (known != PAPI_OK || ring_.full()) {
    late_.store(late_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  ring_.push(address, operation_->load(std::memory_order_relaxed), added);
}

// `values` in the order of the hardware events.
void ThreadCounting::note_counted(const long long* values) {
  const std::vector<size_t>& events = counting_->hardware_;
  for (size_t i = 0; i < events.size(); ++i) {
    if (values[i] > 0) counted_[events[i]].store(static_cast<uint64_t>(values[i]), std::memory_order_relaxed);
  }
}

void ThreadCounting::application_overflow(uint64_t address, uint64_t which) {
  const std::vector<size_t>& events = counting_->application_;
  if (is_ours(address)) {
    address = caller_in_application();
    // This is no signal handler, so that a full ring can be emptied.
    if (ring_.full() && pmpi::this_thread != nullptr) pmpi::hooks().drain(*pmpi::this_thread);
  }
  // The EventSet of the thread that called MPI_Init has ended where the application counts with PAPI itself.
  int none = PAPI_NULL;
  counting_->shared_set_.compare_exchange_strong(none, application_set_);
  long long now[Counting::kMostEvents] = {};
  const uint16_t reset = counting_->resets_.load();
  if (ring_.full() || reset % 2 != 0 || !counting_->read_shared(now)) {
    late_.store(late_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  uint64_t added[Counting::kMostEvents] = {};
  for (size_t i = 0; i < events.size(); ++i) {
    if ((which >> i & 1) == 0 || now[i] < 0) continue;
    const auto value = static_cast<uint64_t>(now[i]);
    uint64_t word = counting_->seen_[i].load();
    const auto is_new = [&] { return Counting::reset_of(word) == reset && Counting::seen_of(word) < value; };
    while (is_new() && !counting_->seen_[i].compare_exchange_weak(word, Counting::seen_word(reset, value))) {
    }
    if (is_new()) added[events[i]] = value - Counting::seen_of(word) + counting_->carry_[i].exchange(0);
  }
  ring_.push(address, operation_->load(std::memory_order_relaxed), added);
}

}  // namespace scalediag::inject
