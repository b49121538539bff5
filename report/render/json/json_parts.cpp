#include "report/render/json/json_parts.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace scalediag::report {

Json json_of(const Estimate& e) { return {{"value", e.value}, {"low", e.low}, {"high", e.high}, {"level", e.level}}; }

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
          {"median_kernel_error", b.kernels > 0 ? Json(b.median_kernel_error) : Json(nullptr)},
          {"kernels", b.kernels}};
}

Json json_of(const std::map<int, double>& values) {
  Json json = Json::object();
  for (const auto& [ranks, value] : values) json[std::to_string(ranks)] = value;
  return json;
}

Json sources_json(const std::vector<predict::SourceLine>& sources) {
  Json json = Json::array();
  for (const predict::SourceLine& line : sources) {
    json.push_back({{"component", name_of(line.component)},
                    {"source", name_of(line.source)},
                    {"estimate", json_of(line.estimate)},
                    {"backtest", json_of(line.backtest)},
                    {"backtest_before", json_of(line.backtest_before)},
                    {"known_s", json_of(line.known_s)},
                    {"taken", line.taken},
                    {"why", line.why}});
  }
  return json;
}

Json waiting_json(const std::vector<predict::CauseOfWaiting>& causes) {
  Json json = Json::array();
  for (const predict::CauseOfWaiting& of : causes) {
    json.push_back({{"cause", of.cause}, {"estimate", json_of(of.estimate)}});
  }
  return json;
}

Json json_of(const Trust& trust) {
  Json reasons = Json::array();
  for (const TrustReason& reason : trust.reasons) {
    Json at = Json::array();
    for (const Point& point : reason.at) at.push_back(json_of(point));
    reasons.push_back({{"doubt", name_of(reason.doubt)},
                       {"grade", name_of(reason.grade)},
                       {"figure", reason.figure},
                       {"at", std::move(at)},
                       {"text", text_of(reason)}});
  }
  return {{"grade", name_of(trust.grade())}, {"reasons", std::move(reasons)}};
}

Json json_of(const Efficiencies& e) {
  return {{"at", json_of(e.at)},
          {"predicted", e.predicted},
          {"simulated", e.simulated},
          {"waiting", waiting_json(e.waiting_causes)},
          {"parallel_efficiency", e.parallel_efficiency},
          {"load_balance", e.load_balance},
          {"thread_efficiency", json_of(e.thread_efficiency)},
          {"offload_efficiency", json_of(e.offload_efficiency)},
          {"devices", e.devices ? Json{{"efficiency", e.devices->efficiency},
                                       {"load_balance", e.devices->load_balance},
                                       {"communication", e.devices->communication},
                                       {"orchestration", e.devices->orchestration}}
                                : Json(nullptr)},
          {"communication_efficiency", e.communication_efficiency},
          {"computation_scalability", json_of(e.computation_scalability)},
          {"instruction_scalability", json_of(e.instruction_scalability)},
          {"ipc_scalability", json_of(e.ipc_scalability)},
          {"bf_comm", json_of(e.blocking.of_source)},
          {"bf_comm_network", json_of(e.blocking.of_network)}};
}

Json common_json(const Findings& f, const char* schema) {
  Json measured = Json::array();
  for (const Point& point : f.measured) measured.push_back(json_of(point));
  Json efficiencies = Json::array();
  for (const Efficiencies& e : f.efficiencies) efficiencies.push_back(json_of(e));
  Json backtest = json_of(f.backtest);
  if (f.backtest.possible) backtest["total_is"] = total_is(f);
  return {{"schema", schema},
          {"input", f.input},
          {"application", text_or_null(f.application)},
          {"command", f.command},
          {"clock", text_or_null(f.clock)},
          {"clock_reason", text_or_null(f.clock_reason)},
          {"total_is", total_is(f)},
          {"counters", text_or_null(f.counters)},
          {"counters_reason", text_or_null(f.counters_reason)},
          {"communication_model", text_or_null(f.communication)},
          {"bf_comm", json_of(f.blocking.of_source)},
          {"bf_comm_network", json_of(f.blocking.of_network)},
          {"processes", f.processes},
          {"measured", measured},
          {"scaling", name_of(f.scaling)},
          {"scaling_source", name_of(f.scaling_source)},
          {"scaling_reason", f.scaling_reason},
          {"scaling_contradiction", text_or_null(f.scaling_contradiction)},
          {"base", f.base.empty() ? Json(nullptr) : json_of(f.base)},
          {"backtest", std::move(backtest)},
          {"trust", json_of(f.trust)},
          {"efficiencies", efficiencies},
          {"next_run", text_or_null(f.next_run ? sentence_of(*f.next_run) : "")},
          {"notes", f.notes}};
}

}  // namespace scalediag::report
