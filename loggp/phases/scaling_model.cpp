#include "loggp/phases/scaling_model.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "loggp/phases/slot_folding.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

constexpr double kRelevantShare = 0.95;

template <class Visit>
void each_leaf(const std::vector<Slot>& slots, Visit visit) {
  for (const Slot& slot : slots) {
    if (slot.is_loop) {
      each_leaf(slot.body, visit);
    } else {
      visit(slot);
    }
  }
}

void restrict_to(const RelationSet& possible, std::vector<Slot>& slots) {
  for (Slot& slot : slots) {
    restrict_to(possible, slot.body);
    slot.peer &= possible;
    slot.source &= possible;
  }
}

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

void collect_phases(const ScalingModel& model, const std::vector<Slot>& slots, const std::map<int, double>& weight,
                    std::vector<std::string> why_not, std::vector<ProgramPhase>& phases) {
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
      std::vector<std::string> reasons = why_not;
      reasons.insert(reasons.end(), e.why_not.begin(), e.why_not.end());
      collect_phases(model, slot.body, inside, reasons, phases);
      goes_on = false;
      continue;
    }
    if (!goes_on) phases.push_back({{}, weight, 0, false, why_not});
    goes_on = true;
    ProgramPhase& phase = phases.back();
    phase.slots.push_back(&slot);
    phase.share += time_at(slot, model.scales.back());
    for (const std::string& why : e.why_not) phase.why_not.push_back(slot.routine + ": " + why);
  }
}

}  // namespace

core::Result<ScalingModel> model_of(const std::vector<std::vector<RankTrace>>& scales, int target) {
  const auto wrong = [](const std::string& what, const std::string& hint) {
    return core::Error{core::ErrorCode::kInput, what, hint, ""};
  };
  std::vector<const std::vector<RankTrace>*> sorted;
  for (const auto& traces : scales) sorted.push_back(&traces);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->size() > b->size(); });
  if (sorted.size() < 2) {
    return wrong("one number of ranks says nothing about others",
                 "record several: `scalediag profile --trace -n 2,4,8,16 -- APP`");
  }
  ScalingModel model;
  model.executable = sorted.front()->front().executable;
  model.mpi_version = sorted.front()->front().mpi_version;
  RelationSet possible;
  possible.set();
  const auto is_power_of_two = [](size_t n) { return (n & (n - 1)) == 0; };
  if ((target > 0 && !is_power_of_two(static_cast<size_t>(target))) ||
      !std::all_of(sorted.begin(), sorted.end(), [&](const auto* traces) { return is_power_of_two(traces->size()); })) {
    for (size_t i = 0; i < vocabulary().size(); ++i) {
      const RelationKind kind = vocabulary()[i].kind;
      possible[i] = kind != RelationKind::kExchangeLow && kind != RelationKind::kExchangeHigh;
    }
  }
  std::vector<Absences> absences;
  std::vector<ValueSample> tails;
  int next_id = 0;
  for (const auto* traces : sorted) {
    for (const RankTrace& trace : *traces) {
      if (!trace.incomplete.empty())
        return wrong(trace.incomplete, "record the program again, until it ends by itself");
      if (trace.executable != model.executable) {
        return wrong("the traces are of different programs: " + model.executable + " and " + trace.executable,
                     "record all numbers of ranks of one program in one experiment folder");
      }
      std::vector<Slot> slots = folded(slots_of(trace, next_id), next_id);
      restrict_to(possible, slots);
      auto joined = join(std::move(model.slots), std::move(slots));
      if (!joined) return joined.error();
      model.slots = std::move(joined.value());
      tails.push_back({static_cast<int>(trace.size), static_cast<int>(trace.rank), static_cast<double>(trace.tail_ns)});
    }
    absences.emplace_back(static_cast<int>(traces->size()));
    absences.back().settle(model.slots);
    model.scales.push_back(static_cast<int>(traces->size()));
  }
  std::reverse(model.scales.begin(), model.scales.end());
  std::reverse(absences.begin(), absences.end());
  model.tail_ns = power_hypothesis(tails);
  std::vector<std::vector<bool>> all;
  for (const int ranks : model.scales) all.emplace_back(static_cast<size_t>(ranks), true);
  Equations(model, absences).of(model.slots, all);
  each_leaf(model.slots, [&](const Slot& slot) {
    for (const auto& [where, values] : slot.seen) {
      if (where.first != model.scales.back()) continue;
      model.events += static_cast<uint64_t>(values.times);
      if (model.equations.at(slot.id).why_not.empty()) model.regular_events += static_cast<uint64_t>(values.times);
    }
  });
  return model;
}

std::vector<ProgramPhase> phases_of(const ScalingModel& model) {
  std::map<int, double> once;
  for (const int ranks : model.scales) once[ranks] = 1;
  std::vector<ProgramPhase> phases;
  collect_phases(model, model.slots, once, {}, phases);
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

std::string text_of(const Slot& slot, const SlotEquations& e) {
  std::string text = slot.routine;
  if (slot.receives_too()) {
    if (e.peer) text += " to " + text_of(vocabulary()[*e.peer]) + ": " + e.bytes.formula() + " B";
    if (e.source) text += " from " + text_of(vocabulary()[*e.source]) + ": " + e.source_bytes.formula() + " B";
  } else if (e.peer) {
    text += " with " + text_of(vocabulary()[*e.peer]) + ": " + e.bytes.formula() + " B";
  } else if (slot.kind == EventKind::kCollective || slot.kind == EventKind::kExchange) {
    text += " of " + (e.communicator ? text_of_communicator(*e.communicator) : std::string("a communicator")) + ": " +
            e.bytes.formula() + " B";
  }
  return text;
}

}  // namespace scalediag::loggp
