#include "report/report_json.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/json_writer.h"
#include "report/json_parts.h"
#include "report/verdict.h"

namespace scalediag::report {
namespace {

// To so many significant digits.
double rounded(double value, int digits) {
  if (!std::isfinite(value) || value == 0) return value;
  std::array<char, 64> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1);
  double read = value;
  std::from_chars(text.data(), written.ptr, read);
  return read;
}

constexpr int kDigits = 9;
constexpr int kEvidenceDigits = 6;

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

Json curve_json(const std::vector<Estimate>& curve) {
  if (curve.empty()) return nullptr;
  const auto of = [&](double Estimate::*which) {
    return column(curve, [which](const Estimate& e) { return Json(rounded(e.*which, kEvidenceDigits)); });
  };
  return {{"value", of(&Estimate::value)}, {"low", of(&Estimate::low)}, {"high", of(&Estimate::high)}};
}

Json measured_json(const std::vector<MeasuredValue>& measured) {
  bool repeated = false;
  for (const MeasuredValue& m : measured) repeated = repeated || m.repeats > 1;
  const auto of = [&](double MeasuredValue::*which) {
    return column(measured, [which](const MeasuredValue& m) { return Json(rounded(m.*which, kEvidenceDigits)); });
  };
  return {{"at", column(measured, [](const MeasuredValue& m) { return Json(m.configuration); })},
          {"mean", of(&MeasuredValue::mean)},
          {"low", repeated ? of(&MeasuredValue::low) : Json(nullptr)},
          {"high", repeated ? of(&MeasuredValue::high) : Json(nullptr)}};
}

Json alternatives_json(const MetricEvidence& metric) {
  return column(metric.alternatives, [](const fit::Alternative& a) {
    return Json({{"law", a.law},
                 {"formula", a.formula},
                 {"weight", rounded(a.weight, kEvidenceDigits)},
                 {"error", rounded(a.backtest_error, kEvidenceDigits)},
                 {"rejected", text_or_null(a.reason)}});
  });
}

Json metric_json(const MetricEvidence& metric) {
  return {{"name", metric.name},
          {"measured", measured_json(metric.measured)},
          {"curve", curve_json(metric.curve)},
          {"formula", text_or_null(metric.formula)},
          {"noise", number(metric.noise)},
          {"median_error", number(metric.median_error)},
          {"alternatives", alternatives_json(metric)},
          {"alternatives_left_out", metric.alternatives_left_out},
          {"notes", metric.notes}};
}

Json evidence_json(const KernelEvidence& evidence) {
  return {{"complete", evidence.complete},
          {"measured_ranks", evidence.measured_ranks},
          {"metrics", column(evidence.metrics, metric_json)}};
}

// A kernel with a column for each thing that is said of it at the targets.
class KernelWriter {
 public:
  explicit KernelWriter(const Findings& findings) : findings_(findings) {
    for (const TargetFindings& target : findings.targets) {
      auto& by_id = by_target_.emplace_back();
      for (const KernelFinding& kernel : target.kernels) {
        if (kernel.id >= by_id.size()) by_id.resize(kernel.id + 1, nullptr);
        by_id[kernel.id] = &kernel;
      }
    }
  }

  Json json(const KernelFinding& main) const {
    std::vector<const KernelFinding*> at;
    for (const auto& by_id : by_target_) at.push_back(by_id[main.id]);
    Json json = {{"id", main.id},
                 {"name", main.name},
                 {"module", main.module},
                 {"file", main.file},
                 {"line", main.line},
                 {"kind", main.kind},
                 {"pooled", main.pooled},
                 {"metric", main.metric},
                 {"formula", main.formula},
                 {"way", main.way},
                 {"price", text_or_null(main.price)},
                 {"backtest_error", number(main.backtest_error)}};
    json["targets"] = targets(at);
    json["evidence"] = main.id < findings_.evidence.size() ? evidence_json(findings_.evidence[main.id]) : Json(nullptr);
    return json;
  }

 private:
  using Kernels = std::vector<const KernelFinding*>;

  static Json slowest(const Kernels& at) {
    bool any = false;
    for (const KernelFinding* k : at) any = any || k->slowest.has_value();
    if (!any) return nullptr;
    const auto of = [&](double Estimate::*which) {
      return column(at, [which](const KernelFinding* k) { return k->slowest ? number((*k->slowest).*which) : Json(); });
    };
    return {{"value", of(&Estimate::value)}, {"low", of(&Estimate::low)}, {"high", of(&Estimate::high)}};
  }

  static Json targets(const Kernels& at) {
    return {{"rank", column(at, [](const KernelFinding* k) { return Json(k->rank); })},
            {"rank_measured", column(at, [](const KernelFinding* k) { return json_of(k->rank_measured); })},
            {"measured", column(at, [](const KernelFinding* k) { return number(k->measured); })},
            {"value", column(at, [](const KernelFinding* k) { return number(k->estimate.value); })},
            {"low", column(at, [](const KernelFinding* k) { return number(k->estimate.low); })},
            {"high", column(at, [](const KernelFinding* k) { return number(k->estimate.high); })},
            {"slowest", slowest(at)},
            {"share", column(at, [](const KernelFinding* k) { return number(k->share); })},
            {"matters", column(at, [](const KernelFinding* k) { return Json(k->matters); })},
            {"scales", column(at, [](const KernelFinding* k) { return json_of(k->scales); })},
            {"exponent", column(at, [](const KernelFinding* k) { return number(k->exponent); })},
            {"stops_at", column(at,
                                [](const KernelFinding* k) {
                                  return k->stops_at ? parameter_value(std::round(*k->stops_at)) : Json(nullptr);
                                })},
            {"cause", column(at, [](const KernelFinding* k) { return text_or_null(k->cause); })},
            {"cause_evidence", column(at, [](const KernelFinding* k) { return text_or_null(k->evidence); })}};
  }

  const Findings& findings_;
  std::vector<Kernels> by_target_;
};

Json target_json(const TargetFindings& t) {
  return {{"at", json_of(t.at)},
          {"total_s", estimate_json(t.total_s)},
          {"computation_s", estimate_json(t.computation_s)},
          {"communication_s", estimate_json(t.communication_s)},
          {"waiting_s", estimate_json(t.waiting_s)},
          {"others_s", estimate_json(t.others_s)},
          {"speedup", number(t.speedup)},
          {"efficiency", number(t.efficiency)},
          {"beyond", number(t.beyond)}};
}

Json curve_json(const ScalingCurve& curve) {
  const SweetSpot& spot = curve.sweet_spot;
  return {{"samples", column(curve.samples,
                             [](const ScaleSample& s) {
                               return Json({{"at", json_of(s.at)},
                                            {"measured_s", numbers(s.measured_s)},
                                            {"measured_speedup", number(s.measured_speedup)},
                                            {"measured_efficiency", number(s.measured_efficiency)},
                                            {"total_s", estimate_json(s.total_s)},
                                            {"speedup", estimate_json(s.speedup)},
                                            {"efficiency", estimate_json(s.efficiency)}});
                             })},
          {"sweet_spot",
           {{"bound", spot.bound},
            {"processes", json_of(spot.processes)},
            {"at_least", json_of(spot.at_least)},
            {"at_most", json_of(spot.at_most)},
            {"examined", spot.examined},
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

}  // namespace

core::Result<std::string> report_json(const Findings& f, JsonLayout layout) {
  Json json = common_json(f, "scalediag-report/1");
  json["verdict"] = verdict_of(f);
  json["targets"] = column(f.targets, target_json);
  json["curve"] = f.curve ? curve_json(*f.curve) : Json(nullptr);
  json["evidence_at"] = column(f.evidence_points, [](const Point& at) { return json_of(at); });
  const KernelWriter writer(f);
  Json kernels = Json::array();
  if (!f.targets.empty()) {
    for (const KernelFinding& kernel : main_target(f).kernels) kernels.push_back(writer.json(kernel));
  }
  json["kernels"] = std::move(kernels);
  json["traffic"] = f.traffic ? traffic_json(*f.traffic) : Json(nullptr);
  json["provenance"] = f.provenance ? provenance_json(*f.provenance) : Json(nullptr);
  return core::to_json_text(json, layout == JsonLayout::kCompact ? 0 : 2);
}

}  // namespace scalediag::report
