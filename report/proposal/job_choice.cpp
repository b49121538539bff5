#include "report/proposal/job_choice.h"

#include <algorithm>

#include "core/profile/profile.h"

namespace scalediag::report {
namespace {

// The row with the least of what `value_of` gives, the earlier one of equal ones, of those that have it; null where
// there is nothing to compare.
template <class ValueOf>
const ScalingRow* least(const ScalingTable& table, ValueOf value_of) {
  const ScalingRow* best = nullptr;
  size_t compared = 0;
  for (const ScalingRow& row : table.rows) {
    const std::optional<Bounded>& value = value_of(row);
    if (!value || row.doubt) continue;
    ++compared;
    if (best == nullptr || value->value < value_of(*best)->value) best = &row;
  }
  return compared > 1 ? best : nullptr;
}

Bounded sum_of(const Bounded& a, const Bounded& b) {
  const auto both = [](const std::optional<double>& x, const std::optional<double>& y) {
    return x && y ? std::optional(*x + *y) : std::nullopt;
  };
  return {a.value + b.value, both(a.low, b.low), both(a.high, b.high)};
}

}  // namespace

std::string cost_unit(const ScalingTable& table) {
  if (!table.is_elapsed()) return "core-hours of CPU time";
  const bool has_nodes = std::all_of(table.rows.begin(), table.rows.end(),
                                     [](const ScalingRow& row) { return row.node_hours || row.doubt; });
  return has_nodes ? "node-hours" : "core-hours";
}

const std::optional<Bounded>& cost_of(const ScalingTable& table, const ScalingRow& row) {
  return cost_unit(table) == "node-hours" ? row.node_hours : row.core_hours;
}

JobChoices job_choices(const ScalingTable& table, double bound) {
  JobChoices choices;
  choices.bound = bound;
  // What a centre charges is elapsed time of whole nodes: CPU times and cores by themselves do not tell it.
  if (table.scaling != Scaling::kWeak && table.is_elapsed()) {
    choices.cheapest =
        least(table, [](const ScalingRow& row) -> const std::optional<Bounded>& { return row.node_hours; });
    choices.fastest = least(table, [](const ScalingRow& row) -> const std::optional<Bounded>& { return row.job_s; });
  }
  std::vector<const ScalingRow*> rows;
  for (const ScalingRow& row : table.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const ScalingRow* a, const ScalingRow* b) {
    return process_count(a->at) < process_count(b->at);
  });
  for (const ScalingRow* row : rows) {
    if (!row->efficiency || row->efficiency->value < bound) {
      choices.end = row->efficiency ? EfficiencyEnd::kBound : EfficiencyEnd::kUnknown;
      choices.beyond = row;
      break;
    }
    choices.efficient = row;
    if (!row->predicted) choices.efficient_measured = row;
  }
  if (choices.efficient == nullptr) return choices;
  choices.efficient_is_uncertain = !choices.efficient->efficiency->low || *choices.efficient->efficiency->low < bound;
  return choices;
}

std::optional<Budget> budget_of(const ScalingTable& table, const ScalingRow& row, const BudgetRequest& request) {
  const std::optional<Bounded>& cost = row.node_hours;
  if (!cost || !row.job_s || !(row.job_s->value > 0)) return std::nullopt;
  Budget budget;
  budget.request = request;
  budget.at = row.at;
  budget.predicted = row.predicted;
  budget.job_s = *row.job_s;
  if (request.steps && request.measured_steps) {
    const double ratio = *request.steps / *request.measured_steps;
    if (!table.region.empty() || row.loop_s) {
      // The loop's time is as uncertain as that of the run it is most of.
      const double share = !table.region.empty() ? 1 : row.time_s.value > 0 ? *row.loop_s / row.time_s.value : 0;
      budget.steps_of = table.region.empty() ? core::kMainLoop : table.region;
      // A job that is long because its loop is: both ends are those of the same job.
      budget.job_s = sum_of(*row.job_s, times(row.time_s, share * (ratio - 1)));
    } else {
      const Bounded steps = times(row.time_s, ratio);
      budget.job_s = row.start_end_s ? sum_of(*row.start_end_s, steps) : steps;
    }
  }
  budget.job_cost = times(budget.job_s, cost->value / row.job_s->value);
  budget.cost = times(budget.job_cost, request.jobs);
  budget.period_cost = times(budget.cost, 1.0 / request.periods);
  return budget;
}

}  // namespace scalediag::report
