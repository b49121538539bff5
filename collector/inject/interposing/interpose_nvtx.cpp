// NVTX, version 3: its headers load the library that NVTX_INJECTION64_PATH names and call InitializeInjectionNvtx2,
// which puts functions in place of those that do nothing. The layouts are those of NVTX's headers.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collector/inject/regions/region_table.h"

namespace scalediag::inject {
namespace {

constexpr char kNvtx[] = "NVTX";

// nvtxEventAttributes_t.
struct EventAttributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char* message;
};
static_assert(offsetof(EventAttributes, message) == 40);
constexpr int32_t kText = 1, kRegisteredText = 3;  // others are wide characters or none
constexpr char kUnnamed[] = "[no text]";

const char* text_of(const EventAttributes* event) {
  if (event == nullptr || event->size < sizeof(EventAttributes)) return kUnnamed;
  const bool readable = event->message_type == kText || event->message_type == kRegisteredText;
  return readable && event->message != nullptr ? event->message : kUnnamed;
}

RegionTable& nvtx_table() { return RegionTable::get(); }
// Ranges that are pushed end by popping, those that are started by their number.
uint64_t started(const char* name) {
  static std::atomic<uint64_t> ranges{0};
  const uint64_t number = 2 + 2 * ++ranges;
  nvtx_table().begin(kNvtx, name, number);
  return number;
}
constexpr uint64_t kPushed = 1;

int push_text(const char* text) {
  nvtx_table().begin(kNvtx, text != nullptr ? text : kUnnamed, kPushed);
  return 0;
}
int push_wide(const wchar_t*) { return push_text(kUnnamed); }
int push_event(const EventAttributes* event) { return push_text(text_of(event)); }
int pop() {
  nvtx_table().end(kNvtx, nullptr, kPushed);
  return 0;
}
uint64_t start_text(const char* text) { return started(text != nullptr ? text : kUnnamed); }
uint64_t start_wide(const wchar_t*) { return started(kUnnamed); }
uint64_t start_event(const EventAttributes* event) { return started(text_of(event)); }
void end_range(uint64_t number) { nvtx_table().end(kNvtx, nullptr, number, false); }
int push_in_domain(void*, const EventAttributes* event) { return push_event(event); }
int pop_in_domain(void*) { return pop(); }
uint64_t start_in_domain(void*, const EventAttributes* event) { return start_event(event); }
void end_in_domain(void*, uint64_t number) { end_range(number); }

// A program registers a text once, so that the copies are not freed. Beyond the limit texts have no name.
const char* registered(void*, const char* text) {
  static std::atomic<int> texts{0};
  constexpr int kMostTexts = 1 << 14;
  if (text == nullptr || ++texts > kMostTexts) return kUnnamed;
  const char* copy = strdup(text);
  return copy != nullptr ? copy : kUnnamed;
}

using Function = void (*)();
struct Callbacks {
  size_t size;
  int (*functions_of)(uint32_t module, Function*** table, unsigned* size);
};

// A function and its place in the table of its module.
struct Replacement {
  unsigned place;
  Function function;
};

void replace(const Callbacks& callbacks, uint32_t module, const Replacement* first, const Replacement* end) {
  Function** table = nullptr;
  unsigned size = 0;
  if (callbacks.functions_of(module, &table, &size) == 0 || table == nullptr) return;
  for (const Replacement* r = first; r != end; ++r) {
    if (r->place < size && table[r->place] != nullptr) *table[r->place] = r->function;
  }
}

template <class F> Function as_function(F* f) { return reinterpret_cast<Function>(f); }

}  // namespace
}  // namespace scalediag::inject

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void* (*table_of)(uint32_t)) {
  using namespace scalediag::inject;
  constexpr uint32_t kCallbacks = 1, kCore = 1, kCore2 = 5;
  const auto* const callbacks = static_cast<const Callbacks*>(table_of(kCallbacks));
  if (callbacks == nullptr || callbacks->size < sizeof(Callbacks)) return 0;
  const Replacement core[] = {{4, as_function(start_event)}, {5, as_function(start_text)}, {6, as_function(start_wide)},
                              {7, as_function(end_range)},   {8, as_function(push_event)}, {9, as_function(push_text)},
                              {10, as_function(push_wide)},  {11, as_function(pop)}};
  const Replacement core2[] = {{2, as_function(start_in_domain)},
                               {3, as_function(end_in_domain)},
                               {4, as_function(push_in_domain)},
                               {5, as_function(pop_in_domain)},
                               {10, as_function(registered)}};
  replace(*callbacks, kCore, core, core + sizeof core / sizeof *core);
  replace(*callbacks, kCore2, core2, core2 + sizeof core2 / sizeof *core2);
  return 1;
}
