#include "report/findings_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/json_writer.h"

namespace scalediag::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Estimate& e) { return {{"value", e.value}, {"low", e.low}, {"high", e.high}, {"level", e.level}}; }
Json json_of(double value) { return value; }
Json json_of(int value) { return value; }
Json json_of(bool value) { return value; }

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

// Numbers of processes and sizes of problems are integers wherever they are whole: readers use them as keys and print
// them.
Json parameter_value(double value) {
  constexpr double kExact = 1e15;
  if (value == std::floor(value) && std::abs(value) < kExact) return static_cast<int64_t>(value);
  return value;
}

Json json_of(const Point& point) {
  Json all = Json::object();
  for (const auto& [name, value] : point) all[name] = parameter_value(value);
  return all;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_of(const KernelFinding& k) {
  Json json = {{"name", k.name},
               {"metric", k.metric},
               {"rank", k.rank},
               {"rank_measured", json_of(k.rank_measured)},
               {"estimate", json_of(k.estimate)},
               {"formula", k.formula},
               {"way", k.way},
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

Json json_of(const TargetFindings& t) {
  Json kernels = Json::array();
  for (const KernelFinding& kernel : t.kernels) kernels.push_back(json_of(kernel));
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

Json json_of(const BacktestFindings& b) {
  if (!b.possible) return {{"possible", false}};
  Json from = Json::array();
  for (const double scale : b.from) from.push_back(parameter_value(scale));
  return {{"possible", true},
          {"parameter", b.parameter},
          {"scale", parameter_value(b.scale)},
          {"from", from},
          {"measured_s", json_of(b.measured)},
          {"predicted_s", json_of(b.predicted)},
          {"error", json_of(b.error)},
          {"computation_error", json_of(b.computation_error)},
          {"inside_interval", b.measured ? Json(b.inside) : Json(nullptr)},
          {"median_kernel_error", b.median_kernel_error},
          {"kernels", b.kernels}};
}

Json json_of(const Efficiencies& e) {
  return {{"at", json_of(e.at)},
          {"predicted", e.predicted},
          {"parallel_efficiency", e.parallel_efficiency},
          {"load_balance", e.load_balance},
          {"communication_efficiency", e.communication_efficiency},
          {"computation_scalability", json_of(e.computation_scalability)},
          {"instruction_scalability", json_of(e.instruction_scalability)},
          {"ipc_scalability", json_of(e.ipc_scalability)}};
}

}  // namespace

core::Result<std::string> findings_json(const Findings& f) {
  Json measured = Json::array();
  for (const Point& point : f.measured) measured.push_back(json_of(point));
  Json targets = Json::array();
  for (const TargetFindings& target : f.targets) targets.push_back(json_of(target));
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
