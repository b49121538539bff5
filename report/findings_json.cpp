#include "report/findings_json.h"

#include "core/json_writer.h"
#include "report/json_parts.h"

namespace scalediag::report {
namespace {

Json kernel_json(const KernelFinding& k) {
  Json json = {{"name", k.name},
               {"metric", k.metric},
               {"rank", k.rank},
               {"rank_measured", json_of(k.rank_measured)},
               {"estimate", json_of(k.estimate)},
               {"formula", k.formula},
               {"way", k.way},
               {"price", text_or_null(k.price)},
               {"scales", json_of(k.scales)},
               {"stops_at", k.stops_at ? parameter_value(*k.stops_at) : Json(nullptr)},
               {"cause", text_or_null(k.cause)},
               {"evidence", text_or_null(k.evidence)},
               {"kind", k.kind},
               {"module", k.module},
               {"file", k.file},
               {"line", k.line},
               {"measured", json_of(k.measured)},
               {"share", k.share},
               {"matters", k.matters},
               {"slowest_rank", json_of(k.slowest)},
               {"exponent", json_of(k.exponent)},
               {"backtest_error", json_of(k.backtest_error)}};
  if (k.pooled > 0) json["kernels"] = k.pooled;
  for (const auto& [name, estimate] : k.metrics) json[name] = json_of(estimate);
  return json;
}

Json target_json(const TargetFindings& t) {
  Json kernels = Json::array();
  for (const KernelFinding& kernel : t.kernels) kernels.push_back(kernel_json(kernel));
  return {{"at", json_of(t.at)},
          {"total_s", json_of(t.total_s)},
          {"computation_s", json_of(t.computation_s)},
          {"communication_s", json_of(t.communication_s)},
          {"waiting_s", json_of(t.waiting_s)},
          {"others_s", json_of(t.others_s)},
          {"speedup", json_of(t.speedup)},
          {"efficiency", json_of(t.efficiency)},
          {"beyond", json_of(t.beyond)},
          {"kernels", kernels}};
}

}  // namespace

core::Result<std::string> findings_json(const Findings& f) {
  Json measured = Json::array();
  for (const Point& point : f.measured) measured.push_back(json_of(point));
  Json targets = Json::array();
  for (const TargetFindings& target : f.targets) targets.push_back(target_json(target));
  Json efficiencies = Json::array();
  for (const Efficiencies& e : f.efficiencies) efficiencies.push_back(json_of(e));
  return core::to_json_text({{"schema", "scalediag-predict/1"},
                             {"input", f.input},
                             {"application", text_or_null(f.application)},
                             {"command", f.command},
                             {"clock", text_or_null(f.clock)},
                             {"counters", text_or_null(f.counters)},
                             {"counters_reason", text_or_null(f.counters_reason)},
                             {"communication_model", text_or_null(f.communication)},
                             {"bf_comm", json_of(f.blocking_factor)},
                             {"processes", f.processes},
                             {"measured", measured},
                             {"scaling", name_of(f.scaling)},
                             {"scaling_reason", f.scaling_reason},
                             {"base", f.base.empty() ? Json(nullptr) : json_of(f.base)},
                             {"backtest", json_of(f.backtest)},
                             {"targets", targets},
                             {"efficiencies", efficiencies},
                             {"next_run", text_or_null(f.next_run)},
                             {"notes", f.notes}},
                            4);
}

}  // namespace scalediag::report
