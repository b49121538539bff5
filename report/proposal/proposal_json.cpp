#include "report/proposal/proposal_json.h"

#include "core/json/json_writer.h"
#include "report/render/json/scaling_table_json.h"

namespace scalediag::report {
namespace {

Json choice_json(const ScalingRow* row) {
  if (row == nullptr) return nullptr;
  return {{"at", json_of(row->at)},
          {"predicted", row->predicted},
          {"efficiency", json_of(row->efficiency)},
          {"job_s", json_of(row->job_s)},
          {"node_hours", json_of(row->node_hours)},
          {"core_hours", json_of(row->core_hours)}};
}

Json budget_json(const Proposal& proposal) {
  if (!proposal.options.budget) return nullptr;
  const BudgetRow chosen = budget_row(proposal);
  const auto budget =
      chosen.row == nullptr ? std::nullopt : budget_of(*chosen.table, *chosen.row, *proposal.options.budget);
  if (!budget) return nullptr;
  return {
      {"at", json_of(budget->at)},
      {"predicted", budget->predicted},
      {"unit", "node-hours"},
      {"jobs", budget->request.jobs},
      {"steps", json_of(budget->request.steps)},
      {"measured_steps", json_of(budget->request.measured_steps)},
      {"steps_of", budget->request.steps ? Json(budget->steps_of.empty() ? "run" : budget->steps_of) : Json(nullptr)},
      {"periods", budget->request.periods},
      {"job_s", json_of(budget->job_s)},
      {"job_cost", json_of(budget->job_cost)},
      {"cost", json_of(budget->cost)},
      {"period_cost", json_of(budget->period_cost)}};
}

}  // namespace

Json choices_json(const ScalingTable& table, double bound) {
  const JobChoices choices = job_choices(table, bound);
  return {{"efficiency_bound", choices.bound},
          {"cheapest", choice_json(choices.cheapest)},
          {"fastest", choice_json(choices.fastest)},
          {"efficient", choice_json(choices.efficient)},
          {"efficient_is_largest", choices.efficient != nullptr && choices.end == EfficiencyEnd::kTable},
          {"efficiency_unknown_beyond", choices.end == EfficiencyEnd::kUnknown},
          {"efficient_is_uncertain", choices.efficient_is_uncertain}};
}

core::Result<std::string> proposal_json(const Proposal& proposal) {
  Json studies = Json::array();
  for (const Study& study : proposal.studies) {
    Json tables = Json::array();
    for (const ScalingTable& table : study.tables) {
      Json json = json_of(table);
      json["choices"] = choices_json(table, proposal.options.efficiency_bound);
      tables.push_back(std::move(json));
    }
    Json efficiencies = Json::array();
    for (const Efficiencies& e : study.efficiencies) efficiencies.push_back(json_of(e));
    studies.push_back({{"input", study.input},
                       {"application", text_or_null(study.findings.application)},
                       {"scaling", name_of(study.findings.scaling)},
                       {"scaling_reason", study.findings.scaling_reason},
                       {"trust", json_of(study.findings.trust)},
                       {"region", text_or_null(study.region)},
                       {"clock", text_or_null(study.findings.clock)},
                       {"tables", std::move(tables)},
                       {"efficiencies", std::move(efficiencies)},
                       {"remarks", study.remarks}});
  }
  return core::to_json_text({{"schema", "scalediag-proposal/1"},
                             {"studies", std::move(studies)},
                             {"remarks", proposal.remarks},
                             {"budget", budget_json(proposal)}},
                            6);
}

}  // namespace scalediag::report
