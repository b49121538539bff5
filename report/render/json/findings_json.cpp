#include "report/render/json/findings_json.h"

#include "core/json/json_writer.h"
#include "core/profile/resource_notes.h"
#include "report/render/json/json_parts.h"
#include "report/render/json/scaling_table_json.h"

namespace scalediag::report {
namespace {

Json kernel_json(const KernelFinding& k) {
  Json json = {{"name", k.name},
               {"metric", k.metric},
               {"rank", json_of(k.rank)},
               {"rank_measured", json_of(k.rank_measured)},
               {"estimate", json_of(k.estimate)},
               {"formula", k.formula},
               {"formula_weight", k.formula_weight},
               {"formula_note", text_or_null(k.formula_note)},
               {"way", name_of(k.method)},
               {"cost", text_or_null(k.cost)},
               {"scales", json_of(k.scales)},
               {"stops_at", k.stops_at ? parameter_value(*k.stops_at) : Json(nullptr)},
               {"cause", text_or_null(name_of(k.cause))},
               {"evidence", text_or_null(k.evidence)},
               {"kind", name_of(k.kind)},
               {"module", k.module},
               {"file", k.file},
               {"line", k.line},
               {"measured", json_of(k.measured)},
               {"share", k.share},
               {"matters", k.matters},
               {"slowest_rank", json_of(k.slowest)},
               {"slowest_rank_is", text_or_null(k.slowest_rank)},
               {"exponent", json_of(k.exponent)},
               {"backtest_error", json_of(k.backtest_error)}};
  if (k.kind == fit::KernelKind::kMpi) {
    json["call_sites"] = Json::array();
    for (const CallSiteShare& s : k.call_sites) {
      json["call_sites"].push_back({{"site", s.site}, {"share", s.share}, {"calls", s.calls}, {"bytes", s.bytes}});
    }
  }
  if (k.pooled > 0) json["kernels"] = k.pooled;
  for (const auto& [name, estimate] : k.metrics) json[name] = json_of(estimate);
  if (!k.resource_notes.empty()) {
    for (const std::string& note : k.resource_notes) json["resource_notes"][note] = core::resource_note_text(note);
  }
  return json;
}

Json simulated_json(const predict::SimulatedCommunication& simulated) {
  Json json = {{"trace", simulated.known ? "scaled" : "recorded"},
               {"computation_factor", simulated.computation_factor},
               {"waiting_factor", simulated.waiting_factor},
               {"share_of_time", nullptr}};
  if (const auto& known = simulated.known) {
    json["share_of_time"] = {{"one_equation", known->one}, {"several", known->several}, {"none", known->none}};
  }
  return json;
}

Json replayed_json(const predict::ReplayedComputation& replayed) {
  return {{"folder", replayed.folder}, {"ranks", replayed.ranks},   {"replayed", replayed.replayed},
          {"mean_s", replayed.mean_s}, {"most_s", replayed.most_s}, {"predicted_s", replayed.predicted_s}};
}

Json points_json(const predict::PointComputation& points) {
  return {{"runs", points.runs},
          {"phases_without", points.without},
          {"share_of_instructions", points.share},
          {"difference", points.difference},
          {"mean_s", points.mean_s},
          {"predicted_s", points.predicted_s}};
}

Json target_json(const TargetFindings& t) {
  Json kernels = Json::array();
  for (const KernelFinding& kernel : t.kernels) kernels.push_back(kernel_json(kernel));
  return {{"at", json_of(t.at)},
          {"run_s", json_of(t.run_s)},
          {"total_s", json_of(t.total_s)},
          {"computation_s", json_of(t.computation_s)},
          {"openmp_waiting_s", json_of(t.openmp_waiting_s)},
          {"gpu_s", json_of(t.gpu_s)},
          {"communication_s", json_of(t.communication_s)},
          {"waiting_s", json_of(t.waiting_s)},
          {"sources", sources_json(t.sources)},
          {"waiting", waiting_json(t.waiting_causes)},
          {"replayed", t.replayed ? replayed_json(*t.replayed) : Json(nullptr)},
          {"points", t.points ? points_json(*t.points) : Json(nullptr)},
          {"simulated", t.simulated ? simulated_json(*t.simulated) : Json(nullptr)},
          {"unattributed_s", json_of(t.unattributed_s)},
          {"others_s", json_of(t.others_s)},
          {"speedup", json_of(t.speedup)},
          {"efficiency", json_of(t.efficiency)},
          {"efficiency_interval", json_of(t.efficiency_interval)},
          {"efficiency_strong", json_of(t.efficiency_strong)},
          {"efficiency_weak", json_of(t.efficiency_weak)},
          {"beyond", json_of(t.beyond)},
          {"memory_peak_bytes", t.memory ? json_of(t.memory->rank_bytes) : Json(nullptr)},
          {"memory_peak_max_bytes", t.memory ? json_of(t.memory->most_bytes) : Json(nullptr)},
          {"memory_node_bytes", t.memory ? json_of(t.memory->node_bytes) : Json(nullptr)},
          {"kernels", kernels}};
}

}  // namespace

core::Result<std::string> findings_json(const Findings& f, const std::vector<ScalingTable>& tables) {
  Json json = common_json(f, "scalediag-predict/1");
  json["region"] = text_or_null(f.region);
  if (const auto& limit = f.memory_limit) {
    json["memory_limit"] = {{"node_memory_bytes", limit->node_bytes},
                            {"ranks_per_node", limit->ranks_per_node},
                            {"exceeded_at", json_of(limit->exceeded_at)},
                            {"exceeded_from", json_of(limit->exceeded_from)},
                            {"exceeded_surely_at", json_of(limit->exceeded_surely_at)},
                            {"searched_to", limit->searched_to}};
  }
  json["cpu_time_leaves_out"] = nullptr;
  if (const auto& out = f.left_out) {
    json["cpu_time_leaves_out"] = {
        {"at", json_of(out->at)}, {"run_s", out->run_s}, {"asleep_s", out->asleep_s}, {"children_s", out->children_s}};
  }
  json["targets"] = Json::array();
  for (const TargetFindings& target : f.targets) json["targets"].push_back(target_json(target));
  json["scaling_tables"] = json_of(tables);
  return core::to_json_text(json, 4);
}

}  // namespace scalediag::report
