#include "collector/counters/machine/machine_measurement.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "collector/counters/machine/machine_cores.h"
#include "collector/counters/machine/machine_kernels.h"
#include "collector/counters/machine/machine_latency.h"
#include "collector/counters/machine/machine_topology.h"
#include "collector/counters/machine/measured_rounds.h"
#include "collector/counters/machine/nominal_frequency.h"
#include "collector/counters/machine/repeated_timing.h"
#include "core/text/formatted.h"
#include "core/text/quantities.h"

namespace scalediag::counters {
namespace {

using core::Machine;
using core::MachineCache;
using core::MachineValue;

constexpr double kMiB = 1048576;
constexpr int kRepeats = 9;       // of decisive values, in a round
constexpr int kCurveRepeats = 3;  // of a point of the curve
constexpr size_t kFewestRounds = 2;
constexpr size_t kMostRounds = 5;
constexpr double kLongest_s = 45;    // of all rounds; those above the fewest are not begun if they would end later
constexpr double kAgreement = 0.05;  // of the two best rounds, with which no more rounds are needed
constexpr double kPointsPerOctave = 4;

// A share of the cores' time that others took is reported from this on: a smaller one is usual on any system.
constexpr double kToldShare = 0.02;

constexpr const char* kNotPinned =
    "threads could not be pinned to their cores, so that several may have shared one: bandwidths and the frequency "
    "of all cores may be too small";

// Restores the CPUs that the caller's thread may run on.
class AffinityGuard {
 public:
  AffinityGuard() { known_ = sched_getaffinity(0, sizeof before_, &before_) == 0; }
  ~AffinityGuard() {
    if (known_) sched_setaffinity(0, sizeof before_, &before_);
  }
  AffinityGuard(const AffinityGuard&) = delete;
  AffinityGuard& operator=(const AffinityGuard&) = delete;

 private:
  cpu_set_t before_{};
  bool known_ = false;
};

// The caches where the system tells none: sizes that most cores of the last years have, marked as assumed.
std::vector<MachineCache> assumed_caches() {
  std::vector<MachineCache> caches(3);
  const double sizes[] = {32768, kMiB, 32 * kMiB};
  const char* const names[] = {"l1", "l2", "llc"};
  for (size_t i = 0; i < caches.size(); ++i) {
    caches[i].name = names[i];
    caches[i].size_bytes = {sizes[i], 0, "assumed: the system does not tell"};
  }
  return caches;
}

// Chooses sets that lie well within a level: half of the first level, and four times the level before for each further
// one, so that nothing of a round is left in that (with twice as much a tenth is, measured on Zen 4). They are hardly
// larger than that, since only a fraction of a shared level may be ours. For memory the set has four times the last
// level's size, within the available memory.
void choose_working_sets(Machine& machine) {
  for (size_t i = 0; i < machine.caches.size(); ++i) {
    const double size = machine.caches[i].size_bytes.value;
    const double before = i == 0 ? 0 : machine.caches[i - 1].size_bytes.value;
    machine.caches[i].working_set_bytes = i == 0 ? size / 2 : std::min(4 * before, std::sqrt(before * size));
  }
  const double last = machine.caches.back().size_bytes.value;
  const double wanted = std::clamp(4 * last, 64 * kMiB, 1024 * kMiB);
  machine.memory_working_set_bytes =
      machine.host.memory_bytes > 0 ? std::min(wanted, machine.host.memory_bytes / 4) : wanted;
}

Status measure_latencies(Machine& machine) {
  const double largest = machine.memory_working_set_bytes;
  LatencyProbe probe = TRY(LatencyProbe::create(static_cast<size_t>(largest), static_cast<size_t>(machine.line_bytes)));
  for (MachineCache& cache : machine.caches) {
    cache.latency_s = probe.latency_s(static_cast<size_t>(cache.working_set_bytes), kRepeats);
  }
  machine.memory_latency_s = probe.latency_s(static_cast<size_t>(largest), kRepeats);
  machine.pages = probe.on_huge_pages() ? "huge" : "small";

  const double smallest = machine.caches.front().size_bytes.value / 4;
  const int n_points = static_cast<int>(std::floor(kPointsPerOctave * std::log2(largest / smallest)));
  for (int i = 0; i <= n_points; ++i) {
    const double bytes = std::floor(smallest * std::exp2(i / kPointsPerOctave));
    machine.latency_curve.emplace_back(bytes, probe.latency_s(static_cast<size_t>(bytes), kCurveRepeats).value);
  }
  return Done{};
}

// The smallest CPI from a measured time: instructions and frequency are known.
MachineValue measure_smallest_cpi(double hz) {
  constexpr uint64_t kBlocks = 100'000;
  constexpr double kInstructions = static_cast<double>(kBlocks * (kAddsPerBlock + kLoopInstructions));
  std::vector<double> values = time_repeats(kRepeats, [] { independent_additions(kBlocks); });
  for (double& v : values) v *= hz / kInstructions;
  return summarize_repeats(std::move(values), "independent additions");
}

Status measure_bandwidths(Machine& machine, const MachineTopology& topology, int cores, Pinning& pinning) {
  const double last = machine.caches.back().size_bytes.value;
  for (const int n : core_counts(cores)) {
    // STREAM demands arrays of four times the cache; all three together of eight times leave nothing of a round in it.
    double bytes = std::max(8 * last * std::min(n, topology.last_level_instances), 96 * kMiB);
    if (machine.host.memory_bytes > 0) bytes = std::min(bytes, machine.host.memory_bytes / 4);
    machine.bandwidth.push_back(
        TRY(measure_bandwidth(topology.cpus, n, static_cast<size_t>(bytes), kRepeats, pinning)));
  }
  return Done{};
}

std::string kibibytes(double bytes) { return std::to_string(std::lround(bytes / 1024)) + " KiB"; }

Error unbelievable(const std::string& what) {
  return {ErrorCode::kEnvironment, what,
          "leave the machine to it (no other programs) and run scalediag machine again; --noisy keeps such values"};
}

}  // namespace

std::vector<int> core_counts(int n) {
  std::vector<int> counts;
  for (int i = 1; i < n; i = n <= 4 ? i + 1 : 2 * i) counts.push_back(i);
  counts.push_back(std::max(n, 1));
  return counts;
}

Status check_machine(Machine& machine, bool accept_disagreement) {
  constexpr double kFarFromSize = 1.5;
  for (const auto& [name, value, smaller_is_better] : measured_values(machine)) {
    if (!(value->value > 0)) return unbelievable("the " + name + " could not be measured");
    if (value->spread > kDisagreement && !accept_disagreement) {
      return unbelievable("measurements of the " + name + " differ by " + core::spaced_percent(value->spread, 0));
    }
    if (value->spread > core::kNoisySpread) {
      machine.warnings.push_back("measurements of the " + name + " differ by " +
                                 core::spaced_percent(value->spread, 0));
    }
  }
  for (size_t i = 0; i < machine.caches.size(); ++i) {
    const bool is_last = i + 1 == machine.caches.size();
    const MachineValue& slower = is_last ? machine.memory_latency_s : machine.caches[i + 1].latency_s;
    if (slower.value > machine.caches[i].latency_s.value) continue;
    return unbelievable(std::string(is_last ? "memory" : machine.caches[i + 1].name) + " came out faster than " +
                        machine.caches[i].name);
  }
  for (const MachineCache& cache : machine.caches) {
    const double size = cache.size_bytes.value;
    const double step = cache.step_bytes;
    if (step > 0 && step <= kFarFromSize * size && size <= kFarFromSize * step) continue;
    machine.warnings.push_back(
        step == 0 ? "no step of latency is seen at the end of " + cache.name + " (" + kibibytes(size) + ")"
                  : "latency rises beyond " + cache.name + " at " + kibibytes(step) + ", its size is " +
                        kibibytes(size) + " (" + cache.size_bytes.source + "): others may share it");
  }
  if (machine.pages == "small") {
    machine.warnings.push_back("no huge pages: latencies of memory and the last level hold address translation");
  }
  return Done{};
}

Status check_others(Machine& machine, const std::optional<OthersOnCpus::Share>& known, bool accept_disturbance) {
  if (!known) {
    machine.warnings.push_back(
        "whether other programs were at work while it was measured is not known: /proc/stat cannot be read");
    return Done{};
  }
  const OthersOnCpus::Share& share = *known;
  const auto cores = [&machine](double part) {
    return core::formatted("%.2f of %d cores", part * machine.host.cores, machine.host.cores);
  };
  const std::string programs = "other programs used " + cores(share.programs) + " while it was measured";
  const std::string stolen = "the hypervisor kept " + cores(share.stolen) + " from this machine while it was measured";
  if (share.programs > kDisturbance && !accept_disturbance) return unbelievable(programs);
  if (share.stolen > kDisturbance && !accept_disturbance) return unbelievable(stolen);
  if (share.programs > kToldShare) machine.warnings.push_back(programs);
  if (share.stolen > kToldShare) machine.warnings.push_back(stolen);
  return Done{};
}

namespace {

// The share of others in the second quietest round, since a value needs two good rounds; empty where the system tells
// of fewer than two rounds.
std::optional<OthersOnCpus::Share> second_quietest(const std::vector<std::optional<OthersOnCpus::Share>>& rounds) {
  std::vector<OthersOnCpus::Share> shares;
  for (const auto& share : rounds) {
    if (share) shares.push_back(*share);
  }
  if (shares.empty() || (shares.size() < 2 && rounds.size() > 1)) return std::nullopt;
  std::ranges::sort(shares, [](const auto& a, const auto& b) { return a.larger() < b.larger(); });
  return shares[std::min<size_t>(1, shares.size() - 1)];
}

// Whether two rounds were quiet as far as is known; where nothing is known, more rounds would not help.
bool were_quiet(const std::vector<std::optional<OthersOnCpus::Share>>& rounds) {
  const auto share = second_quietest(rounds);
  return !share || share->larger() <= kToldShare;
}

// The facts that all rounds share: sizes and values that are looked up.
Machine describe_machine(const MachineRequest& request, const MachineTopology& topology) {
  Machine machine;
  machine.scalediag_version = request.scalediag_version;
  machine.created = request.created;
  machine.host = request.host;
  machine.line_bytes = topology.line_bytes;
  machine.caches = topology.caches.empty() ? assumed_caches() : topology.caches;
  machine.nominal_hz = nominal_frequency(request.host.cpu);
  choose_working_sets(machine);
  return machine;
}

Result<Machine> measure_round(Machine machine, const MachineTopology& topology, int cores, Pinning& pinning,
                              const std::function<void(const std::string&)>& step) {
  const std::vector<int>& cpus = topology.cpus;
  step("frequency");
  machine.sustained_hz = measure_frequency(cpus, 1, kRepeats, pinning);
  machine.sustained_all_cores_hz = measure_frequency(cpus, cores, kRepeats, pinning);
  {
    const AffinityGuard guard;
    pinning.note(pin_to_cpu(cpus.front()));
    machine.smallest_cpi = measure_smallest_cpi(machine.sustained_hz.value);
    step("latency of caches and memory");
    TRY(measure_latencies(machine));
  }
  step("memory bandwidth");
  TRY(measure_bandwidths(machine, topology, cores, pinning));
  return machine;
}

}  // namespace

Result<Machine> measure_machine(const MachineRequest& request) {
  const double begin_s = monotonic_s();
  const auto topology = TRY(read_topology());
  const int cores = std::clamp(request.host.cores, 1, static_cast<int>(topology.cpus.size()));
  const std::vector<int> cpus(topology.cpus.begin(), topology.cpus.begin() + cores);

  const Machine description = describe_machine(request, topology);
  std::vector<Machine> rounds;
  std::vector<std::optional<OthersOnCpus::Share>> shares;
  Pinning pinning;
  const auto is_time_for_another = [&] {
    const size_t n = rounds.size();
    if (n < kFewestRounds || n >= kMostRounds) return n < kFewestRounds;
    const double a_round_s = (monotonic_s() - begin_s) / static_cast<double>(n);
    return static_cast<double>(n + 1) * a_round_s < kLongest_s;
  };
  // Rounds that were disturbed in the same way agree as well, so that two rounds that agree are not enough.
  while (is_time_for_another() && !(rounds_agree(rounds, kAgreement) && were_quiet(shares))) {
    const std::string number = ", round " + std::to_string(rounds.size() + 1);
    const OthersOnCpus others(cpus);
    auto round = measure_round(description, topology, cores, pinning, [&](const std::string& what) {
      if (request.on_step) request.on_step(what + number);
    });
    if (!round) return round.error();
    rounds.push_back(std::move(round).value());
    shares.push_back(others.since_begin());
  }
  Machine machine = combine_rounds(rounds);
  TRY(check_machine(machine, request.accept_disagreement));
  TRY(check_others(machine, second_quietest(shares), request.accept_disagreement));
  if (pinning.refused()) machine.warnings.push_back(kNotPinned);
  machine.elapsed_s = monotonic_s() - begin_s;
  return machine;
}

}  // namespace scalediag::counters
