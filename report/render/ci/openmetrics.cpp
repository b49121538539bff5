#include "report/render/ci/openmetrics.h"

#include <functional>
#include <optional>

#include "core/text/numbers.h"
#include "core/text/printable.h"

namespace scalediag::report {
namespace {

// Backslash, quote and line feed are escaped; bytes that are no UTF-8 are replaced.
std::string metric_label(const std::string& text) {
  std::string out;
  for (const char c : core::printable(text, "\xEF\xBF\xBD", "\n")) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

const char* metric_unit(const Rule& rule) {
  if (rule.quantity == Quantity::kScales) return "number";
  switch (dimension_of(rule)) {
    case Dimension::kTime:
      return "seconds";
    case Dimension::kBytes:
      return "bytes";
    case Dimension::kRatio:
      return "ratio";
    case Dimension::kNumber:
      break;
  }
  return "number";
}

struct MetricFamily {
  const char* name;
  const char* help;
  // Nothing where the rule has no such value.
  std::function<std::optional<double>(const RuleVerdict&)> value;
};

}  // namespace

std::string check_openmetrics(const RuleCheck& check) {
  const auto has_value = [](const RuleVerdict& v) { return v.rule.quantity != Quantity::kScales; };
  const auto number_if = [](bool is, double value) { return is ? std::optional(value) : std::nullopt; };
  const MetricFamily families[] = {
      {"scalediag_rule_passed", "1 where the rule does not fail, 0 where it fails",
       [&](const RuleVerdict& v) { return std::optional(check.fails(v) ? 0.0 : 1.0); }},
      {"scalediag_rule_uncertain", "1 where the interval of the value reaches over the limit or is not known",
       [](const RuleVerdict& v) { return std::optional(v.certain ? 0.0 : 1.0); }},
      {"scalediag_rule_value", "The value that the rule is about, in the unit of the label",
       [&](const RuleVerdict& v) { return number_if(has_value(v), v.fact.value.value); }},
      {"scalediag_rule_low", "The lower end of its 90 % interval",
       [&](const RuleVerdict& v) { return has_value(v) ? v.fact.value.low : std::nullopt; }},
      {"scalediag_rule_high", "The upper end of its 90 % interval",
       [&](const RuleVerdict& v) { return has_value(v) ? v.fact.value.high : std::nullopt; }},
      {"scalediag_rule_limit", "The limit of the rule",
       [&](const RuleVerdict& v) { return number_if(has_value(v), v.rule.limit); }},
  };
  std::string out;
  for (const MetricFamily& family : families) {
    out += std::string("# TYPE ") + family.name + " gauge\n# HELP " + family.name + " " + family.help + "\n";
    for (size_t i = 0; i < check.verdicts.size(); ++i) {
      const RuleVerdict& verdict = check.verdicts[i];
      const std::optional<double> value = family.value(verdict);
      if (!value) continue;
      out += std::string(family.name) + "{input=\"" + metric_label(check.input) + "\",rule=\"" +
             metric_label(verdict.rule.text) + "\",number=\"" + std::to_string(i + 1) + "\",unit=\"" +
             metric_unit(verdict.rule) + "\"} " + core::to_text(*value) + "\n";
    }
  }
  return out + "# EOF\n";
}

}  // namespace scalediag::report
