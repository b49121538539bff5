#include "report/render/text/instructions_text.h"

#include <algorithm>
#include <set>

#include "core/text/quantities.h"
#include "core/text/table.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

using loggp::InstructionCheck;
using loggp::InstructionChecks;
using loggp::PhaseInstructions;

constexpr double kShownShare = 0.99;

std::string range_text(const loggp::InstructionGroup& group) {
  return core::fixed(group.low, 0) + " .. " + core::fixed(group.high, 0);
}

double at_largest(const PhaseInstructions& phase) { return phase.counted.rbegin()->second.total(); }

// The numbers of the phases that are shown.
std::set<int> shown(const std::vector<PhaseInstructions>& phases, bool all) {
  std::vector<const PhaseInstructions*> order;
  double sum = 0;
  for (const PhaseInstructions& phase : phases) {
    order.push_back(&phase);
    sum += at_largest(phase);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return at_largest(*a) > at_largest(*b); });
  std::set<int> numbers;
  double covered = 0;
  for (const PhaseInstructions* phase : order) {
    if (!all && covered >= kShownShare * sum) break;
    covered += at_largest(*phase);
    numbers.insert(phase->phase);
  }
  return numbers;
}

const InstructionCheck* check_of(const InstructionChecks& checks, int phase) {
  const auto found = std::find_if(checks.phases.begin(), checks.phases.end(),
                                  [&](const InstructionCheck& c) { return c.phase == phase; });
  return found == checks.phases.end() ? nullptr : &*found;
}

}  // namespace

std::string instructions_text(const std::vector<PhaseInstructions>& phases, const InstructionChecks& checks, bool all) {
  if (phases.empty()) return "";
  std::vector<core::TableColumn> columns = {{"phase"}, {"ranks"},        {"weight"}, {"of a rank, Eq. 4"},
                                            {"drift"}, {"by the model"}, {"range"}};
  if (!checks.phases.empty()) columns.insert(columns.end(), {{"counted"}, {"predicted"}, {"worst rank"}});
  core::Table table(columns);
  const std::set<int> numbers = shown(phases, all);
  std::string notes;
  for (const PhaseInstructions& phase : phases) {
    if (numbers.count(phase.phase) == 0) continue;
    for (size_t g = 0; g < phase.groups.size(); ++g) {
      const loggp::InstructionGroup& group = phase.groups[g];
      std::vector<std::string> row = {g == 0 ? std::to_string(phase.phase) : "",
                                      core::fixed(group.ranks_at_target, 0),
                                      core::fixed(phase.target_weight, 0),
                                      core::fixed(group.by_constant_total, 0),
                                      core::signed_percent(group.drift()),
                                      core::fixed(group.at_target, 0),
                                      range_text(group)};
      if (!checks.phases.empty()) {
        const InstructionCheck* check = g == 0 ? check_of(checks, phase.phase) : nullptr;
        row.push_back(check == nullptr ? "" : core::fixed(check->counted_mean / phase.target_weight, 0));
        row.push_back(check == nullptr ? "" : core::signed_percent(check->difference));
        row.push_back(check == nullptr ? "" : core::signed_percent(check->worst));
      }
      table.add_row(std::move(row));
    }
    if (phase.is_one_group) {
      notes += "  phase " + std::to_string(phase.phase) +
               ": groups of ranks with similar numbers, or their shares of the ranks, change from scale to scale; "
               "taken as one\n";
    }
  }
  std::string text = "\ninstructions of a rank in one execution of a phase on " +
                     std::to_string(phases.front().target) + " ranks, counted on";
  std::set<int> scales;
  for (const PhaseInstructions& phase : phases) {
    for (const auto& [ranks, counted] : phase.counted) scales.insert(ranks);
  }
  for (const int ranks : scales) text += " " + std::to_string(ranks);
  if (checks.counted > 0) {
    notes += "  all phases of all ranks: " + core::fixed(checks.counted, 0) + " counted, predicted " +
             core::signed_percent(checks.predicted / checks.counted - 1) + "\n";
  }
  return text + "\n" + table.text({.width = core::kUnlimited}) + notes;
}

nlohmann::ordered_json instructions_json(const std::vector<PhaseInstructions>& phases,
                                         const InstructionChecks& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PhaseInstructions& phase : phases) {
    nlohmann::ordered_json groups = nlohmann::ordered_json::array();
    for (const loggp::InstructionGroup& group : phase.groups) {
      groups.push_back({{"ranks", json_of(group.ranks)},
                        {"of_rank", json_of(group.of_rank)},
                        {"totals", json_of(group.totals)},
                        {"drift", group.drift()},
                        {"ranks_at_target", group.ranks_at_target},
                        {"by_constant_total", group.by_constant_total},
                        {"at_target", group.at_target},
                        {"low", group.low},
                        {"high", group.high}});
    }
    nlohmann::ordered_json one = {{"phase", phase.phase},
                                  {"target", phase.target},
                                  {"weight", phase.target_weight},
                                  {"mean_at_target", phase.mean_at_target},
                                  {"formula", phase.formula},
                                  {"one_group", phase.is_one_group},
                                  {"groups", groups}};
    if (const InstructionCheck* check = check_of(checks, phase.phase)) {
      one["counted_at_target"] = {{"mean", check->counted_mean},
                                  {"ranks", check->ranks},
                                  {"difference", check->difference},
                                  {"worst_rank", check->worst}};
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace scalediag::report
