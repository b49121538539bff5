#include "loggp/phases/scaling_model.h"

#include <algorithm>
#include <future>
#include <set>
#include <span>
#include <utility>

#include "core/equations/process_grid.h"
#include "core/parallel.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "loggp/phases/computation/computations.h"
#include "loggp/phases/end_slots.h"
#include "loggp/phases/grid_agreement.h"
#include "loggp/phases/messages/neighbourhood.h"
#include "loggp/phases/partner_pairing.h"
#include "loggp/phases/slot_folding.h"
#include "loggp/phases/slot_order.h"
#include "loggp/phases/unseen_levels.h"

namespace scalediag::loggp {
namespace {

constexpr size_t kMostSteps = 150'000;  // of a rank once folded: slots of more take some 20 kB each

void restrict_to(const RelationSet& possible, std::vector<Slot>& slots) {
  for (Slot& slot : slots) {
    restrict_to(possible, slot.body);
    slot.peer &= possible;
    slot.source &= possible;
  }
}

void count_events(ScalingModel& model, const std::vector<Slot>& slots, bool is_regular, bool is_certain,
                  bool is_placed) {
  for (const Slot& slot : slots) {
    const SlotEquations& e = model.equations.at(slot.id);
    const bool regular = is_regular && e.why_not.empty();
    const bool certain = is_certain && regular && e.open.empty();
    const bool placed = is_placed && e.why_not.size() == e.unknown_bytes;
    count_events(model, slot.body, regular, certain, placed);
    const uint64_t events = slot.is_loop ? 0 : slot.events_at(model.scales.back());
    model.events += events;
    if (regular) model.regular_events += events;
    if (certain) model.certain_events += events;
    if (placed) model.placed_events += events;
  }
}

core::Error input_error(const std::string& what, const std::string& hint) {
  return {core::ErrorCode::kInput, what, hint, ""};
}

core::Error incomplete_error(const RankTrace& trace) {
  return input_error(trace.incomplete, "record the program again, until it ends by itself");
}

size_t count_of(const std::vector<TraceStep>& steps) {
  size_t all = steps.size();
  for (const TraceStep& step : steps) all += count_of(step.body);
  return all;
}

// The error of traces, or of a target, that cannot be used.
std::optional<core::Error> refused(const std::vector<const std::vector<RankTrace>*>& largest_first, int target) {
  if (largest_first.empty() || largest_first.front()->size() == largest_first.back()->size()) {
    return input_error("one number of ranks says nothing about others",
                       "record several: `scalediag profile --trace -n 2,4,8,16 -- APP`");
  }
  const int largest = static_cast<int>(largest_first.front()->size());
  if (target <= largest) {
    return input_error(
        "traces of " + std::to_string(largest) + " ranks give those of more ranks, not of " + std::to_string(target),
        "name a larger number with --np; `scalediag scale` and `scalediag phases` can leave recorded runs out");
  }
  const std::string& program = largest_first.front()->front().executable;
  for (const auto* traces : largest_first) {
    for (const RankTrace& trace : *traces) {
      if (!trace.incomplete.empty()) return incomplete_error(trace);
      if (const size_t steps = count_of(trace.steps); steps > kMostSteps) {
        return input_error(
            "the traces are too long to be held against each other: rank " + std::to_string(trace.rank) + " of " +
                std::to_string(trace.size) + " has " + std::to_string(steps) + " events once folded, of at most " +
                std::to_string(kMostSteps),
            "record a run of at most one in " + std::to_string(1 + steps / kMostSteps) + " of the iterations");
      }
      if (trace.executable == program) continue;
      return input_error("the traces are of different programs: " + program + " and " + trace.executable,
                         "record all numbers of ranks of one program in one experiment folder");
    }
  }
  return std::nullopt;
}

RelationSet possible_relations(const std::vector<const std::vector<RankTrace>*>& scales, int target) {
  const auto is_power_of_two = [](size_t n) { return (n & (n - 1)) == 0; };
  RelationSet possible;
  possible.set();
  if (is_power_of_two(static_cast<size_t>(target)) &&
      std::all_of(scales.begin(), scales.end(), [&](const auto* traces) { return is_power_of_two(traces->size()); })) {
    return possible;
  }
  for (size_t i = 0; i < vocabulary().size(); ++i) {
    const RelationKind kind = vocabulary()[i].kind;
    possible[i] = kind != RelationKind::kExchangeLow && kind != RelationKind::kExchangeHigh &&
                  vocabulary()[i].grid != core::GridKind::kSpaceBisected && !is_coarse(vocabulary()[i]);
  }
  return possible;
}

// What is taken for rounds of a loop.
enum class Rounds {
  kAsRecorded,
  kInTurn,       // as recorded, but for the order of exchanges (exchange_order.h)
  kPairsApart,   // no two that follow one another
  kInterrupted,  // also those between which collectives stand, which come behind all of them
  kTurning       // also those with different tags and bytes (`turns` of join())
};

std::vector<Slot> slots_with(Rounds rounds, const RankTrace& trace, bool is_one_of_several,
                             const std::optional<Neighbourhood>& neighbourhood, int& next_id) {
  const auto slots_in = [&](const RankTrace& as_taken) {
    std::vector<Slot> slots = slots_of(as_taken, next_id);
    if (!is_one_of_several) return slots;
    keep_exchanges_of_butterflies(slots);
    if (neighbourhood) keep_neighbours(*neighbourhood, slots);
    return with_turns_as_one(std::move(slots));
  };
  if (rounds == Rounds::kPairsApart) return slots_in(with_pairs_unrolled(trace));
  if (rounds == Rounds::kInterrupted) {
    return folded(with_interruptions_behind(slots_in(trace), next_id), next_id, false);
  }
  const bool turns = rounds == Rounds::kTurning;
  return folded(slots_in(turns ? with_short_loops_unrolled(trace) : trace), next_id, turns);
}

// The model with its slots and their equations. `may_be_in_turn`: is told whether kInTurn may give others.
core::Result<ScalingModel> with_structure(ScalingModel model,
                                          const std::vector<const std::vector<RankTrace>*>& largest_first,
                                          Rounds rounds, bool* may_be_in_turn = nullptr) {
  ExchangesInTurn in_turn{rounds == Rounds::kInTurn};
  const RelationSet possible = possible_relations(largest_first, model.target);
  auto neighbourhood = neighbourhood_of(largest_first);
  const auto is_possible = [&](size_t relation) { return possible[relation]; };
  if (neighbourhood && !std::all_of(neighbourhood->relation.begin(), neighbourhood->relation.end(), is_possible)) {
    neighbourhood.reset();
  }
  std::vector<Absences> absences;
  std::vector<ValueSample> tails;
  int next_id = 0;
  for (const auto* traces : largest_first) {
    // Ranks with the most different messages first: those between others know the order of all of them.
    std::vector<std::pair<size_t, const RankTrace*>> order;
    for (const RankTrace& trace : *traces) {
      const auto n = std::count_if(trace.events.begin(), trace.events.end(), [](const TraceEvent& e) {
        return e.kind != trace::EventKind::kCollective && e.kind != trace::EventKind::kExchange;
      });
      order.emplace_back(static_cast<size_t>(n), &trace);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [n, next] : order) {
      const RankTrace& trace = *next;
      std::vector<Slot> slots = slots_with(rounds, trace, largest_first.size() > 1, neighbourhood, next_id);
      restrict_to(possible, slots);
      auto joined = join(std::move(model.slots), std::move(slots), rounds == Rounds::kTurning, &in_turn);
      if (!joined) return joined.error();
      model.slots = std::move(joined.value());
      tails.push_back({static_cast<int>(trace.size), static_cast<int>(trace.rank), static_cast<double>(trace.tail_ns)});
    }
    absences.emplace_back(static_cast<int>(traces->size()));
    absences.back().settle(model.slots);
  }
  if (may_be_in_turn != nullptr) *may_be_in_turn = in_turn.are_found;
  std::reverse(absences.begin(), absences.end());
  separate_ends(model.slots, absences);
  // What one rank computes is often after its last event, since it has few: it is left out where others tell enough.
  if (largest_first.size() > 2) std::erase_if(tails, [](const ValueSample& tail) { return tail.ranks == 1; });
  model.tail_ns = divided_hypothesis(tails, 1);
  ProgramEquations equations = equations_of(model.slots, absences, model.target);
  model.equations = std::move(equations.slots);
  model.grid = equations.grid;
  settle_computations(model.slots, model.scales, model.grid, model.equations);
  order_unseen_pairs(model.slots, model.equations, model.target);
  tell_unseen_levels(model.slots, model.scales, model.target, model.equations);
  count_events(model, model.slots, true, true, true);
  return model;
}

// The model with the rounds that explain most: first who talks to whom, then how many bytes, then which messages have
// partners.
core::Result<ScalingModel> with_best_rounds(const ScalingModel& model,
                                            const std::vector<const std::vector<RankTrace>*>& largest_first,
                                            const CountUnmatched& count_unmatched) {
  bool may_be_in_turn = false;
  auto best = with_structure(model, largest_first, Rounds::kAsRecorded, &may_be_in_turn);
  if (!best) return best;
  uint64_t unmatched = count_unmatched(best.value());
  const auto is_best = [&] { return best.value().regular_events == best.value().events && unmatched == 0; };
  if (is_best()) return best;
  const bool may_turn = std::all_of(model.scales.begin(), model.scales.end(), core::is_square);
  auto turning =
      std::async(core::beside_if(may_turn), [&] { return with_structure(model, largest_first, Rounds::kTurning); });
  for (const Rounds rounds : {Rounds::kInTurn, Rounds::kPairsApart, Rounds::kInterrupted, Rounds::kTurning}) {
    if (is_best()) break;
    if (rounds == Rounds::kInTurn && !may_be_in_turn) continue;
    if (rounds == Rounds::kTurning && !may_turn) break;
    auto other = rounds == Rounds::kTurning ? turning.get() : with_structure(model, largest_first, rounds);
    if (!other) continue;
    const auto explained = [](const ScalingModel& m) { return std::pair(m.placed_events, m.regular_events); };
    const auto ours = explained(best.value()), its = explained(other.value());
    if (its < ours || (its == ours && unmatched == 0)) continue;
    const uint64_t its_unmatched = count_unmatched(other.value());
    if (its == ours && its_unmatched >= unmatched) continue;
    best = std::move(other);
    unmatched = its_unmatched;
  }
  return best;
}

// The model whose geometry is wrong, if it is: no message along a side of a grid is explained.
ScalingModel contradictory(ScalingModel model) {
  if (model.geometry.empty()) return model;
  each_leaf(model.slots, [&](const Slot& slot) {
    SlotEquations& e = model.equations.at(slot.id);
    if (!slot.talks() || !e.peer || vocabulary()[*e.peer].kind != RelationKind::kOffset) return;
    if (vocabulary()[*e.peer].grid != core::GridKind::kLine) e.why_not.push_back(model.geometry);
  });
  model.events = model.regular_events = model.certain_events = model.placed_events = 0;
  count_events(model, model.slots, true, true, true);
  return model;
}

// What a model of one run says before anything is explained.
core::Result<ScalingModel> begun_model(const std::vector<RankTrace>& run) {
  ScalingModel model;
  if (run.empty()) return input_error("there are no traces", "record some: `scalediag profile --trace -n 4 -- APP`");
  for (const RankTrace& trace : run) {
    if (!trace.incomplete.empty()) return incomplete_error(trace);
  }
  model.scales = {static_cast<int>(run.size())};
  model.target = model.scales.back();
  model.executable = run.front().executable;
  model.mpi_version = run.front().mpi_version;
  return model;
}

}  // namespace

double pairs_to_compare(const std::vector<std::vector<RankTrace>>& scales) {
  double pairs = 0, known = 0;
  for (auto traces = scales.rbegin(); traces != scales.rend(); ++traces) {
    for (const RankTrace& trace : *traces) {
      const auto steps = static_cast<double>(count_of(trace.steps));
      known = std::max(known, steps);
      pairs += steps * known;
    }
  }
  return pairs;
}

int default_target(const std::vector<int>& scales) {
  return scales.back() * (std::all_of(scales.begin(), scales.end(), core::is_cube) ? 8 : 4);
}

int next_scale(const std::vector<int>& scales, int target) {
  const int largest = scales.back();
  const auto are = [&](bool (*is_of_kind)(int)) {
    return is_of_kind(target) && std::all_of(scales.begin(), scales.end(), is_of_kind);
  };
  const auto next_that = [&](bool (*is_of_kind)(int)) {
    int next = largest + 1;
    while (!is_of_kind(next)) ++next;
    return next;
  };
  const int next = are(core::is_cube)     ? next_that(core::is_cube)
                   : are(core::is_square) ? next_that(core::is_square)
                                          : 2 * largest;
  return std::min(next, target);
}

core::Result<ScalingModel> model_of(const std::vector<std::vector<RankTrace>>& scales, int target,
                                    const CountUnmatched& count_unmatched) {
  std::vector<const std::vector<RankTrace>*> largest_first;
  ScalingModel model;
  for (const auto& traces : scales) {
    largest_first.push_back(&traces);
    model.scales.push_back(static_cast<int>(traces.size()));
  }
  std::sort(model.scales.begin(), model.scales.end());
  std::sort(largest_first.begin(), largest_first.end(),
            [](const auto* a, const auto* b) { return a->size() > b->size(); });
  model.target = target > 0 || scales.empty() ? target : default_target(model.scales);
  if (const auto error = refused(largest_first, model.target)) return *error;
  model.executable = largest_first.front()->front().executable;
  model.mpi_version = largest_first.front()->front().mpi_version;
  auto all = with_best_rounds(model, largest_first, count_unmatched);
  if (!all) return all;
  const auto contradiction = [](const ScalingModel& m) {
    return grid_contradiction(m.slots, m.equations, m.scales.back(), m.target);
  };
  all.value().geometry = contradiction(all.value());
  const int smallest = model.scales.front();
  const bool is_contradictory = !all.value().geometry.empty();
  // A rank alone has no neighbours, and may do other things than ranks that have some.
  if (!is_contradictory && smallest > 1) return all;
  model.scales.erase(model.scales.begin());
  largest_first.pop_back();
  if (largest_first.size() < 2) return contradictory(std::move(all.value()));
  constexpr double kTelling = 0.1;  // of the events
  const auto is_better = [&](const core::Result<ScalingModel>& m) {
    if (!m || !contradiction(m.value()).empty()) return false;
    if (is_contradictory) return m.value().regular_events > all.value().regular_events;
    return m.value().share(m.value().certain_events) >= all.value().share(all.value().certain_events) + kTelling &&
           m.value().regular_events >= all.value().regular_events;
  };
  auto others = is_contradictory ? with_best_rounds(model, largest_first, count_unmatched)
                                 : with_structure(model, largest_first, Rounds::kAsRecorded);
  if (is_better(others) && !is_contradictory) others = with_best_rounds(model, largest_first, count_unmatched);
  if (!is_better(others)) return contradictory(std::move(all.value()));
  const std::string why = is_contradictory
                              ? all.value().geometry
                              : "only " + core::spaced_percent(all.value().share(all.value().certain_events)) +
                                    " of the events obey one equation each";
  others.value().geometry = "the traces of " + std::to_string(smallest) + (smallest == 1 ? " rank" : " ranks") +
                            " are left out, since with them " + why;
  return others;
}

core::Result<ScalingModel> structure_of(const std::vector<RankTrace>& run) {
  auto model = begun_model(run);
  return model ? with_structure(std::move(model.value()), {&run}, Rounds::kAsRecorded) : model;
}

core::Result<ScalingModel> model_of_run(const std::vector<RankTrace>& run) {
  const auto model = begun_model(run);
  return model ? with_best_rounds(model.value(), {&run}, none_unmatched) : model;
}

std::vector<std::string> unseen_positions(const ScalingModel& model) {
  std::vector<std::string> lines;
  const core::ProcessGrid at_target = process_grid(model.grid, model.target);
  for (size_t side = 0; side < static_cast<size_t>(at_target.dimensions); ++side) {
    int longest = 0;
    for (const int ranks : model.scales) longest = std::max(longest, process_grid(model.grid, ranks).sides[side]);
    const int length = at_target.sides[side];
    if (longest >= 3 || length < 3) continue;
    lines.push_back("no measured rank lies between two others along side " + std::to_string(side + 1) + " of a " +
                    name_of(model.grid) + ", which has " + std::to_string(longest) + " at most; of " +
                    std::to_string(model.target) + " ranks " + std::to_string((length - 2) * (model.target / length)) +
                    " do, and what they communicate is put together from ranks at the borders");
  }
  return lines;
}

std::string unseen_places(const ScalingModel& model) {
  const bool matters = std::any_of(model.equations.begin(), model.equations.end(),
                                   [](const auto& e) { return e.second.before_ns.depends_on_place(); });
  std::set<GridPlace> seen;
  for (const int ranks : model.scales) {
    for (int rank = 0; rank < ranks; ++rank) seen.insert(place_of(model.grid, ranks, rank));
  }
  int unseen = 0;
  for (int rank = 0; matters && rank < model.target; ++rank) {
    if (seen.count(place_of(model.grid, model.target, rank)) == 0) ++unseen;
  }
  if (unseen == 0) return "";
  return std::to_string(unseen) + " of " + std::to_string(model.target) + " ranks are at a place of the " +
         name_of(model.grid) + " (first, last or between others along each side) that no measured rank has; they are " +
         "taken to compute as ranks do in the mean";
}

}  // namespace scalediag::loggp
