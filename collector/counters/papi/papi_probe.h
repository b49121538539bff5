// The events that PAPI can count on this machine, by trying and not only by its lists, and the division of a list of
// events into groups that the counters hold at once.
//
// Used by `profile` (to choose and to plan) and by `doctor` (to report). It loads libpapi into this process with
// dlopen;
// scalediag is not linked to it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/counters/events.h"
#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::counters {

struct PapiComponent {
  std::string name;  // "perf_event", "sde", ...
  bool usable = false;
  bool on_demand = false;  // PAPI initialises it at its first use: it is not known whether it works
  std::string reason;      // the reason why it is not usable, in PAPI's words
};

struct PapiState {
  bool loaded = false;  // libpapi was found and could be initialised
  std::string library;  // "libpapi.so.7.0"
  std::string version;  // "7.0.0"
  // PAPI_TOT_CYC and PAPI_TOT_INS count a loop of known length: the source `papi` can be used for hardware events.
  bool counts = false;
  std::string reason;         // the reason why not, one clause without a full stop; empty when it counts
  std::string hint;           // a remedy; empty when there is none here
  int hardware_counters = 0;  // that one thread can use at once, according to PAPI; 0 when unknown
  double frequency_hz = 0;    // cycles a second of CPU time in that loop; 0 when they were not counted
  std::vector<PapiComponent> components;
};

// Tried once in a process and then remembered.
const PapiState& probe_papi();

struct EventState {
  std::string event;
  bool exists = false;          // PAPI knows the name
  bool can_be_counted = false;  // it could be added and started
  bool counts = false;  // and was above 0 after a loop of loads, stores, branches, floating point and cache misses
  // The application itself makes the event ("sde:::..."): only a run shows whether it counts.
  bool of_application = false;
  int64_t counted = 0;  // in that loop
  std::string reason;   // the reason why it does not exist or count
};

// Counts the event alone while a loop runs for some milliseconds. Names of presets ("PAPI_L1_DCM"), native events
// ("MEM_LOAD_RETIRED:L1_HIT") and events of applications ("sde:::lib::NAME"), the latter also with a period
// ("sde:::lib::NAME@1000").
EventState try_event(const std::string& event);

// The first line of the table for the metric whose events can all be counted here and whose first one counts; null:
// none.
const MetricFormula* formula_that_counts(const std::string& metric);

// Names of the presets that PAPI lists as available here; not all of them need count.
std::vector<std::string> listed_presets();

// The events that each repeat counts. Groups rotate: repeat r counts group r mod groups.size().
struct EventPlan {
  // At least one. The first event of a group is the one whose overflow takes samples: PAPI_TOT_CYC, or the first event
  // of the application where no hardware event was asked for. PAPI_TOT_INS stands in every group that has room.
  std::vector<std::vector<std::string>> groups;
  // Cycles between two samples: at most 1000 samples a second. 0 without hardware events.
  uint64_t period = 0;
  // If each hardware event is charged by its own overflows, the counts between two of them, by event, such that no
  // program should overflow much more often than once a period. Empty: overflows of cycles charge all events.
  std::map<std::string, uint64_t> thresholds;
  // Notes for the user: metrics of the default choice that cannot be counted, and events that were asked for and stayed
  // at 0 in the loop of try_event.
  std::vector<std::string> notes;

  int needed_repeats() const { return static_cast<int>(groups.size()); }
  const std::vector<std::string>& group_of(int repeat) const {
    return groups[static_cast<size_t>(repeat) % groups.size()];
  }
};

// Plans the events that were asked for; an empty list stands for the best events of this processor for every metric of
// the vocabulary (collector/counters/events.def). The period is chosen from the clock rate for `rate_hz` samples a
// second. With `each_overflows` events are charged by their own overflows: those that cannot overflow are left out of
// the default choice, and events of the processor are counted with ":precise=1" (PEBS) where libpfm4 offers it. Errors:
// (kUsage) `each_overflows`, and only events of the application; (kEnvironment) PAPI cannot be loaded, or hardware
// events do not count here; (kInput) an event that does not exist, does not overflow where it has to, or fits into no
// group.
Result<EventPlan> plan_events(const std::vector<std::string>& asked, double rate_hz, bool each_overflows = false);

// Arguments of scalediag-rank, before "--", that have the group of this repeat counted:
// {"--events", "PAPI_TOT_CYC,PAPI_TOT_INS", "--period", "2500000"}. Where each event overflows by itself, `measured`
// are the runs so far: an event that they counted gets the threshold with which it overflows once a period.
std::vector<std::string> rank_arguments(const EventPlan& plan, int repeat, const std::vector<core::Run>& measured = {});

}  // namespace scalediag::counters
