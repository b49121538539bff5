#include "loggp/phases/program_phases.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "core/text/join.h"
#include "loggp/phases/absences.h"

namespace scalediag::loggp {
namespace {

constexpr double kRelevantShare = 0.95;

double time_at(const Slot& slot, int ranks) {
  double sum = 0;
  each_leaf({slot}, [&](const Slot& leaf) {
    for (const auto& [where, values] : leaf.seen) {
      if (where.first == ranks) sum += values.times * values.before_ns;
    }
  });
  return sum;
}

std::map<int, double> most_rounds(const Slot& loop) {
  std::map<int, double> most;
  for (const auto& [where, rounds] : loop.rounds) most[where.first] = std::max(most[where.first], rounds);
  return most;
}

// The same by the equations, at the target: ranks at the ends and in the middle are looked at.
double most_rounds_at_target(const ScalingModel& model, const SlotEquations& loop) {
  double most = 0;
  for (const int rank : {0, model.target / 2, model.target - 1}) {
    most = std::max(most, loop.rounds.at(model.target, rank));
  }
  return most;
}

// The reasons of all loops around an event, which hold for all events inside.
struct LoopReasons {
  std::vector<std::string> why_not, open;

  void add(const SlotEquations& e) {
    why_not.insert(why_not.end(), e.why_not.begin(), e.why_not.end());
    open.insert(open.end(), e.open.begin(), e.open.end());
  }
};

void collect_phases(const ScalingModel& model, const std::vector<Slot>& slots, const std::map<int, double>& weight,
                    double target_weight, const LoopReasons& outside, std::vector<ProgramPhase>& phases) {
  bool goes_on = false;
  for (const Slot& slot : slots) {
    const SlotEquations& e = model.equations.at(slot.id);
    if (slot.is_loop) {
      std::map<int, double> inside = weight;
      const auto rounds = most_rounds(slot);
      for (auto& [ranks, times] : inside) {
        const auto found = rounds.find(ranks);
        times = found == rounds.end() ? 0 : times * found->second;
      }
      LoopReasons reasons = outside;
      reasons.add(e);
      collect_phases(model, slot.body, inside, target_weight * most_rounds_at_target(model, e), reasons, phases);
      goes_on = false;
      continue;
    }
    if (!goes_on) phases.push_back({{}, weight, target_weight, 0, false, {}, {}, outside.why_not, outside.open});
    goes_on = true;
    ProgramPhase& phase = phases.back();
    phase.slots.push_back(&slot);
    phase.share += time_at(slot, model.scales.back());
    for (const std::string& why : e.why_not) phase.why_not.push_back(slot.routine + ": " + why);
    for (const std::string& open : e.open) phase.open.push_back(slot.routine + ": " + open);
  }
}

}  // namespace

std::vector<ProgramPhase> phases_of(const ScalingModel& model) {
  std::map<int, double> once;
  for (const int ranks : model.scales) once[ranks] = 1;
  std::vector<ProgramPhase> phases;
  collect_phases(model, model.slots, once, 1, {}, phases);
  double total = 0;
  for (const ProgramPhase& phase : phases) total += phase.share;
  std::vector<size_t> order(phases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return phases[a].share > phases[b].share; });
  double covered = 0;
  for (const size_t i : order) {
    if (total > 0) phases[i].share /= total;
    phases[i].relevant = covered < kRelevantShare;
    covered += phases[i].share;
  }
  return phases;
}

std::string place_of(const ScalingModel& model, int slot) {
  int number = 0;
  for (const ProgramPhase& phase : phases_of(model)) {
    ++number;
    for (const Slot* one : phase.slots) {
      if (one->id == slot) return one->routine + " of phase " + std::to_string(number);
    }
  }
  return "";
}

std::optional<MainLoop> main_loop_of(const ScalingModel& model) {
  const Slot* longest = nullptr;
  double most = 0;
  const int ranks = model.scales.back();
  for (const Slot& slot : model.slots) {
    if (!slot.is_loop) continue;
    bool shared = true;
    for (int r = 0; r < ranks; ++r) shared = shared && is_seen_on(slot, {ranks, r});
    const double time = time_at(slot, ranks);
    if (!shared || (longest != nullptr && time <= most)) continue;
    longest = &slot;
    most = time;
  }
  if (longest == nullptr) return std::nullopt;
  MainLoop loop;
  loop.iterations = most_rounds(*longest);
  for (const auto& [scale, rounds] : loop.iterations) {
    if (rounds > 0) loop.iteration_s[scale] = time_at(*longest, scale) / rounds / scale * 1e-9;
  }
  return loop;
}

std::vector<Uncertainty> uncertainties_of(const ScalingModel& model) {
  struct Where {
    std::vector<std::string> places;
    uint64_t events = 0;
  };
  std::map<std::pair<bool, std::string>, Where> by_reason;
  const auto note = [&by_reason](bool is_irregular, const std::string& reason, const std::string& place, uint64_t n) {
    Where& where = by_reason[{is_irregular, reason}];
    if (std::find(where.places.begin(), where.places.end(), place) == where.places.end()) where.places.push_back(place);
    where.events += n;
  };
  int number = 0;
  for (const ProgramPhase& phase : phases_of(model)) {
    const std::string place = "phase " + std::to_string(++number);
    uint64_t all = 0;
    for (const Slot* slot : phase.slots) {
      const SlotEquations& e = model.equations.at(slot->id);
      const uint64_t its_events = slot->events_at(model.scales.back());
      for (const std::string& why : e.why_not) note(true, why, slot->routine + " of " + place, its_events);
      for (const std::string& open : e.open) note(false, open, slot->routine + " of " + place, its_events);
      all += its_events;
    }
    // The reasons of the loops around a phase hold for all of its events.
    for (const std::string& why : phase.loop_why_not) note(true, why, place, all);
    for (const std::string& open : phase.loop_open) note(false, open, place, all);
  }
  constexpr size_t kNamed = 3;
  std::vector<Uncertainty> all;
  for (const auto& [key, where] : by_reason) {
    const size_t named = std::min(where.places.size(), kNamed);
    const std::string more =
        where.places.size() > named ? " and " + std::to_string(where.places.size() - named) + " more" : "";
    all.push_back(
        {core::join(std::span(where.places).first(named)) + more + ": " + key.second, key.first, where.events});
  }
  std::stable_sort(all.begin(), all.end(), [](const Uncertainty& a, const Uncertainty& b) {
    return a.is_irregular != b.is_irregular ? a.is_irregular : a.events > b.events;
  });
  return all;
}

}  // namespace scalediag::loggp
