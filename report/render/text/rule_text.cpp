#include "report/render/text/rule_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json/json_writer.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

// A ratio as all reports write it; with more digits where they would show almost nothing.
std::string ratio_text(double value) {
  constexpr double kSmall = 0.01;
  return value != 0 && std::abs(value) < kSmall ? core::four_digits(100 * value) + "%" : core::percent(value);
}

// The values of a rule in one unit, so that a value and its interval can be compared.
class ValueText {
 public:
  ValueText(const Rule& rule, double largest) : rule_(rule), time_(largest) {}
  std::string operator()(double value) const {
    if (rule_.quantity == Quantity::kKernelRank) return core::fixed(value, 0);
    if (rule_.quantity == Quantity::kGrowth || rule_.quantity == Quantity::kScales) return core::fixed(value, 3);
    switch (dimension_of(rule_)) {
      case Dimension::kTime:
        return time_(value);
      case Dimension::kBytes:
        return core::bytes_text(value);
      case Dimension::kRatio:
        return ratio_text(value);
      case Dimension::kNumber:
        break;
    }
    return core::four_digits(value);
  }
  std::string unit() const { return dimension_of(rule_) == Dimension::kTime ? std::string(" ") + time_.unit() : ""; }

 private:
  const Rule& rule_;
  core::TimeFormat time_;
};

std::string value_text(const RuleVerdict& verdict) {
  const RuleValue& v = verdict.fact.value;
  const ValueText text(verdict.rule, v.high.value_or(v.value));
  std::string all = text(v.value);
  if (v.low && v.high) {
    all += " (" + text(*v.low) + " to " + text(*v.high) + ")" + text.unit();
  } else if (v.low) {
    all += " (" + text(*v.low) + " or more)" + text.unit();
  } else {
    all += text.unit() + " (error not known: " + verdict.fact.error_unknown + ")";
  }
  return all;
}

// The reason why a verdict is uncertain.
enum class VerdictDoubt { kInterval, kNoInterval, kUndecided };
constexpr std::array<std::pair<VerdictDoubt, const char*>, 3> kDoubts = {
    {{VerdictDoubt::kInterval, "the interval reaches over the limit, and the value decides"},
     {VerdictDoubt::kNoInterval, "nothing is known about the value's error, and the value decides"},
     {VerdictDoubt::kUndecided, "the data do not decide whether the kernel scales, and the rule counts as kept"}}};

VerdictDoubt doubt_of(const RuleVerdict& verdict) {
  if (verdict.rule.quantity == Quantity::kScales) return VerdictDoubt::kUndecided;
  return verdict.fact.value.low ? VerdictDoubt::kInterval : VerdictDoubt::kNoInterval;
}

class CheckReport {
 public:
  CheckReport(const RuleCheck& check, const TerminalOptions& options) : check_(check), options_(options) {}

  std::string text() {
    for (const RuleVerdict& verdict : check_.verdicts) print_verdict(verdict);
    print_summary();
    return std::move(out_);
  }

 private:
  std::string colored(const std::string& text, const char* color) const {
    return options_.color ? std::string("\033[") + color + "m" + text + "\033[0m" : text;
  }

  void print_verdict(const RuleVerdict& verdict) {
    const std::string place = verdict.rule.where.empty() ? "" : verdict.rule.where + ": ";
    out_ += colored(verdict.passed ? "PASS" : "FAIL", verdict.passed ? "1;32" : "1;31") +
            (verdict.certain ? "  " : colored(" (uncertain)  ", "1;33")) +
            core::printable(place + trimmed(verdict.rule.text)) + "\n";
    const RuleFact& fact = verdict.fact;
    std::string line;
    if (verdict.rule.quantity != Quantity::kScales) line = value_text(verdict) + ", ";
    line += name_of(fact.origin);
    const bool over_scales = verdict.rule.quantity == Quantity::kGrowth && fact.origin != Origin::kPredicted;
    if (!over_scales) line += " at " + text_of(verdict.at);
    print_line(line);
    print_line(fact.evidence);
    if (!fact.formula.empty()) print_line("model: " + fact.formula);
    if (verdict.holds && !verdict.passed) {
      print_line(std::string(doubt_of(verdict) == VerdictDoubt::kUndecided ? "nothing shows that it fails"
                                                                    : "it holds by the value") +
                 ", and --strict fails what is not certain");
    }
  }

  void print_line(const std::string& text) {
    if (!text.empty()) out_ += "      " + core::printable(text) + "\n";
  }

  static std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin);
  }

  void print_summary() {
    const auto count = [this](auto is) { return std::count_if(check_.verdicts.begin(), check_.verdicts.end(), is); };
    const auto failed = count([](const RuleVerdict& v) { return !v.passed; });
    const auto uncertain = count([](const RuleVerdict& v) { return !v.certain; });
    const size_t n = check_.verdicts.size();
    out_ += "\n" + std::to_string(n) + (n == 1 ? " rule, " : " rules, ") + std::to_string(failed) + " failed";
    if (uncertain > 0) out_ += ", " + std::to_string(uncertain) + " uncertain";
    out_ += "; intervals hold 90 %\n";
    for (const auto& [doubt, meaning] : kDoubts) {
      const VerdictDoubt which = doubt;
      if (check_.strict || count([which](const RuleVerdict& v) { return !v.certain && doubt_of(v) == which; }) == 0)
        continue;
      out_ += "uncertain: " + std::string(meaning) + "; --strict fails such a rule\n";
    }
    for (const std::string& note : check_.notes) out_ += "note: " + core::printable(note) + "\n";
  }

  const RuleCheck& check_;
  const TerminalOptions& options_;
  std::string out_;
};

const char* unit_name(const Rule& rule) {
  switch (dimension_of(rule)) {
    case Dimension::kTime:
      return "s";
    case Dimension::kBytes:
      return "bytes";
    case Dimension::kRatio:
    case Dimension::kNumber:
      break;
  }
  return "";
}

Json verdict_json(const RuleVerdict& v) {
  const bool has_limit = v.rule.quantity != Quantity::kScales;
  Json json = {{"rule", v.rule.text},
               {"where", text_or_null(v.rule.where)},
               {"passed", v.passed},
               {"holds", v.holds},
               {"uncertain", !v.certain},
               {"at", json_of(v.at)},
               {"source", name_of(v.fact.origin)},
               {"value", v.fact.value.value},
               {"low", json_of(v.fact.value.low)},
               {"high", json_of(v.fact.value.high)},
               {"level", kRuleLevel},
               {"comparison", has_limit ? Json(text_of(v.rule.comparison)) : Json(nullptr)},
               {"limit", has_limit ? Json(v.rule.limit) : Json(nullptr)},
               {"unit", text_or_null(unit_name(v.rule))},
               {"formula", text_or_null(v.fact.formula)},
               {"evidence", text_or_null(v.fact.evidence)}};
  if (!has_limit) json["scales"] = json_of(v.fact.scales);
  return json;
}

}  // namespace

std::string check_text(const RuleCheck& check, const TerminalOptions& options) {
  return CheckReport(check, options).text();
}

core::Result<std::string> check_json(const RuleCheck& check) {
  Json rules = Json::array();
  for (const RuleVerdict& verdict : check.verdicts) rules.push_back(verdict_json(verdict));
  return core::to_json_text({{"schema", "scalediag-check/1"},
                             {"input", check.input},
                             {"passed", check.passed()},
                             {"strict", check.strict},
                             {"rules", rules},
                             {"notes", check.notes}},
                            2);
}

}  // namespace scalediag::report
