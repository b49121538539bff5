#include "report/render/json/report_json.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/json/json_writer.h"
#include "report/render/json/json_parts.h"
#include "report/render/json/kernels_json.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

// The value rounded to that many significant digits.
double rounded(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return value;
  std::array<char, 64> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1);
  double read = value;
  std::from_chars(text.data(), written.ptr, read);
  return read;
}

Json number(double value) { return rounded(value, kDigits); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }
Json estimate_json(const Estimate& e) {
  return {{"value", number(e.value)}, {"low", number(e.low)}, {"high", number(e.high)}, {"level", e.level}};
}
Json estimate_json(const std::optional<Estimate>& e) { return e ? estimate_json(*e) : Json(nullptr); }

template <class Range, class ValueOf>
Json column(const Range& range, ValueOf value_of) {
  Json all = Json::array();
  for (const auto& element : range) all.push_back(value_of(element));
  return all;
}

Json numbers(const std::vector<double>& values) {
  return column(values, [](double v) { return Json(rounded(v, kEvidenceDigits)); });
}

Json reported_target_json(const TargetFindings& t) {
  return {{"at", json_of(t.at)},
          {"sources", sources_json(t.sources)},
          {"waiting", waiting_json(t.waiting_causes)},
          {"run_s", estimate_json(t.run_s)},
          {"total_s", estimate_json(t.total_s)},
          {"computation_s", estimate_json(t.computation_s)},
          {"openmp_waiting_s", estimate_json(t.openmp_waiting_s)},
          {"gpu_s", estimate_json(t.gpu_s)},
          {"communication_s", estimate_json(t.communication_s)},
          {"waiting_s", estimate_json(t.waiting_s)},
          {"unattributed_s", estimate_json(t.unattributed_s)},
          {"others_s", estimate_json(t.others_s)},
          {"speedup", number(t.speedup)},
          {"efficiency", number(t.efficiency)},
          {"efficiency_interval", estimate_json(t.efficiency_interval)},
          {"efficiency_strong", number(t.efficiency_strong)},
          {"efficiency_weak", number(t.efficiency_weak)},
          {"beyond", number(t.beyond)}};
}

Json scale_or_null(const std::optional<double>& processes) {
  return processes ? parameter_value(*processes) : Json(nullptr);
}

Json parts_json(const RunParts& parts) {
  return {{"computation_s", number(parts.computation_s)},
          {"openmp_waiting_s", number(parts.openmp_waiting_s)},
          {"gpu_s", number(parts.gpu_s)},
          {"communication_s", number(parts.communication_s)},
          {"waiting_s", number(parts.waiting_s)},
          {"unattributed_s", number(parts.unattributed_s)}};
}

Json curve_json(const ScalingCurve& curve) {
  const SweetSpot& spot = curve.sweet_spot;
  return {{"samples", column(curve.samples,
                             [](const ScaleSample& s) {
                               return Json({{"at", json_of(s.at)},
                                            {"measured_s", numbers(s.measured_s)},
                                            {"measured_run_s", numbers(s.measured_run_s)},
                                            {"measured_speedup", number(s.measured_speedup)},
                                            {"measured_efficiency", number(s.measured_efficiency)},
                                            {"total_s", estimate_json(s.total_s)},
                                            {"run_s", estimate_json(s.run_s)},
                                            {"speedup", estimate_json(s.speedup)},
                                            {"efficiency", estimate_json(s.efficiency)},
                                            {"parts", parts_json(s.parts)}});
                             })},
          {"sweet_spot",
           {{"bound", spot.bound},
            {"processes", scale_or_null(spot.processes)},
            {"below_at", scale_or_null(spot.below_at)},
            {"at_least", scale_or_null(spot.at_least)},
            {"at_most", scale_or_null(spot.at_most)},
            {"examined", parameter_value(spot.examined)},
            {"measured", spot.measured}}}};
}

Json traffic_json(const TrafficFindings& t) {
  const Json sizes = column(t.sizes, [](const OperationSizes& o) {
    const auto of = [&](double SizeClass::*which) {
      return column(o.classes, [which](const SizeClass& c) { return Json(rounded(c.*which, kEvidenceDigits)); });
    };
    return Json({{"operation", o.operation},
                 {"bytes_from", of(&SizeClass::bytes_from)},
                 {"bytes_to", of(&SizeClass::bytes_to)},
                 {"calls", of(&SizeClass::calls)},
                 {"bytes", of(&SizeClass::bytes)},
                 {"wall_s", of(&SizeClass::wall_s)}});
  });
  const Json cells = column(t.matrix.cells, [](const core::PeerTraffic& c) {
    return Json::array({c.from, c.to, rounded(c.messages, kEvidenceDigits), rounded(c.bytes, kEvidenceDigits)});
  });
  return {{"at", json_of(t.at)},
          {"mpi_library", text_or_null(t.mpi_library)},
          {"sizes", sizes},
          {"matrix",
           {{"ranks", t.matrix.ranks},
            {"ranks_per_block", t.matrix.ranks_per_block},
            {"blocks", t.matrix.blocks},
            {"cells", cells}}},
          {"load",
           {{"ranks_per_block", t.load.ranks_per_block},
            {"computation_s", numbers(t.load.computation_s)},
            {"communication_s", numbers(t.load.communication_s)},
            {"total_s", numbers(t.load.total_s)}}}};
}

Json region_json(const RegionFinding& r) {
  const auto of = [&r](double RegionTimes::*which) {
    return column(r.times, [which](const RegionTimes& t) { return Json(rounded(t.*which, kEvidenceDigits)); });
  };
  Json json = {{"name", r.name},
               {"parent", r.parent},
               {"source", r.source},
               {"of_other_threads", r.of_other_threads},
               {"notes", r.notes},
               {"at", column(r.times, [](const RegionTimes& t) { return json_of(t.at); })},
               {"count", of(&RegionTimes::count)},
               {"time_s", of(&RegionTimes::time_s)},
               {"share", of(&RegionTimes::share)},
               {"elapsed_s", of(&RegionTimes::elapsed_s)},
               {"computation_s", of(&RegionTimes::computation_s)},
               {"communication_s", of(&RegionTimes::communication_s)},
               {"least_s", of(&RegionTimes::least_s)},
               {"most_s", of(&RegionTimes::most_s)}};
  if (!r.is_parallel()) return json;
  json["threads"] = of(&RegionTimes::threads);
  json["busy_s"] = of(&RegionTimes::busy_s);
  json["idle_s"] = of(&RegionTimes::idle_s);
  json["slowest_s"] = of(&RegionTimes::slowest_s);
  json["busy_cpu_s"] = of(&RegionTimes::busy_cpu_s);
  json["thread_imbalance"] =
      column(r.times, [](const RegionTimes& t) { return Json(rounded(t.thread_imbalance(), kEvidenceDigits)); });
  return json;
}

Json openmp_json(const OpenMpFinding& openmp) {
  return {{"at", json_of(openmp.at)},
          {"inside_s", rounded(openmp.inside_s, kEvidenceDigits)},
          {"outside_s", rounded(openmp.outside_s, kEvidenceDigits)},
          {"outside_mpi_s", rounded(openmp.outside_mpi_s, kEvidenceDigits)}};
}

Json call_tree_json(const CallTree& tree) {
  if (tree.nodes.empty()) return nullptr;
  constexpr double kListed = 0.005;
  Json paths = Json::array();
  for (const CallTreeNode& n : tree.nodes) {
    bool is_listed = false;
    for (size_t i = 0; i < tree.scales.size(); ++i) {
      is_listed = is_listed || n.times[i].inclusive_s >= kListed * tree.total_s[i];
    }
    if (!is_listed) continue;
    const auto of = [&n](double CallTreeTimes::*which) {
      return column(n.times, [which](const CallTreeTimes& t) { return Json(rounded(t.*which, kEvidenceDigits)); });
    };
    const std::optional<double> growth = growth_exponent(tree, n);
    paths.push_back({{"path", n.path},
                     {"kind", core::name_of(n.kind)},
                     {"module", n.module},
                     {"file", n.file},
                     {"line", n.line},
                     {"inclusive_s", of(&CallTreeTimes::inclusive_s)},
                     {"exclusive_s", of(&CallTreeTimes::exclusive_s)},
                     {"growth", growth ? Json(rounded(*growth, kEvidenceDigits)) : Json(nullptr)}});
  }
  return {{"scales", column(tree.scales, [](const Point& at) { return json_of(at); })},
          {"total_s", tree.total_s},
          {"left_out_from", tree.left_out_from},
          {"paths", paths}};
}

Json phases_json(const PhaseFindings& p) {
  return {{"ranks", p.ranks},
          {"target", p.target},
          {"regular_share", number(p.regular_share)},
          {"certain_share", number(p.certain_share)},
          {"main_loop", p.main_loop.empty() ? Json(nullptr) : json_of(p.main_loop)},
          {"phases", column(p.phases,
                            [](const PhaseFinding& phase) {
                              return Json({{"number", phase.number},
                                           {"weight", json_of(phase.weight)},
                                           {"share", number(phase.share)},
                                           {"relevant", phase.is_relevant},
                                           {"regular", phase.is_regular},
                                           {"certain", phase.is_certain},
                                           {"operations", phase.operations}});
                            })},
          {"loops", column(p.loops, [](const PhaseLoop& loop) {
             return Json(
                 {{"first", loop.first}, {"last", loop.last}, {"depth", loop.depth}, {"rounds", json_of(loop.rounds)}});
           })}};
}

Json provenance_json(const Provenance& p) {
  return {{"facts", column(p.facts,
                           [](const auto& fact) {
                             return Json({{"name", fact.first}, {"text", fact.second}});
                           })},
          {"runs", column(p.runs,
                          [](const MeasuredRuns& r) {
                            return Json({{"at", json_of(r.at)},
                                         {"repeats", r.repeats},
                                         {"total_s", number(r.total_s)},
                                         {"total_cv", number(r.total_cv)},
                                         {"wall_s", number(r.wall_s)},
                                         {"samples", r.samples},
                                         {"lost_samples", r.lost_samples},
                                         {"unsteady_kernels", r.unsteady}});
                          })},
          {"events", column(p.events,
                            [](const core::CounterEvent& e) {
                              return Json({{"event", e.event},
                                           {"metric", e.metric},
                                           {"derived", e.derived},
                                           {"source", text_or_null(e.formula_or_source)}});
                            })},
          {"warnings", column(p.warnings,
                              [](const core::RunWarning& w) {
                                return Json({{"text", w.text}, {"runs", w.runs}});
                              })},
          {"missing_runs", p.missing}};
}

// A text in the place of the kernels; no other text of the document equals it.
constexpr const char* kKernelsGoHere = "\x01kernels";

}  // namespace

core::Result<std::string> report_json(const Findings& f, JsonLayout layout) {
  const bool readable = layout == JsonLayout::kReadable;
  Json json = common_json(f, "scalediag-report/1");
  json["verdict"] = verdict_of(f);
  json["targets"] = column(f.targets, reported_target_json);
  json["curve"] = f.curve ? curve_json(*f.curve) : Json(nullptr);
  json["evidence_at"] = column(f.evidence_points, [](const Point& at) { return json_of(at); });
  // The kernels are nearly all of the document, and are written directly.
  const core::Result<std::string> kernels = kernels_json(f, readable);
  if (!kernels) return kernels.error();
  json["kernels"] = kKernelsGoHere;
  json["traffic"] = f.traffic ? traffic_json(*f.traffic) : Json(nullptr);
  json["regions"] = column(f.regions, region_json);
  json["openmp"] = column(f.openmp, openmp_json);
  json["call_tree"] = call_tree_json(f.call_tree);
  json["phases"] = f.phases ? phases_json(*f.phases) : Json(nullptr);
  json["provenance"] = f.provenance ? provenance_json(*f.provenance) : Json(nullptr);
  core::Result<std::string> text = core::to_json_text(json, readable ? 2 : 0);
  if (!text) return text;
  // The name with its quotes is unique: inside a text the quotes would be escaped.
  const std::string name = readable ? "\"kernels\": " : "\"kernels\":";
  const std::string mark = Json(kKernelsGoHere).dump();
  std::string& document = text.value();
  return document.replace(document.find(name + mark) + name.size(), mark.size(), kernels.value());
}

}  // namespace scalediag::report
