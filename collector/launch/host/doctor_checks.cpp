#include "collector/launch/host/doctor_checks.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>

#include "collector/counters/callgrind/callgrind_counts.h"
#include "collector/counters/callgrind/valgrind.h"
#include "collector/counters/events.h"
#include "collector/counters/papi/papi_probe.h"
#include "collector/launch/host/cluster_checks.h"
#include "collector/launch/host/control_group.h"
#include "collector/launch/host/host_facts.h"
#include "collector/launch/host/installation.h"
#include "collector/launch/host/machine_store.h"
#include "collector/launch/program/executable_file.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

enum class Modes { kUser, kUserAndKernel };

struct PerfEvent {
  uint32_t type = PERF_TYPE_SOFTWARE;
  uint64_t config = PERF_COUNT_SW_CPU_CLOCK;
  uint64_t period = 0;  // 0: only counts
  Modes modes = Modes::kUserAndKernel;
  int cpu = -1;  // counts all threads on that CPU; -1: this thread
};

// Returns 0 if the kernel gives the event, else an errno.
int try_perf_event(const PerfEvent& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.sample_period = event.period;
  attributes.sample_type = event.period == 0 ? 0 : PERF_SAMPLE_IP;
  attributes.disabled = 1;
  attributes.exclude_kernel = event.modes == Modes::kUser;
  attributes.exclude_hv = 1;
  const pid_t thread = event.cpu < 0 ? 0 : -1;
  const long fd = syscall(SYS_perf_event_open, &attributes, thread, event.cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  close(static_cast<int>(fd));
  return 0;
}

int try_thread_timer() {
  sigevent event{};
  event.sigev_notify = SIGEV_NONE;
  timer_t timer{};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return errno;
  timer_delete(timer);
  return 0;
}

Finding installation() {
  const auto found = find_installation();
  if (!found) return {"library", Health::kFails, found.error().message, found.error().hint};
  return {"library", Health::kWorks, found.value().library, ""};
}

Finding cores(const core::Host& host) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  std::string text = std::to_string(host.cores) + " of " + std::to_string(online) + " CPUs may be used, " +
                     core::bytes_text(host.memory_bytes) + " of memory";
  const ControlGroupLimits limits = read_control_group();
  if (limits.cores > 0) text += "; control group: " + core::fixed(limits.cores, 2) + " cores";
  if (limits.memory_bytes > 0) text += "; control group: " + core::bytes_text(limits.memory_bytes) + " of memory";
  if (host.cores >= online) return {"cores", Health::kWorks, text, ""};
  return {
      "cores", Health::kLimited, text + ": more ranks than that share them, and only CPU time is then measured",
      "start the container with --cpus=" + std::to_string(online) + ", the job with more cores, or leave out taskset"};
}

std::string paranoia() {
  const std::string level = first_line("/proc/sys/kernel/perf_event_paranoid");
  return level.empty() ? "no perf_event_paranoid" : "perf_event_paranoid is " + level;
}

std::string perf_hint(int failed) {
  if (failed == ENOSYS) return "a kernel with CONFIG_PERF_EVENTS";
  return "sysctl kernel.perf_event_paranoid=2; in a container besides: --security-opt seccomp=unconfined or "
         "--cap-add PERFMON";
}

Finding sampling() {
  constexpr uint64_t kPeriod_ns = 4'000'000;
  const int cpus = try_perf_event({.period = kPeriod_ns, .cpu = std::max(0, sched_getcpu())});
  if (cpus == 0) {
    return {"sampling", Health::kWorks,
            "one software clock event a CPU, which slows nothing down where ranks share cores; " + paranoia(), ""};
  }
  const int perf = try_perf_event({.period = kPeriod_ns, .modes = Modes::kUser});
  if (perf == 0) {
    const bool sees_kernel = try_perf_event({.period = kPeriod_ns}) == 0;
    return {"sampling", Health::kLimited,
            std::string("events of CPUs are refused (") + std::strerror(cpus) + "; " + paranoia() +
                "): where each rank has a core, events of threads are taken" +
                (sees_kernel ? "" : ", which charge time in the kernel to the code after it") +
                "; where ranks share cores, a timer and a signal a thread",
            "sysctl kernel.perf_event_paranoid=0; in a container with root: --cap-add PERFMON"};
  }
  const std::string why = std::string("perf events are refused (") + std::strerror(perf) + "; " + paranoia() + ")";
  const int timer = try_thread_timer();
  if (timer == 0) {
    return {"sampling", Health::kLimited, why + ": a timer and a signal a thread are used instead", perf_hint(perf)};
  }
  return {"sampling", Health::kFails, why + ", and timers as well (" + std::strerror(timer) + ")", perf_hint(perf)};
}

bool is_virtual_machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return line.find(" hypervisor") != line.npos;
  }
  return false;
}

Finding pmu() {
  const int failed =
      try_perf_event({.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .modes = Modes::kUser});
  if (failed == 0) return {"PMU", Health::kWorks, "the kernel counts cycles; " + paranoia(), ""};
  if (failed == EACCES || failed == EPERM) {
    return {"PMU", Health::kMissing,
            std::string("hardware counters are refused (") + std::strerror(failed) + "; " + paranoia() + ")",
            perf_hint(failed)};
  }
  const std::string simulate = "count with profile --counters simulated";
  const std::string text = std::string("no hardware counters (") + std::strerror(failed) + ")";
  if (!is_virtual_machine()) return {"PMU", Health::kMissing, text, simulate};
  return {"PMU", Health::kMissing, text + ", this is a virtual machine",
          "have the virtual machine given a PMU (libvirt: <pmu state='on'/>), or " + simulate};
}

Finding papi(const counters::PapiState& state) {
  if (!state.loaded) {
    return {"PAPI", Health::kMissing, state.reason.empty() ? "libpapi is not found" : state.reason,
            state.hint.empty() ? "apt-get install libpapi-dev" : state.hint};
  }
  std::string text = state.library + ", version " + state.version;
  if (state.hardware_counters > 0) text += ", " + std::to_string(state.hardware_counters) + " counters";
  if (state.counts) return {"PAPI", Health::kWorks, text + ": cycles and instructions count", ""};
  return {"PAPI", Health::kLimited, text + ": no hardware events (" + state.reason + ")", state.hint};
}

void append(std::string& list, const std::string& item, const char* separator = ", ") {
  if (!list.empty()) list += separator;
  list += item;
}

Finding components(const counters::PapiState& state) {
  std::string enabled;
  std::string on_demand;
  std::string disabled;
  std::string of_applications;
  for (const counters::PapiComponent& component : state.components) {
    if (component.name == "sde") {
      // The reason is that this executable has no such events; only a run shows whether an application has some.
      of_applications = "; sde: in applications that register events (profile --events sde:::LIBRARY::NAME)";
    } else if (component.on_demand) {
      append(on_demand, component.name);
    } else if (component.usable) {
      append(enabled, component.name);
    } else {
      append(disabled, component.name + ": " + component.reason, "; ");
    }
  }
  std::string text = "enabled: " + (enabled.empty() ? "none" : enabled) + of_applications;
  if (!on_demand.empty()) text += "; tried when first used: " + on_demand;
  if (disabled.empty()) return {"components", Health::kWorks, text, ""};
  return {"components", Health::kLimited, text + "; disabled: " + disabled, ""};
}

// Presets are tried, since some machines list presets that always read 0.
Finding presets() {
  std::string counting;
  std::string silent;
  int n = 0;
  for (const std::string& preset : counters::listed_presets()) {
    ++n;
    std::string& list = counters::try_event(preset).counts ? counting : silent;
    list += (list.empty() ? "" : " ") + preset;
  }
  if (n == 0) return {"presets", Health::kMissing, "PAPI lists none", ""};
  const std::string text = "counting: " + (counting.empty() ? "none" : counting);
  if (silent.empty()) return {"presets", Health::kWorks, text, ""};
  return {"presets", counting.empty() ? Health::kMissing : Health::kLimited, text + "; listed, but read 0: " + silent,
          ""};
}

// Whether callgrind runs: a valgrind that is installed may be too old for the C library or the kernel.
bool callgrind_runs(const std::string& valgrind, const std::string& program) {
  const std::string command = core::quote_shell_word(valgrind) + " --tool=callgrind --callgrind-out-file=/dev/null " +
                              core::quote_shell_word(program) + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
}

Finding valgrind() {
  const auto found = counters::find_valgrind();
  if (!found) return {"valgrind", Health::kMissing, found.error().message, found.error().hint};
  const std::string program = find_in_path("true");
  if (!program.empty() && !callgrind_runs(found.value(), program)) {
    return {"valgrind", Health::kMissing, found.value() + " cannot run " + program + " under callgrind",
            "see what it says: valgrind --tool=callgrind --callgrind-out-file=/dev/null true"};
  }
  return {"valgrind", Health::kWorks, found.value() + ": --counters simulated works", ""};
}

// Whether memory may be locked: root may, but not that of a container.
bool may_lock_memory() {
  constexpr uint64_t kIpcLock = uint64_t{1} << 14;  // CAP_IPC_LOCK
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("CapEff:")) return (std::strtoull(line.c_str() + 7, nullptr, 16) & kIpcLock) != 0;
  }
  return geteuid() == 0;
}

Finding locked_memory() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool free_of_limits = limit.rlim_cur == RLIM_INFINITY || may_lock_memory();
  if (free_of_limits) return {"locked memory", Health::kWorks, "not limited", ""};
  const double per_user_kib = std::strtod(first_line("/proc/sys/kernel/perf_event_mlock_kb").c_str(), nullptr);
  const double bytes = static_cast<double>(limit.rlim_cur) + 1024 * per_user_kib;
  // Each ring has its data and a page of state.
  const int rings = static_cast<int>(bytes / (68.0 * 1024));
  const std::string text =
      core::bytes_text(bytes) + " a user: rings of full size for " + std::to_string(rings) + " threads";
  if (rings >= 64) return {"locked memory", Health::kWorks, text, ""};
  return {"locked memory", Health::kLimited, text + ", smaller ones beyond",
          "ulimit -l unlimited, or sysctl "
          "kernel.perf_event_mlock_kb=16384"};
}

Finding machine(const core::Host& host) {
  if (const auto cached = cached_machine(host)) {
    const std::string text = "measured " + cached->created + " (" + machine_cache_file(host) + ")";
    if (cached->warnings.empty()) return {"machine", Health::kWorks, text, ""};
    return {"machine", Health::kLimited, text + ": " + cached->warnings.front(),
            "scalediag machine, while nothing else runs; scalediag machine --cached shows what is known"};
  }
  return {"machine", Health::kMissing, "latencies, bandwidth and frequency were not measured here yet",
          "scalediag machine (profile does so where it counts)"};
}

std::vector<MetricSource> metric_sources(bool papi_counts) {
  std::map<std::string, std::string> simulated;
  for (const core::CounterEvent& event : counters::simulated_events()) {
    simulated[event.metric] = event.derived ? event.formula_or_source : event.event;
  }
  std::vector<MetricSource> sources;
  for (const char* metric : core::kCounterMetrics) {
    MetricSource source{metric, "", simulated[metric]};
    const counters::MetricFormula* line = papi_counts ? counters::formula_that_counts(metric) : nullptr;
    if (line != nullptr) source.papi = line->formula;
    sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace

bool Diagnosis::can_profile() const {
  return std::ranges::none_of(findings, [](const Finding& f) { return f.health == Health::kFails; });
}

Diagnosis diagnose(const std::string& program) {
  Diagnosis diagnosis;
  diagnosis.host = read_host();
  const counters::PapiState& papi_state = counters::probe_papi();
  diagnosis.findings = {installation()};
  for (Finding& finding : node_finding()) diagnosis.findings.push_back(std::move(finding));
  diagnosis.findings.push_back(launchers_finding());
  if (!program.empty()) diagnosis.findings.push_back(program_finding(program, diagnosis.host));
  for (const Finding& finding : {cores(diagnosis.host), sampling(), locked_memory(), pmu(), papi(papi_state)}) {
    diagnosis.findings.push_back(finding);
  }
  if (papi_state.loaded) {
    diagnosis.findings.push_back(components(papi_state));
    diagnosis.findings.push_back(presets());
  }
  diagnosis.findings.push_back(valgrind());
  diagnosis.findings.push_back(machine(diagnosis.host));
  diagnosis.metrics = metric_sources(papi_state.counts);
  return diagnosis;
}

}  // namespace scalediag::launch
