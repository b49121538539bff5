#include "report/findings/phase_findings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "core/profile/region_profile.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "loggp/phases/program_phases.h"
#include "loggp/phases/scaling_model.h"

namespace scalediag::report {
namespace {

using PhaseOfSlot = std::map<int, int>;  // by Slot::id

// The first and the last phase of the slots; {0, 0}: there are none.
std::pair<int, int> range_of(const std::vector<loggp::Slot>& slots, const PhaseOfSlot& phases) {
  std::pair<int, int> range = {0, 0};
  for (const loggp::Slot& slot : slots) {
    std::pair<int, int> its = {0, 0};
    if (slot.is_loop) {
      its = range_of(slot.body, phases);
    } else if (const auto found = phases.find(slot.id); found != phases.end()) {
      its = {found->second, found->second};
    }
    if (its.first == 0) continue;
    range = {range.first == 0 ? its.first : std::min(range.first, its.first), std::max(range.second, its.second)};
  }
  return range;
}

void add_loops(const std::vector<loggp::Slot>& slots, const PhaseOfSlot& phases, int depth,
               std::vector<PhaseLoop>& loops) {
  for (const loggp::Slot& slot : slots) {
    if (!slot.is_loop) continue;
    PhaseLoop loop;
    std::tie(loop.first, loop.last) = range_of(slot.body, phases);
    if (loop.first == 0) continue;
    loop.depth = depth;
    for (const auto& [where, rounds] : slot.rounds) {
      double& most = loop.rounds[where.first];
      most = std::max(most, rounds);
    }
    loops.push_back(std::move(loop));
    add_loops(slot.body, phases, depth + 1, loops);
  }
}

// Iterations of the main loops of complete runs with these numbers of ranks; empty where one has none.
std::map<int, double> main_loop_of(const core::Profile& profile, const std::vector<int>& ranks) {
  std::map<int, double> iterations;
  for (const core::Run& run : profile.runs) {
    if (!run.complete || std::count(ranks.begin(), ranks.end(), run.np) == 0) continue;
    const core::Region* const loop = core::main_loop_of(run);
    if (loop == nullptr || !(loop->count.mean > 0)) return {};
    iterations[run.np] = loop->count.mean;
  }
  return iterations;
}

// Rounded down: 100 % means all.
std::string percent_of_events(double share) { return core::fixed(std::floor(1e4 * share) / 100, 2) + " %"; }

}  // namespace

PhaseFindings phase_findings(const loggp::ScalingModel& model, const core::Profile& profile) {
  PhaseFindings findings;
  findings.ranks = model.scales;
  findings.target = model.target;
  findings.regular_share = model.share(model.regular_events);
  findings.certain_share = model.share(model.certain_events);
  findings.main_loop = main_loop_of(profile, model.scales);
  if (findings.main_loop.empty()) {
    if (const auto loop = loggp::main_loop_of(model)) findings.main_loop = loop->iterations;
  }
  PhaseOfSlot phases;
  for (const loggp::ProgramPhase& phase : loggp::phases_of(model)) {
    PhaseFinding& to = findings.phases.emplace_back();
    to.number = static_cast<int>(findings.phases.size());
    to.weight = phase.weight;
    to.share = phase.share;
    to.is_relevant = phase.relevant;
    to.is_regular = phase.is_regular();
    to.is_certain = to.is_regular && phase.open.empty() && phase.loop_open.empty();
    for (const loggp::Slot* slot : phase.slots) {
      phases[slot->id] = to.number;
      to.operations.push_back(loggp::text_of(*slot, model.equations.at(slot->id)));
    }
  }
  add_loops(model.slots, phases, 0, findings.loops);
  return findings;
}

std::string text_of(const PhaseFindings& findings) {
  size_t relevant = 0;
  double share = 0;
  for (const PhaseFinding& phase : findings.phases) {
    if (!phase.is_relevant) continue;
    ++relevant;
    share += phase.share;
  }
  const std::string loop = findings.main_loop.empty()
                               ? "No loop is shared by all ranks"
                               : "The main loop goes round " + text_by_ranks(findings.main_loop) + " times";
  return loop + "; " + std::to_string(relevant) + " of " + std::to_string(findings.phases.size()) + " phases make up " +
         core::spaced_percent(share) + " of the computation. Of the events, " +
         percent_of_events(findings.certain_share) + " obey one equation each, " +
         percent_of_events(findings.regular_share - findings.certain_share) + " one of several that differ on " +
         std::to_string(findings.target) + " ranks, " + percent_of_events(1 - findings.regular_share) + " none.";
}

std::string text_by_ranks(const std::map<int, double>& values) {
  std::set<double> different;
  for (const auto& [ranks, value] : values) different.insert(value);
  if (different.size() == 1) return core::fixed(*different.begin(), 0);
  std::vector<std::string> texts;
  for (const auto& [ranks, value] : values) texts.push_back(core::fixed(value, 0) + " on " + std::to_string(ranks));
  return core::join(texts);
}

}  // namespace scalediag::report
