#include "collector/counters/papi_probe.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "collector/counters/events.h"
#include "collector/counters/known_loops.h"
#include "core/papi_library.h"

namespace scalediag::counters {
namespace {

constexpr char kCycles[] = "PAPI_TOT_CYC";
constexpr char kInstructions[] = "PAPI_TOT_INS";
constexpr double kMostSamples_hz = 1000;
constexpr uint64_t kLoopIterations = 5000000;

PapiLibrary& papi() {
  static PapiLibrary library;
  return library;
}

bool is_of_application(const std::string& event) { return event.rfind("sde:::", 0) == 0; }

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// An EventSet with the lifetime of this object.
class EventSet {
 public:
  EventSet() { error_ = papi().create_eventset(&set_); }
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;
  ~EventSet() {
    if (set_ == PAPI_NULL) return;
    papi().cleanup_eventset(set_);
    papi().destroy_eventset(&set_);
  }
  // Adds the event; returns PAPI_OK or PAPI's error. The name is looked up first, so that an unknown event and one that
  // does not fit have different errors.
  int add(const std::string& event) {
    if (error_ != PAPI_OK) return error_;
    int code = 0;
    const int known = papi().event_name_to_code(std::string(event).data(), &code);
    return known != PAPI_OK ? known : papi().add_event(set_, code);
  }
  // Counts while `work` runs; returns PAPI_OK or PAPI's error.
  template <class Work>
  int count(Work work, std::vector<long long>& counts) {
    if (const int e = papi().start(set_); e != PAPI_OK) return e;
    work();
    return papi().stop(set_, counts.data());
  }

 private:
  int set_ = PAPI_NULL;
  int error_ = PAPI_OK;
};

bool has_pmu() {
  std::error_code failed;
  std::filesystem::directory_iterator unit("/sys/bus/event_source/devices", failed);
  for (; !failed && unit != std::filesystem::directory_iterator(); unit.increment(failed)) {
    const std::string name = unit->path().filename().string();
    if (name.rfind("cpu", 0) == 0 || name.rfind("armv", 0) == 0) return true;
  }
  return false;
}

int perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  file >> level;
  return file ? level : INT_MAX;
}

std::string hint_for_hardware() {
  if (!has_pmu()) return "count without a performance monitoring unit: --counters simulated";
  constexpr int kUserModeAllowed = 2;
  if (perf_event_paranoid() > kUserModeAllowed) return "sudo sysctl kernel.perf_event_paranoid=2";
  return "in a container, allow perf_event_open; else --counters simulated";
}

void describe_components(PapiState& state) {
  for (int c = 0; c < papi().num_components(); ++c) {
    const PAPI_component_info_t* info = papi().get_component_info(c);
    if (info == nullptr) continue;
    // A component that is initialised when it is first used has not failed.
    const bool on_demand = info->disabled == PAPI_EDELAY_INIT;
    const bool usable = info->disabled == 0 || on_demand;
    state.components.push_back({info->name, usable, on_demand, usable ? "" : info->disabled_reason});
    if (state.components.back().name != "perf_event") continue;
    state.hardware_counters = usable ? std::max(0, info->num_cntrs) : 0;
    if (!usable) state.reason = std::string("PAPI's component perf_event is disabled: ") + info->disabled_reason;
  }
}

void count_known_loop(PapiState& state) {
  EventSet set;
  for (const char* event : {kCycles, kInstructions}) {
    if (const int e = set.add(event); e != PAPI_OK) {
      if (state.reason.empty()) state.reason = std::string(event) + ": " + papi().text_of(e);
      return;
    }
  }
  std::vector<long long> counts(2);
  uint64_t expected = 0;
  double elapsed_s = 0;
  const int e = set.count(
      [&] {
        const double begin_s = cpu_seconds();
        expected = run_counted_loop(kLoopIterations);
        elapsed_s = cpu_seconds() - begin_s;
      },
      counts);
  if (e != PAPI_OK) {
    state.reason = std::string("PAPI_start: ") + papi().text_of(e);
    return;
  }
  // PAPI's own instructions between the two readings are far below a percent of the loop.
  const double instructions = static_cast<double>(counts[1]);
  const bool right =
      expected == 0 ? instructions > 0
                    : std::abs(instructions - static_cast<double>(expected)) < 0.01 * static_cast<double>(expected);
  state.counts = right && counts[0] > 0;
  if (state.counts) {
    state.reason.clear();
    if (elapsed_s > 0) state.frequency_hz = static_cast<double>(counts[0]) / elapsed_s;
    return;
  }
  state.reason = "a loop of " + std::to_string(expected) + " instructions was counted as " + std::to_string(counts[1]) +
                 " instructions in " + std::to_string(counts[0]) + " cycles";
}

PapiState probe() {
  PapiState state;
  state.reason = papi().load(false);
  if (!state.reason.empty()) {
    state.hint = "install PAPI (Debian: apt-get install libpapi-dev)";
    return state;
  }
  state.library = papi().soname();
  state.reason = papi().initialise();
  if (!state.reason.empty()) {
    state.hint = "install the PAPI that scalediag was built with (Debian: apt-get install libpapi-dev)";
    return state;
  }
  state.loaded = true;
  state.version = papi().version();
  describe_components(state);
  count_known_loop(state);
  if (state.counts) return state;
  if (!has_pmu()) state.reason = "the kernel knows no performance monitoring unit (" + state.reason + ")";
  state.hint = hint_for_hardware();
  return state;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool contains(const std::vector<std::string>& events, const std::string& event) {
  return std::any_of(events.begin(), events.end(), [&](const std::string& e) { return same_event(e, event); });
}

// Whether the events can be counted at once, by trying it.
bool fits(const std::vector<std::string>& events) {
  EventSet set;
  for (const std::string& event : events) {
    if (set.add(event) != PAPI_OK) return false;
  }
  std::vector<long long> counts(events.size());
  return set.count([] {}, counts) == PAPI_OK;
}

using EventSets = std::vector<std::vector<std::string>>;

// The events of every metric here, which have to be counted together. Stalls of every kind replace those for memory
// where only they exist.
EventSets default_events(std::vector<std::string>& notes) {
  EventSets sets;
  bool memory_stalls = false;
  for (const std::string metric : core::kCounterMetrics) {
    if (metric == "stall_cycles" && memory_stalls) continue;
    const MetricFormula* line = formula_that_counts(metric);
    if (line == nullptr) {
      notes.push_back(metric + ": no event for it counts on this machine");
      continue;
    }
    memory_stalls = memory_stalls || metric == "memory_stall_cycles";
    std::vector<std::string>& set = sets.emplace_back();
    for (const Term& term : line->terms) set.push_back(term.event);
  }
  return sets;
}

core::Status check_asked(const std::vector<std::string>& hardware, std::vector<std::string>& notes) {
  for (const std::string& event : hardware) {
    const EventState state = try_event(event);
    if (!state.exists) {
      return core::Error{core::ErrorCode::kInput, "there is no event " + event + " on this machine: " + state.reason,
                         "`scalediag doctor` tells which presets count here; papi_native_avail lists native events",
                         ""};
    }
    if (!state.counts) notes.push_back(event + ": " + state.reason);
  }
  return core::Done{};
}

std::string list_of(const std::vector<std::string>& events) {
  std::string list;
  for (const std::string& event : events) list += (list.empty() ? "" : ", ") + event;
  return list;
}

}  // namespace

const PapiState& probe_papi() {
  static const PapiState state = probe();
  return state;
}

EventState try_event(const std::string& event) {
  EventState state;
  state.event = event;
  state.of_application = is_of_application(event);
  if (!probe_papi().loaded) {
    state.reason = probe_papi().reason;
    return state;
  }
  if (state.of_application) {
    state.reason = "the application makes it; whether it counts is seen when it runs";
    return state;
  }
  int code = 0;
  if (const int e = papi().event_name_to_code(std::string(event).data(), &code); e != PAPI_OK) {
    state.reason = papi().text_of(e);
    return state;
  }
  state.exists = true;
  EventSet set;
  int e = set.add(event);
  std::vector<long long> counts(1);
  if (e == PAPI_OK) e = set.count(run_mixed_work, counts);
  state.counted = counts[0];
  state.can_be_counted = e == PAPI_OK;
  state.counts = state.can_be_counted && counts[0] > 0;
  if (e != PAPI_OK) {
    state.reason = papi().text_of(e);
  } else if (!state.counts) {
    state.reason = "stayed at 0 in a loop of loads, stores, floating point, mispredicted branches and cache misses";
  }
  return state;
}

const MetricFormula* formula_that_counts(const std::string& metric) {
  for (const MetricFormula& line : metric_formulas()) {
    if (line.metric != metric || !try_event(line.terms.front().event).counts) continue;
    const bool all = std::all_of(line.terms.begin(), line.terms.end(),
                                 [](const Term& term) { return try_event(term.event).can_be_counted; });
    if (all) return &line;
  }
  return nullptr;
}

std::vector<std::string> listed_presets() {
  std::vector<std::string> names;
  if (!probe_papi().loaded) return names;
  int code = PAPI_PRESET_MASK;
  if (papi().enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK) return names;
  do {
    char name[PAPI_MAX_STR_LEN] = "";
    if (papi().query_event(code) == PAPI_OK && papi().event_code_to_name(code, name) == PAPI_OK) names.push_back(name);
  } while (papi().enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

core::Result<EventPlan> plan_events(const std::vector<std::string>& asked, double rate_hz) {
  const PapiState& state = probe_papi();
  if (!state.loaded) {
    return core::Error{core::ErrorCode::kEnvironment, "PAPI cannot be used: " + state.reason, state.hint, ""};
  }
  std::vector<std::string> hardware, of_application;
  for (const std::string& word : asked) {
    const std::string event = trimmed(word);
    std::vector<std::string>& list = is_of_application(event) ? of_application : hardware;
    if (!event.empty() && !contains(list, event)) list.push_back(event);
  }
  EventPlan plan;
  if (hardware.empty() && !of_application.empty()) {
    plan.groups = {of_application};
    return plan;
  }
  if (!state.counts) {
    return core::Error{core::ErrorCode::kEnvironment, "hardware events cannot be counted here: " + state.reason,
                       state.hint, ""};
  }
  EventSets sets;
  if (hardware.empty()) {
    sets = default_events(plan.notes);
  } else if (const core::Status all = check_asked(hardware, plan.notes); !all) {
    return all.error();
  }
  for (const std::string& event : hardware) sets.push_back({event});
  std::vector<std::string> base = {kCycles};
  if (fits({kCycles, kInstructions})) base.emplace_back(kInstructions);
  EventGroups divided = divide_into_groups(base, sets, fits);
  for (const std::vector<std::string>& set : divided.left_out) {
    if (!hardware.empty()) {
      return core::Error{core::ErrorCode::kInput,
                         "the event " + set.front() + " cannot be counted together with " + kCycles,
                         "leave it out of --events", ""};
    }
    plan.notes.push_back(list_of(set) + ": the counters do not hold them at once");
  }
  plan.groups = std::move(divided.groups);
  for (auto& group : plan.groups) group.insert(group.end(), of_application.begin(), of_application.end());
  plan.period = static_cast<uint64_t>(state.frequency_hz / std::clamp(rate_hz, 1.0, kMostSamples_hz));
  return plan;
}

std::vector<std::string> rank_arguments(const EventPlan& plan, int repeat) {
  std::string list;
  for (const std::string& event : plan.group_of(repeat)) list += (list.empty() ? "" : ",") + event;
  std::vector<std::string> arguments = {"--events", list};
  if (plan.period > 0) arguments.insert(arguments.end(), {"--period", std::to_string(plan.period)});
  return arguments;
}

}  // namespace scalediag::counters
