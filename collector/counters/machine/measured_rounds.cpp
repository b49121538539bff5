#include "collector/counters/machine/measured_rounds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "collector/counters/machine/latency_steps.h"

namespace scalediag::counters {
namespace {

std::vector<core::MachineValue> values_of_rounds(std::vector<core::Machine>& rounds, size_t i) {
  std::vector<core::MachineValue> values;
  for (core::Machine& round : rounds) values.push_back(*measured_values(round)[i].value);
  return values;
}

// The distance of the second best value from the best, relative to the best.
double distance_of_second(std::vector<core::MachineValue> rounds, bool smaller_is_better) {
  std::ranges::sort(rounds, [&](const core::MachineValue& a, const core::MachineValue& b) {
    return smaller_is_better ? a.value < b.value : a.value > b.value;
  });
  return rounds[0].value == 0 ? 0 : std::abs(rounds[1].value - rounds[0].value) / rounds[0].value;
}

// Sets one frequency for all rounds: CPI is a time times the frequency, and a round whose frequency is too small would
// have a CPI that is too small.
std::vector<core::Machine> with_common_frequency(std::vector<core::Machine> rounds) {
  double hz = 0;
  for (const core::Machine& round : rounds) hz = std::max(hz, round.sustained_hz.value);
  for (core::Machine& round : rounds) {
    if (round.sustained_hz.value > 0) round.smallest_cpi.value *= hz / round.sustained_hz.value;
  }
  return rounds;
}

void find_steps(core::Machine& machine) {
  std::vector<double> plateaus;
  for (const core::MachineCache& cache : machine.caches) plateaus.push_back(cache.latency_s.value);
  plateaus.push_back(machine.memory_latency_s.value);
  const std::vector<double> steps = find_latency_steps(machine.latency_curve, plateaus);
  for (size_t i = 0; i < machine.caches.size(); ++i) machine.caches[i].step_bytes = steps[i];
}

}  // namespace

std::vector<MeasuredValue> measured_values(core::Machine& machine) {
  std::vector<MeasuredValue> values = {{"frequency of one core", &machine.sustained_hz, false},
                                       {"frequency of all cores", &machine.sustained_all_cores_hz, false},
                                       {"smallest CPI", &machine.smallest_cpi, true}};
  for (core::MachineCache& cache : machine.caches) {
    values.push_back({"latency of " + cache.name, &cache.latency_s, true});
  }
  values.push_back({"latency of memory", &machine.memory_latency_s, true});
  for (core::MachineBandwidth& b : machine.bandwidth) {
    const std::string cores = std::to_string(b.cores) + (b.cores == 1 ? " core" : " cores");
    values.push_back({"bandwidth of " + cores, &b.bytes_per_s, false});
  }
  return values;
}

core::MachineValue best_of_rounds(const std::vector<core::MachineValue>& rounds, bool smaller_is_better) {
  core::MachineValue best = rounds.front();
  for (const core::MachineValue& round : rounds) {
    if (smaller_is_better ? round.value < best.value : round.value > best.value) best = round;
  }
  if (rounds.size() > 1) best.spread = std::max(best.spread, distance_of_second(rounds, smaller_is_better));
  return best;
}

core::Machine combine_rounds(const std::vector<core::Machine>& measured) {
  std::vector<core::Machine> rounds = with_common_frequency(measured);
  core::Machine machine = measured.front();
  const std::vector<MeasuredValue> values = measured_values(machine);
  for (size_t i = 0; i < values.size(); ++i) {
    *values[i].value = best_of_rounds(values_of_rounds(rounds, i), values[i].smaller_is_better);
  }
  for (const core::Machine& round : rounds) {
    for (size_t i = 0; i < machine.bandwidth.size(); ++i) {
      double& best = machine.bandwidth[i].best_bytes_per_s;
      best = std::max(best, round.bandwidth[i].best_bytes_per_s);
    }
    for (size_t i = 0; i < machine.latency_curve.size(); ++i) {
      double& latency_s = machine.latency_curve[i].second;
      latency_s = std::min(latency_s, round.latency_curve[i].second);
    }
    // Where any round had small pages, the best value may be of that round.
    if (round.pages == "small") machine.pages = "small";
  }
  find_steps(machine);
  return machine;
}

bool rounds_agree(const std::vector<core::Machine>& measured, double tolerance) {
  if (measured.size() < 2) return false;
  std::vector<core::Machine> rounds = with_common_frequency(measured);
  const std::vector<MeasuredValue> values = measured_values(rounds.front());
  for (size_t i = 0; i < values.size(); ++i) {
    if (distance_of_second(values_of_rounds(rounds, i), values[i].smaller_is_better) > tolerance) return false;
  }
  return true;
}

}  // namespace scalediag::counters
