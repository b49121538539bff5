#include "report/json_parts.h"

#include <cmath>
#include <cstdint>

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

}  // namespace scalediag::report
