#include "report/render/json/kernels_json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/profile/resource_notes.h"
#include "report/render/json/json_parts.h"
#include "report/render/json/json_stream.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

// Writes a kernel with one array for each property, which has a value for each target.
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

  // Appends the kernel; an error where a number is not finite.
  std::optional<core::Error> append(std::string& to, const KernelFinding& main) const {
    JsonStream out(to);
    write(out, main);
    if (out.is_finite()) return std::nullopt;
    return core::Error{core::ErrorCode::kInput, "a value of kernel " + main.name + " is not a finite number",
                       "report this as a bug of scalediag", ""};
  }

 private:
  using Kernels = std::vector<const KernelFinding*>;

  void write(JsonStream& out, const KernelFinding& main) const {
    out.begin_object();
    out.key("id");
    out.integer(static_cast<int64_t>(main.id));
    text_field(out, "name", main.name);
    text_field(out, "module", main.module);
    text_field(out, "file", main.file);
    out.key("line");
    out.integer(main.line);
    text_field(out, "kind", name_of(main.kind));
    out.key("pooled");
    out.integer(main.pooled);
    text_field(out, "metric", main.metric);
    text_field(out, "formula", main.formula);
    out.key("formula_weight");
    out.number(main.formula_weight, kEvidenceDigits);
    out.key("formula_note");
    out.text_or_null(main.formula_note);
    text_field(out, "way", name_of(main.method));
    out.key("cost");
    out.text_or_null(main.cost);
    out.key("backtest_error");
    number_or_null(out, main.backtest_error);
    out.key("resource_notes");
    out.begin_object();
    for (const std::string& note : main.resource_notes) text_field(out, note, core::resource_note_text(note));
    out.end_object();
    list(out, "call_sites", main.call_sites, [&](const CallSiteShare& site) {
      out.begin_object();
      text_field(out, "site", site.site);
      for (const auto& [name, value] :
           {std::pair("share", site.share), std::pair("calls", site.calls), std::pair("bytes", site.bytes)}) {
        out.key(name);
        out.number(value, kDigits);
      }
      out.end_object();
    });
    write_targets(out, main.id);
    out.key("evidence");
    if (main.id < findings_.evidence.size()) {
      write_evidence(out, findings_.evidence[main.id]);
    } else {
      out.null();
    }
    out.end_object();
  }

  static void text_field(JsonStream& out, std::string_view name, std::string_view text) {
    out.key(name);
    out.text(text);
  }

  static void number_or_null(JsonStream& out, const std::optional<double>& value) {
    value ? out.number(*value, kDigits) : out.null();
  }

  // An array of the results of `write_one` for each element.
  template <class Range, class WriteOne>
  static void list(JsonStream& out, std::string_view name, const Range& range, WriteOne write_one) {
    out.key(name);
    out.begin_array();
    for (const auto& element : range) write_one(element);
    out.end_array();
  }

  void write_targets(JsonStream& out, size_t id) const {
    Kernels at;
    for (const Kernels& by_id : by_target_) at.push_back(by_id[id]);
    const auto numbers = [&](std::string_view name, auto value_of) {
      list(out, name, at, [&](const KernelFinding* k) { number_or_null(out, value_of(*k)); });
    };
    const auto texts = [&](std::string_view name, std::string KernelFinding::*which) {
      list(out, name, at, [&](const KernelFinding* k) { out.text_or_null(k->*which); });
    };
    out.key("targets");
    out.begin_object();
    const auto ranks = [&](std::string_view name, std::optional<int> KernelFinding::*which) {
      list(out, name, at, [&](const KernelFinding* k) { k->*which ? out.integer(*(k->*which)) : out.null(); });
    };
    ranks("rank", &KernelFinding::rank);
    ranks("rank_measured", &KernelFinding::rank_measured);
    numbers("measured", [](const KernelFinding& k) -> std::optional<double> { return k.measured; });
    numbers("value", [](const KernelFinding& k) -> std::optional<double> { return k.estimate.value; });
    numbers("low", [](const KernelFinding& k) -> std::optional<double> { return k.estimate.low; });
    numbers("high", [](const KernelFinding& k) -> std::optional<double> { return k.estimate.high; });
    write_slowest(out, at);
    texts("slowest_is", &KernelFinding::slowest_rank);
    numbers("share", [](const KernelFinding& k) -> std::optional<double> { return k.share; });
    list(out, "matters", at, [&](const KernelFinding* k) { out.boolean(k->matters); });
    list(out, "scales", at, [&](const KernelFinding* k) { k->scales ? out.boolean(*k->scales) : out.null(); });
    numbers("exponent", [](const KernelFinding& k) -> std::optional<double> { return k.exponent; });
    list(out, "stops_at", at, [&](const KernelFinding* k) {
      // Up to this number of processes a double is exact, so that it is written as an integer and readers can use it as
      // a key.
      constexpr double kExact = 1e15;
      if (!k->stops_at) return out.null();
      const double rounded = std::round(*k->stops_at);
      std::abs(rounded) < kExact ? out.integer(static_cast<int64_t>(rounded)) : out.number(rounded, kDigits);
    });
    list(out, "cause", at, [&](const KernelFinding* k) { out.text_or_null(name_of(k->cause)); });
    texts("cause_evidence", &KernelFinding::evidence);
    out.end_object();
  }

  static void write_slowest(JsonStream& out, const Kernels& at) {
    out.key("slowest");
    const bool any = std::any_of(at.begin(), at.end(), [](const KernelFinding* k) { return k->slowest.has_value(); });
    if (!any) return out.null();
    out.begin_object();
    const auto column_of = [&](std::string_view name, double Estimate::*which) {
      list(out, name, at,
           [&](const KernelFinding* k) { k->slowest ? out.number((*k->slowest).*which, kDigits) : out.null(); });
    };
    column_of("value", &Estimate::value);
    column_of("low", &Estimate::low);
    column_of("high", &Estimate::high);
    out.end_object();
  }

  static void write_evidence(JsonStream& out, const KernelEvidence& evidence) {
    out.begin_object();
    out.key("complete");
    out.boolean(evidence.complete);
    list(out, "measured_ranks", evidence.measured_ranks, [&](auto rank) { out.integer(static_cast<int64_t>(rank)); });
    list(out, "metrics", evidence.metrics, [&](const MetricEvidence& metric) { write_metric(out, metric); });
    out.end_object();
  }

  static void write_metric(JsonStream& out, const MetricEvidence& metric) {
    out.begin_object();
    text_field(out, "name", metric.name);
    write_measured(out, metric.measured);
    write_curve(out, metric.curve);
    out.key("formula");
    out.text_or_null(metric.formula);
    out.key("formula_weight");
    out.number(metric.formula_weight, kEvidenceDigits);
    out.key("formula_note");
    out.text_or_null(metric.formula_note);
    out.key("noise");
    number_or_null(out, metric.noise);
    out.key("median_error");
    number_or_null(out, metric.median_error);
    list(out, "alternatives", metric.alternatives, [&](const fit::Alternative& a) { write_alternative(out, a); });
    out.key("alternatives_left_out");
    out.integer(static_cast<int64_t>(metric.alternatives_left_out));
    list(out, "notes", metric.notes, [&](const std::string& note) { out.text(note); });
    out.end_object();
  }

  static void write_measured(JsonStream& out, const std::vector<MeasuredValue>& measured) {
    const bool repeated =
        std::any_of(measured.begin(), measured.end(), [](const MeasuredValue& m) { return m.repeats > 1; });
    const auto column_of = [&](std::string_view name, double MeasuredValue::*which) {
      list(out, name, measured, [&](const MeasuredValue& m) { out.number(m.*which, kEvidenceDigits); });
    };
    out.key("measured");
    out.begin_object();
    list(out, "at", measured, [&](const MeasuredValue& m) { out.integer(static_cast<int64_t>(m.configuration)); });
    column_of("mean", &MeasuredValue::mean);
    for (const auto& [name, which] : {std::pair("low", &MeasuredValue::low), std::pair("high", &MeasuredValue::high)}) {
      if (repeated) {
        column_of(name, which);
      } else {
        out.key(name);
        out.null();
      }
    }
    out.end_object();
  }

  static void write_curve(JsonStream& out, const std::vector<Estimate>& curve) {
    out.key("curve");
    if (curve.empty()) return out.null();
    out.begin_object();
    const auto column_of = [&](std::string_view name, double Estimate::*which) {
      list(out, name, curve, [&](const Estimate& e) { out.number(e.*which, kEvidenceDigits); });
    };
    column_of("value", &Estimate::value);
    column_of("low", &Estimate::low);
    column_of("high", &Estimate::high);
    out.end_object();
  }

  static void write_alternative(JsonStream& out, const fit::Alternative& a) {
    out.begin_object();
    text_field(out, "hypothesis", a.hypothesis);
    text_field(out, "formula", a.formula);
    out.key("weight");
    out.number(a.weight, kEvidenceDigits);
    out.key("error");
    out.number(a.backtest_error, kEvidenceDigits);
    out.key("rejected");
    out.text_or_null(a.reason);
    out.end_object();
  }

  const Findings& findings_;
  std::vector<Kernels> by_target_;
};

}  // namespace

core::Result<std::string> kernels_json(const Findings& findings, bool readable) {
  std::string all = "[";
  if (!findings.targets.empty()) {
    const KernelWriter writer(findings);
    for (const KernelFinding& kernel : main_target(findings).kernels) {
      if (all.size() > 1) all += ',';
      if (readable) all += "\n  ";
      if (const auto failure = writer.append(all, kernel)) return *failure;
    }
    if (readable && all.size() > 1) all += "\n ";
  }
  return all + "]";
}

}  // namespace scalediag::report
