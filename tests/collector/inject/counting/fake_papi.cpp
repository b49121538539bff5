#include "fake_papi.h"

#include <papi.h>

#include <algorithm>
#include <cstring>

namespace {

struct Event {
  int code = 0;
  long long count = 0;
  long long threshold = 0;  // 0: does not overflow
};

// One EventSet is enough.
struct Set {
  std::vector<Event> events;
  PAPI_overflow_handler_t handler = nullptr;
  bool running = false;
} set;

constexpr int kSet = 1;
std::vector<std::string> names;  // by code
std::string refused;

int code_of(const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) names.push_back(name);
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

Event* find(int code) {
  for (Event& event : set.events) {
    if (event.code == code) return &event;
  }
  return nullptr;
}

// PAPI's bits are those of native events, which are in an order of their own; here it is the reverse one.
long long bit_of(size_t index) { return 1LL << (40 - index); }

void copy_counts(long long* values) {
  for (size_t i = 0; i < set.events.size(); ++i) values[i] = set.events[i].count;
}

}  // namespace

namespace scalediag::inject {

void run_for_a_moment(const void* address, const std::vector<std::pair<std::string, long long>>& happened) {
  if (!set.running) return;
  long long which = 0;
  for (const auto& [name, times] : happened) {
    Event* event = find(code_of(name));
    if (event == nullptr) continue;
    const long long before = event->count;
    event->count += times;
    const bool overflows = event->threshold > 0 && before / event->threshold != event->count / event->threshold;
    if (overflows) which |= bit_of(static_cast<size_t>(event - set.events.data()));
  }
  if (which != 0) set.handler(kSet, const_cast<void*>(address), which, nullptr);
}

void refuse_overflow_of(const std::string& event) { refused = event; }

}  // namespace scalediag::inject

extern "C" {

int PAPI_library_init(int version) { return version; }
int PAPI_is_initialized() { return PAPI_NOT_INITED; }
int PAPI_thread_init(unsigned long (*)()) { return PAPI_OK; }
int PAPI_register_thread() { return PAPI_OK; }
int PAPI_unregister_thread() { return PAPI_OK; }
int PAPI_create_eventset(int* number) {
  set = Set();
  *number = kSet;
  return PAPI_OK;
}
int PAPI_cleanup_eventset(int) { return PAPI_OK; }
int PAPI_destroy_eventset(int* number) {
  *number = PAPI_NULL;
  return PAPI_OK;
}
int PAPI_assign_eventset_component(int, int) { return PAPI_OK; }
int PAPI_add_event(int, int code) {
  set.events.push_back({code, 0, 0});
  return PAPI_OK;
}
int PAPI_event_name_to_code(const char* name, int* code) {
  *code = code_of(name);
  return PAPI_OK;
}
int PAPI_event_code_to_name(int code, char* name) {
  std::strcpy(name, names.at(static_cast<size_t>(code)).c_str());
  return PAPI_OK;
}
int PAPI_enum_event(int*, int) { return PAPI_ENOEVNT; }
int PAPI_query_event(int) { return PAPI_OK; }
int PAPI_get_event_component(int) { return 0; }
int PAPI_overflow(int, int code, int threshold, int, PAPI_overflow_handler_t handler) {
  Event* event = find(code);
  if (event == nullptr || threshold <= 0 || names.at(static_cast<size_t>(code)) == refused) return PAPI_EINVAL;
  event->threshold = threshold;
  set.handler = handler;
  return PAPI_OK;
}
int PAPI_get_overflow_event_index(int, long long which, int* indices, int* n) {
  int found = 0;
  for (size_t i = 0; i < set.events.size(); ++i) {
    if ((which & bit_of(i)) != 0) indices[found++] = static_cast<int>(i);
  }
  *n = found;
  return PAPI_OK;
}
int PAPI_start(int) {
  set.running = true;
  return PAPI_OK;
}
int PAPI_stop(int, long long* values) {
  set.running = false;
  copy_counts(values);
  return PAPI_OK;
}
int PAPI_read(int, long long* values) {
  copy_counts(values);
  return PAPI_OK;
}
int PAPI_num_components() { return 1; }
const PAPI_component_info_t* PAPI_get_component_info(int) { return nullptr; }
const PAPI_hw_info_t* PAPI_get_hardware_info() { return nullptr; }
char* PAPI_strerror(int) {
  static char text[] = "refused";
  return text;
}

}  // extern "C"
