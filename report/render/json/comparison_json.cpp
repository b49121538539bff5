#include "report/render/json/comparison_json.h"

#include <nlohmann/json.hpp>

#include "core/json/json_writer.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

// Declared here since the functions below would hide it.
using report::json_of;

Json json_of(const ComparedValue& v) {
  return {{"a", v.a},
          {"b", v.b},
          {"difference", v.b - v.a},
          {"relative", json_of(v.relative)},
          {"low", json_of(v.low)},
          {"high", json_of(v.high)},
          {"against_others", json_of(v.against_others)},
          {"others_low", json_of(v.others_low)},
          {"others_high", json_of(v.others_high)},
          {"p", json_of(v.p)},
          {"change", name_of(v.change)}};
}

Json json_of(const ComparedKernel& k) {
  Json json = {{"name", k.name}, {"module", k.module}, {"file", text_or_null(k.file)}, {"kind", k.kind}};
  json.update(json_of(k.time));
  json["share"] = k.share;
  json["in_a"] = k.in_a;
  json["in_b"] = k.in_b;
  if (k.instructions) json["instructions"] = *k.instructions;
  if (k.calls) json["calls"] = *k.calls;
  if (k.bytes) json["bytes"] = *k.bytes;
  return json;
}

Json json_of(const ComparedConfiguration& c, const Comparison& of) {
  Json kernels = Json::array();
  for (const ComparedKernel& kernel : c.kernels) kernels.push_back(json_of(kernel));
  Json json = {{"at", json_of(c.at)}, {"runs_a", c.runs_a}, {"runs_b", c.runs_b}};
  if (of.has_totals) json["total_s"] = json_of(c.total);
  if (!of.clock.empty()) {
    json["computation_s"] = json_of(c.computation);
    if (c.gpu) json["gpu_s"] = json_of(*c.gpu);
    json["communication_s"] = json_of(c.communication);
    json["others_s"] = json_of(c.others);
  }
  json["kernels"] = std::move(kernels);
  return json;
}

Json json_of(const GrowthChange& g) {
  return {{"name", g.name},
          {"module", g.module},
          {"a", g.a},
          {"b", g.b},
          {"error_a", g.error_a},
          {"error_b", g.error_b},
          {"p", g.p},
          {"changed", g.changed},
          {"same", g.same},
          {"formula_a", text_or_null(g.formula_a)},
          {"formula_b", text_or_null(g.formula_b)}};
}

Json json_of(const ComparedSide& side) {
  return {{"path", side.path}, {"application", side.application}, {"command", side.command}, {"machine", side.machine},
          {"mpi", side.mpi},   {"counters", side.counters}};
}

}  // namespace

core::Result<std::string> comparison_json(const Comparison& comparison) {
  Json configurations = Json::array();
  for (const ComparedConfiguration& c : comparison.configurations) configurations.push_back(json_of(c, comparison));
  Json growth = Json::array();
  for (const GrowthChange& g : comparison.growth) growth.push_back(json_of(g));
  Json differences = Json::array();
  for (const SideDifference& d : comparison.differences) {
    differences.push_back({{"what", d.what}, {"a", d.a}, {"b", d.b}, {"consequence", text_or_null(d.consequence)}});
  }
  return core::to_json_text({{"schema", "scalediag-diff/1"},
                             {"a", json_of(comparison.a)},
                             {"b", json_of(comparison.b)},
                             {"clock", text_or_null(comparison.clock)},
                             {"unit", text_or_null(comparison.in_seconds ? "s" : "")},
                             {"tolerance", comparison.tolerance},
                             {"level", comparison.level},
                             {"configurations", configurations},
                             {"growth_judged", comparison.growth_judged},
                             {"growth", growth},
                             {"differences", differences},
                             {"notes", comparison.notes}},
                            4);
}

}  // namespace scalediag::report
