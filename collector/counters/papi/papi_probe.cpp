#include "collector/counters/papi/papi_probe.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "collector/counters/events.h"
#include "collector/counters/papi/known_loops.h"
#include "core/papi_library.h"
#include "core/text/join.h"

namespace scalediag::counters {
namespace {

constexpr char kCycles[] = "PAPI_TOT_CYC";
constexpr char kInstructions[] = "PAPI_TOT_INS";
constexpr double kMostSamples_hz = 1000;
constexpr uint64_t kLoopIterations = 5000000;
constexpr char kPrecise[] = ":precise=1";

PapiLibrary& papi() {
  static PapiLibrary library;
  return library;
}

bool is_of_application(const std::string& event) { return event.starts_with("sde:::"); }

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
    if (known != PAPI_OK) return known;
    codes_.push_back(code);
    return papi().add_event(set_, code);
  }
  // Has every event overflow after so many counts; returns PAPI_OK or PAPI's error.
  int overflow_each(uint64_t counts, PAPI_overflow_handler_t handler) {
    const int threshold = static_cast<int>(std::clamp<uint64_t>(counts, 1, INT_MAX));
    for (const int code : codes_) {
      if (const int e = papi().overflow(set_, code, threshold, 0, handler); e != PAPI_OK) return e;
    }
    return PAPI_OK;
  }
  // Counts while `work` runs; returns PAPI_OK or PAPI's error.
  int count(auto work, std::vector<long long>& counts) {
    if (const int e = papi().start(set_); e != PAPI_OK) return e;
    work();
    return papi().stop(set_, counts.data());
  }

 private:
  int set_ = PAPI_NULL;
  int error_ = PAPI_OK;
  std::vector<int> codes_;
};

bool has_pmu() {
  std::error_code failed;
  std::filesystem::directory_iterator unit("/sys/bus/event_source/devices", failed);
  for (; !failed && unit != std::filesystem::directory_iterator(); unit.increment(failed)) {
    const std::string name = unit->path().filename().string();
    if (name.starts_with("cpu") || name.starts_with("armv")) return true;
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
  return std::ranges::any_of(events, [&](const std::string& e) { return same_event(e, event); });
}

std::atomic<int> overflows_seen{0};
void see_overflow(int, void*, long long, void*) { overflows_seen.fetch_add(1, std::memory_order_relaxed); }

// Whether the events can be counted at once, by trying it; `each_overflows`: and overflow, each by itself.
bool fit_together(const std::vector<std::string>& events, bool each_overflows) {
  EventSet set;
  for (const std::string& event : events) {
    if (set.add(event) != PAPI_OK) return false;
  }
  if (each_overflows && set.overflow_each(INT_MAX, see_overflow) != PAPI_OK) return false;
  std::vector<long long> counts(events.size());
  return set.count([] {}, counts) == PAPI_OK;
}

std::string try_overflows(const std::string& event) {
  constexpr int kWanted = 100;
  const EventState state = try_event(event);
  if (!state.can_be_counted) return state.reason;
  EventSet set;
  int e = set.add(event);
  const uint64_t threshold = std::max<int64_t>(1, state.counted / kWanted);
  if (e == PAPI_OK) e = set.overflow_each(threshold, see_overflow);
  std::vector<long long> counts(1);
  overflows_seen = 0;
  if (e == PAPI_OK) e = set.count(run_mixed_work, counts);
  if (e != PAPI_OK) return std::string("PAPI cannot have it overflow: ") + papi().text_of(e);
  const double expected = std::floor(static_cast<double>(counts[0]) / static_cast<double>(threshold));
  // Some interrupts may come together.
  if (overflows_seen >= 0.5 * expected) return {};
  return "only " + std::to_string(overflows_seen.load()) + " of " + std::to_string(static_cast<int64_t>(expected)) +
         " overflows arrived in a loop";
}

// The reason why the event cannot be charged by its own overflows; empty if it can, or if it stays at 0 here.
const std::string& overflow_problem(const std::string& event) {
  static std::map<std::string, std::string> known;
  const auto found = known.find(event);
  return found != known.end() ? found->second : known.emplace(event, try_overflows(event)).first->second;
}

bool can_overflow(const std::string& event) { return overflow_problem(event).empty(); }

// The event in the form that says at which instruction it happened, where libpfm4 and the processor have one.
std::string in_precise_form(const std::string& event) {
  if (event.rfind("PAPI_", 0) == 0 || event.find(":precise=") != std::string::npos) return event;
  const EventState state = try_event(event + kPrecise);
  return state.counts && can_overflow(event + kPrecise) ? event + kPrecise : event;
}

// Counts a cycle in whichever of two loops has more of them: one in caches, one in memory. 0: too few in both.
double densest_rate(const std::string& event) {
  constexpr long long kEnough = 1000;
  double densest = 0;
  for (void (*work)() : {run_mixed_work, run_dense_work}) {
    EventSet set;
    std::vector<long long> counts(2);
    if (set.add(kCycles) != PAPI_OK || set.add(event) != PAPI_OK || set.count(work, counts) != PAPI_OK) continue;
    if (counts[0] <= 0 || counts[1] < kEnough) continue;
    densest = std::max(densest, static_cast<double>(counts[1]) / static_cast<double>(counts[0]));
  }
  return densest;
}

// A prime does not fall into step with a program that repeats itself.
uint64_t next_prime(double value) {
  const auto is_prime = [](uint64_t n) {
    for (uint64_t divisor = 2; divisor * divisor <= n; ++divisor) {
      if (n % divisor == 0) return false;
    }
    return true;
  };
  auto n = static_cast<uint64_t>(std::clamp(value, 1.0, static_cast<double>(INT_MAX / 2)));
  while (!is_prime(n)) ++n;
  return n;
}

using EventSets = std::vector<std::vector<std::string>>;

// The first line of the table for the metric whose events serve here.
const MetricFormula* formula_for(const std::string& metric, bool each_overflows) {
  for (const MetricFormula& line : metric_formulas()) {
    if (line.metric != metric || !try_event(line.terms.front().event).counts) continue;
    const bool all = std::ranges::all_of(line.terms, [each_overflows](const Term& term) {
      return try_event(term.event).can_be_counted && (!each_overflows || can_overflow(term.event));
    });
    if (all) return &line;
  }
  return nullptr;
}

// The events of every metric here, which have to be counted together. Stalls of every kind replace those for memory
// where only they exist.
EventSets default_events(bool each_overflows, std::vector<std::string>& notes) {
  EventSets sets;
  bool memory_stalls = false;
  for (const std::string metric : core::kCounterMetrics) {
    if (metric == "stall_cycles" && memory_stalls) continue;
    const MetricFormula* line = formula_for(metric, each_overflows);
    if (line == nullptr) {
      notes.push_back(metric + ": no event for it counts " + (each_overflows ? "and overflows " : "") +
                      "on this machine");
      continue;
    }
    memory_stalls = memory_stalls || metric == "memory_stall_cycles";
    std::vector<std::string>& set = sets.emplace_back();
    for (const Term& term : line->terms) set.push_back(term.event);
  }
  return sets;
}

Status check_asked(const std::vector<std::string>& hardware, bool each_overflows, std::vector<std::string>& notes) {
  for (const std::string& event : hardware) {
    const EventState state = try_event(event);
    if (!state.exists) {
      return Error{ErrorCode::kInput, "there is no event " + event + " on this machine: " + state.reason,
                   "`scalediag doctor` tells which presets count here; papi_native_avail lists native events"};
    }
    const std::string problem = each_overflows && state.can_be_counted ? overflow_problem(event) : "";
    if (!problem.empty()) {
      return Error{ErrorCode::kInput, event + " cannot be charged by its own overflows: " + problem,
                   "leave out --events-precise, or that event", "--events-precise"};
    }
    if (!state.counts) notes.push_back(event + ": " + state.reason);
  }
  return Done{};
}

// An event that the loops do not make gets the threshold of cycles: the first run shows how often it happens.
void plan_thresholds(EventPlan& plan) {
  std::vector<std::string> exact;
  for (const auto& group : plan.groups) {
    for (const std::string& event : group) {
      if (plan.thresholds.count(event) != 0) continue;
      const double rate = same_event(event, kCycles) ? 1 : densest_rate(event);
      plan.thresholds[event] = next_prime((rate > 0 ? rate : 1) * static_cast<double>(plan.period));
      if (event.find(":precise=") != std::string::npos) exact.push_back(event);
    }
  }
  plan.notes.push_back(exact.empty()
                           ? "--events-precise: no event has a form here that names the instruction (PEBS), so that "
                             "overflows may be charged some instructions late"
                           : "--events-precise: " + core::join(exact) +
                                 " name the instruction (PEBS); other events may be charged some instructions late");
}

// Counts a cycle in the runs so far; 0 where they did not count the event.
double measured_rate(const std::string& event, const std::vector<core::Run>& runs) {
  double counted = 0, cycles = 0;
  for (const core::Run& run : runs) {
    const auto find = [&run](const std::string& name) {
      return std::ranges::find_if(run.sampled_events, [&name](const core::SampledEvent& e) { return e.event == name; });
    };
    const auto own = find(event), of_cycles = find(kCycles);
    if (own == run.sampled_events.end() || of_cycles == run.sampled_events.end()) continue;
    counted += own->counted;
    cycles += of_cycles->counted;
  }
  return cycles > 0 ? counted / cycles : 0;
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

const MetricFormula* formula_that_counts(const std::string& metric) { return formula_for(metric, false); }

std::vector<std::string> listed_presets() {
  std::vector<std::string> names;
  if (!probe_papi().loaded) return names;
  int code = PAPI_PRESET_MASK;
  if (papi().enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK) return names;
  do {
    char name[PAPI_MAX_STR_LEN] = "";
    if (papi().query_event(code) == PAPI_OK && papi().event_code_to_name(code, name) == PAPI_OK) names.push_back(name);
  } while (papi().enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<EventPlan> plan_events(const std::vector<std::string>& asked, double rate_hz, bool each_overflows) {
  const PapiState& state = probe_papi();
  if (!state.loaded) {
    return Error{ErrorCode::kEnvironment, "PAPI cannot be used: " + state.reason, state.hint};
  }
  std::vector<std::string> hardware, of_application;
  for (const std::string& word : asked) {
    const std::string event = trimmed(word);
    std::vector<std::string>& list = is_of_application(event) ? of_application : hardware;
    if (!event.empty() && !contains(list, event)) list.push_back(event);
  }
  EventPlan plan;
  const bool only_of_application = hardware.empty() && !of_application.empty();
  if (only_of_application && each_overflows) {
    return Error{
        ErrorCode::kUsage, "--events-precise is for hardware events, but --events names only the program's own",
        "leave out --events-precise: the program's own events are always charged by themselves", "--events-precise"};
  }
  if (only_of_application) {
    plan.groups = {of_application};
    return plan;
  }
  if (!state.counts) {
    return Error{ErrorCode::kEnvironment, "hardware events cannot be counted here: " + state.reason, state.hint};
  }
  if (const std::string problem = each_overflows ? overflow_problem(kCycles) : ""; !problem.empty()) {
    return Error{ErrorCode::kEnvironment,
                 std::string("events cannot be charged by their own overflows here: ") + kCycles + ": " + problem,
                 "leave out --events-precise", "--events-precise"};
  }
  EventSets sets;
  if (hardware.empty()) {
    sets = default_events(each_overflows, plan.notes);
  } else if (const Status all = check_asked(hardware, each_overflows, plan.notes); !all) {
    return all.error();
  }
  for (const std::string& event : hardware) sets.push_back({event});
  if (each_overflows) {
    for (auto& set : sets) std::transform(set.begin(), set.end(), set.begin(), in_precise_form);
  }
  const auto fits = [each_overflows](const std::vector<std::string>& events) {
    return fit_together(events, each_overflows);
  };
  std::vector<std::string> base = {kCycles};
  if (fits({kCycles, kInstructions}) && (!each_overflows || can_overflow(kInstructions))) {
    base.emplace_back(kInstructions);
  }
  EventGroups divided = divide_into_groups(base, sets, fits);
  for (const std::vector<std::string>& set : divided.left_out) {
    if (!hardware.empty()) {
      return Error{ErrorCode::kInput, "the event " + set.front() + " cannot be counted together with " + kCycles,
                   "leave it out of --events"};
    }
    plan.notes.push_back(core::join(set) + ": the counters do not hold them at once");
  }
  plan.groups = std::move(divided.groups);
  plan.period = static_cast<uint64_t>(state.frequency_hz / std::clamp(rate_hz, 1.0, kMostSamples_hz));
  if (each_overflows) plan_thresholds(plan);
  for (auto& group : plan.groups) group.insert(group.end(), of_application.begin(), of_application.end());
  return plan;
}

std::vector<std::string> rank_arguments(const EventPlan& plan, int repeat, const std::vector<core::Run>& measured) {
  std::string list;
  for (const std::string& event : plan.group_of(repeat)) {
    list += (list.empty() ? "" : ",") + event;
    if (const auto planned = plan.thresholds.find(event); planned != plan.thresholds.end()) {
      const double rate = measured_rate(event, measured);
      list += "@" + std::to_string(rate > 0 ? next_prime(rate * static_cast<double>(plan.period)) : planned->second);
    }
  }
  std::vector<std::string> arguments = {"--events", list};
  if (plan.period > 0) arguments.insert(arguments.end(), {"--period", std::to_string(plan.period)});
  return arguments;
}

}  // namespace scalediag::counters
