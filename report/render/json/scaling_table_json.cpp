#include "report/render/json/scaling_table_json.h"

namespace scalediag::report {
namespace {

Json row_json(const ScalingRow& row) {
  return {{"at", json_of(row.at)},
          {"predicted", row.predicted},
          {"repeats", row.repeats},
          {"nodes", json_of(row.nodes)},
          {"cores", row.cores},
          {"time_s", json_of(row.time_s)},
          {"cv", json_of(row.variation)},
          {"speedup", json_of(row.speedup)},
          {"efficiency", json_of(row.efficiency)},
          {"loop_s", json_of(row.loop_s)},
          {"loop_iterations", json_of(row.loop_iterations)},
          {"loop_efficiency", json_of(row.loop_efficiency)},
          {"start_end_s", json_of(row.start_end_s)},
          {"job_s", json_of(row.job_s)},
          {"job_efficiency", json_of(row.job_efficiency)},
          {"node_hours", json_of(row.node_hours)},
          {"core_hours", json_of(row.core_hours)},
          {"doubt", row.doubt ? Json(name_of(*row.doubt)) : Json(nullptr)},
          {"memory_rank_bytes", json_of(row.memory_rank_bytes)},
          {"memory_node_bytes", json_of(row.memory_node_bytes)},
          {"read_bytes", row.predicted ? Json(nullptr) : Json(row.read_bytes)},
          {"written_bytes", row.predicted ? Json(nullptr) : Json(row.written_bytes)},
          {"files_s", row.predicted ? Json(nullptr) : Json(row.files_s)}};
}

}  // namespace

Json json_of(const Bounded& value) {
  return {{"value", value.value}, {"low", json_of(value.low)}, {"high", json_of(value.high)}, {"level", kRuleLevel}};
}

Json json_of(const ScalingTable& table) {
  Json rows = Json::array();
  for (const ScalingRow& row : table.rows) rows.push_back(row_json(row));
  return {{"problem", text_or_null(table.label)},
          {"region", text_or_null(table.region)},
          {"clock", core::name_of(table.clock)},
          {"scaling", name_of(table.scaling)},
          {"base", parameter_value(table.base)},
          {"cores_per_node", table.cores_per_node > 0 ? Json(table.cores_per_node) : Json(nullptr)},
          {"rows", std::move(rows)}};
}

Json json_of(const std::vector<ScalingTable>& tables) {
  Json all = Json::array();
  for (const ScalingTable& table : tables) all.push_back(json_of(table));
  return all;
}

}  // namespace scalediag::report
