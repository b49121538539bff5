// The results of collector/counters/papi/papi_probe.h for the machine that this runs on, in lines for check.py and
// guest.sh.
//
//   probe state                    "counts 0|1", "reason TEXT", "counters N", "frequency HZ"; then every preset that is
//                                  listed: "preset NAME COUNTS(0|1) COUNTED"
//   probe overflows RATE_HZ EVENT...  "EVENT 1", or "EVENT 0 REASON" where it cannot be charged by its own overflows
//   probe plan RATE_HZ [EVENT]...  the arguments of scalediag-rank for each repeat, one a line; notes on stderr
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/counters/papi/papi_probe.h"

namespace {

using namespace scalediag::counters;

int print_state() {
  const PapiState& state = probe_papi();
  std::printf("counts %d\nreason %s\ncounters %d\nfrequency %.6g\n", state.counts ? 1 : 0, state.reason.c_str(),
              state.hardware_counters, state.frequency_hz);
  for (const std::string& name : listed_presets()) {
    const EventState event = try_event(name);
    std::printf("preset %s %d %lld\n", name.c_str(), event.counts ? 1 : 0, static_cast<long long>(event.counted));
  }
  return 0;
}

int print_plan(double rate_hz, const std::vector<std::string>& events) {
  const auto plan = plan_events(events, rate_hz);
  if (!plan) {
    std::fprintf(stderr, "error: %s\nhint: %s\n", plan.error().message.c_str(), plan.error().hint.c_str());
    return 1;
  }
  for (const std::string& note : plan.value().notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  for (int repeat = 0; repeat < plan.value().needed_repeats(); ++repeat) {
    for (const std::string& word : rank_arguments(plan.value(), repeat)) std::printf("%s ", word.c_str());
    std::printf("\n");
  }
  return 0;
}

void print_overflows(double rate_hz, const std::vector<std::string>& events) {
  for (const std::string& event : events) {
    const auto plan = plan_events({event}, rate_hz, true);
    std::printf("%s %s\n", event.c_str(), plan ? "1" : ("0 " + plan.error().message).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "state") == 0) return print_state();
  if (argc > 2 && std::strcmp(argv[1], "plan") == 0) {
    return print_plan(std::strtod(argv[2], nullptr), std::vector<std::string>(argv + 3, argv + argc));
  }
  if (argc > 3 && std::strcmp(argv[1], "overflows") == 0) {
    print_overflows(std::strtod(argv[2], nullptr), std::vector<std::string>(argv + 3, argv + argc));
    return 0;
  }
  std::fprintf(stderr, "usage: probe state | probe overflows RATE_HZ EVENT... | probe plan RATE_HZ [EVENT]...\n");
  return 2;
}
