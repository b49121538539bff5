#include "collector/inject/replaying/counted_parts.h"

#include <cstdlib>

#include "core/raw/counted_steps.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

namespace scalediag::inject {
namespace {

// The request makes the counts so far a file, and begins at zero.
void write_part([[maybe_unused]] int number) {
#ifdef CALLGRIND_DUMP_STATS_AT
  const std::string name = counted_steps::part_name(number);
  CALLGRIND_DUMP_STATS_AT(name.c_str());
#endif
}

void stop() {
#ifdef CALLGRIND_STOP_INSTRUMENTATION
  CALLGRIND_STOP_INSTRUMENTATION;
#endif
}

// Instrumentation begins with every thread's collection switched on, whatever it was before: it is off inside MPI.
void go_on() {
#ifdef CALLGRIND_START_INSTRUMENTATION
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_ZERO_STATS;
#endif
}

}  // namespace

CountedParts::CountedParts(const std::string& steps) {
  for (const char* at = steps.c_str(); *at != '\0';) {
    char* end = nullptr;
    Step step;
    step.events = std::strtoull(at, &end, 10);
    if (end == at) return;
    if (*end != '\0' && *end != ',') step.kind = *end++;
    steps_.push_back(step);
    at = *end == ',' ? end + 1 : end;
  }
}

bool CountedParts::take(const Step& step) {
  if (step.kind == counted_steps::kGoesOn) {
    go_on();
    return false;
  }
  write_part(part_++);
  if (step.kind != '\0') stop();
  return step.kind == counted_steps::kEnds;
}

}  // namespace scalediag::inject
