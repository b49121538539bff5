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

std::string rank_text(const RankOfScale& where) {
  return "rank " + std::to_string(where.second) + " of " + std::to_string(where.first);
}

bool is_seen_at(const Slot& slot, int ranks) {
  if (!slot.is_loop) {
    const auto at = slot.seen.lower_bound({ranks, 0});
    return at != slot.seen.end() && at->first.first == ranks;
  }
  return std::any_of(slot.body.begin(), slot.body.end(), [&](const Slot& s) { return is_seen_at(s, ranks); });
}

bool is_seen_on(const Slot& slot, const RankOfScale& where) {
  if (!slot.is_loop) return slot.seen.count(where) > 0;
  return std::any_of(slot.body.begin(), slot.body.end(), [&](const Slot& s) { return is_seen_on(s, where); });
}

// Holds the absence of events against the equations of partners, a scale at a time.
class Absences {
 public:
  explicit Absences(int ranks) : ranks_(ranks) {
    for (int r = 0; r < ranks; ++r) nobody_.push_back(relations_between(ranks, r, kNobody));
  }

  // Keeps the equations that say nobody for all ranks that do not have the event, where there are any; a loop that a
  // rank does not have although its events have partners goes round no times there.
  void settle(std::vector<Slot>& slots) {
    for (Slot& slot : slots) settle(slot, std::vector<bool>(nobody_.size(), true));
  }

  // The first rank without the event for which the equation names a partner.
  std::optional<int> unexplained(const Slot& slot, const SlotEquations& e, const std::vector<bool>& runs) const {
    for (int r = 0; r < ranks_; ++r) {
      if (!runs[static_cast<size_t>(r)] || slot.seen.count({ranks_, r}) > 0) continue;
      const auto talks = [&](const std::optional<size_t>& relation) {
        return relation && !nobody_[static_cast<size_t>(r)][*relation];
      };
      if (talks(e.peer) || talks(e.source)) return r;
    }
    return std::nullopt;
  }

  // The ranks that run the body of a loop.
  std::vector<bool> running(const Slot& loop, const std::vector<bool>& outside) const {
    std::vector<bool> runs = outside;
    for (int r = 0; r < ranks_; ++r) {
      const auto found = loop.rounds.find({ranks_, r});
      if (found != loop.rounds.end() && found->second == 0) runs[static_cast<size_t>(r)] = false;
    }
    return runs;
  }

 private:
  bool may_be_nobody(const Slot& slot, size_t rank) const {
    if (slot.is_loop) {
      return std::all_of(slot.body.begin(), slot.body.end(), [&](const Slot& s) { return may_be_nobody(s, rank); });
    }
    if (slot.kind == EventKind::kWait) return true;
    if (!slot.talks()) return false;
    return (slot.peer & nobody_[rank]).any() && (!slot.receives_too() || (slot.source & nobody_[rank]).any());
  }

  void settle(Slot& slot, const std::vector<bool>& outside) {
    std::vector<bool> runs = outside;
    if (slot.is_loop) {
      for (size_t r = 0; r < nobody_.size(); ++r) {
        const RankOfScale where(ranks_, static_cast<int>(r));
        if (!runs[r] || is_seen_on(slot, where) || may_be_nobody(slot, r)) continue;
        slot.rounds[where] = 0;
        runs[r] = false;
      }
      for (Slot& inner : slot.body) settle(inner, runs);
      return;
    }
    if (!slot.talks()) return;
    const bool both = slot.receives_too();
    RelationSet peer = slot.peer, source = slot.source;
    for (size_t r = 0; r < nobody_.size(); ++r) {
      if (!runs[r] || slot.seen.count({ranks_, static_cast<int>(r)}) > 0) continue;
      peer &= nobody_[r];
      if (both) source &= nobody_[r];
    }
    if (peer.none() || (both && source.none())) return;
    slot.peer = peer;
    slot.source = source;
  }

  int ranks_;
  std::vector<RelationSet> nobody_;
};

template <size_t kSize>
std::optional<size_t> first_of(const std::bitset<kSize>& set) {
  for (size_t i = 0; i < kSize; ++i) {
    if (set[i]) return i;
  }
  return std::nullopt;
}

class Equations {
 public:
  Equations(ScalingModel& model, const std::vector<Absences>& absences) : model_(model), absences_(absences) {
    vote(model.slots);
  }

  void of(const std::vector<Slot>& slots, const std::vector<std::vector<bool>>& runs) {
    for (const Slot& slot : slots) {
      SlotEquations& e = model_.equations[slot.id];
      if (!slot.is_loop) {
        leaf(slot, e, runs);
        continue;
      }
      std::vector<ValueSample> samples;
      for (const auto& [where, rounds] : slot.rounds) samples.push_back({where.first, where.second, rounds});
      e.rounds = hypothesis(samples, slot, "repetitions", e.why_not);
      std::vector<std::vector<bool>> inside;
      for (size_t s = 0; s < absences_.size(); ++s) inside.push_back(absences_[s].running(slot, runs[s]));
      of(slot.body, inside);
    }
  }

 private:
  // Counts the slots whose partners can be told in each grid: a program has one.
  void vote(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      vote(slot.body);
      if (!slot.talks()) continue;
      std::array<bool, kGridKinds> can{};
      for (size_t i = 0; i < vocabulary().size(); ++i) {
        if (slot.peer[i]) can[static_cast<size_t>(vocabulary()[i].grid)] = true;
      }
      for (size_t g = 0; g < can.size(); ++g) votes_[g] += can[g] ? 1 : 0;
    }
  }

  // Of the equations that hold, the first in the grid that most slots can be told in.
  std::optional<size_t> chosen(const RelationSet& set) const {
    std::optional<size_t> best;
    const auto votes = [&](size_t i) { return votes_[static_cast<size_t>(vocabulary()[i].grid)]; };
    for (size_t i = 0; i < vocabulary().size(); ++i) {
      if (set[i] && (!best || votes(i) > votes(*best))) best = i;
    }
    return best;
  }

  ValueHypothesis hypothesis(const std::vector<ValueSample>& samples, const Slot& slot, const char* what,
               std::vector<std::string>& why_not, GridKind grid = GridKind::kLine) const {
    if (auto exact = exact_value_hypothesis(samples, grid)) return *exact;
    // The first number that a constant does not meet says where to look.
    const auto other = std::find_if(samples.begin(), samples.end(),
                                    [&](const ValueSample& s) { return s.value != samples.front().value; });
    const auto text = [&](const ValueSample& s) {
      return std::to_string(static_cast<int64_t>(s.value)) + " on " + rank_text({s.ranks, s.rank});
    };
    why_not.push_back(std::string("no equation gives its ") + what + ": " + text(samples.front()) +
                      (other != samples.end() ? ", " + text(*other) : "") +
                      (slot.is_loop ? "" : ", event " + std::to_string(slot.seen.begin()->second.event)));
    return power_hypothesis(samples);
  }

  void leaf(const Slot& slot, SlotEquations& e, const std::vector<std::vector<bool>>& runs) const {
    std::vector<ValueSample> bytes, source_bytes, roots, before;
    std::vector<TagSample> tags;
    for (const auto& [where, values] : slot.seen) {
      const auto sample = [&where = where](double value) { return ValueSample{where.first, where.second, value}; };
      if (!slot.receives_too() || values.peer != kNobody) bytes.push_back(sample(values.bytes));
      if (slot.receives_too()) source_bytes.push_back(sample(values.source_bytes));
      roots.push_back(sample(values.root));
      before.push_back(sample(values.before_ns));
      for (size_t k = 0; k < values.tags.size(); ++k) {
        tags.push_back({where.first, where.second, static_cast<int>(k), values.tags[k]});
      }
    }
    e.before_ns = power_hypothesis(before);
    e.communicator = first_of(slot.communicator);
    if (slot.kind == EventKind::kWait) return;
    if (slot.kind == EventKind::kNotReplayed) {
      e.why_not.push_back(std::string(text_of(slot.reason)) + " is recorded without its partners");
      return;
    }
    if (slot.talks()) {
      e.peer = chosen(slot.peer);
      if (slot.receives_too()) e.source = chosen(slot.source);
    }
    const GridKind grid = e.peer ? vocabulary()[*e.peer].grid : GridKind::kLine;
    e.bytes = bytes.empty() ? ValueHypothesis::constant(0) : hypothesis(bytes, slot, "bytes", e.why_not, grid);
    if (slot.receives_too()) e.source_bytes = hypothesis(source_bytes, slot, "bytes received", e.why_not, grid);
    if (slot.kind == EventKind::kCollective) e.root = hypothesis(roots, slot, "root", e.why_not);
    if (slot.talks()) {
      if (const auto tag = tag_hypothesis(tags)) {
        e.tag = *tag;
      } else {
        e.why_not.push_back("no equation gives its tag");
      }
    }
    if (slot.kind == EventKind::kExchange) {
      e.why_not.push_back("the bytes for each partner depend on the rank; all are given the mean");
    }
    if (!e.communicator) e.why_not.push_back("no equation gives its communicator");
    for (size_t s = 0; s < absences_.size(); ++s) {
      const int ranks = model_.scales[s];
      std::optional<int> missing;
      if (slot.talks()) {
        missing = absences_[s].unexplained(slot, e, runs[s]);
      } else {
        for (int r = 0; r < ranks && !missing; ++r) {
          if (runs[s][static_cast<size_t>(r)] && slot.seen.count({ranks, r}) == 0) missing = r;
        }
      }
      if (!missing) continue;
      const auto& [where, values] = *slot.seen.begin();
      e.why_not.push_back(rank_text(where) + " has it as its event " + std::to_string(values.event) + ", " +
                          rank_text({ranks, *missing}) + " does not" +
                          (e.peer ? ", where " + text_of(vocabulary()[*e.peer]) + " is a rank" : ""));
      break;
    }
  }

  ScalingModel& model_;
  const std::vector<Absences>& absences_;
  std::array<int, kGridKinds> votes_ = {};
};

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
