#include "report/render/text/rule_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json/json_writer.h"
#include "core/text/bounded.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

// A number of a rule in the unit that its dimension has, with the digits that its interval allows.
class ValueText {
 public:
  ValueText(const Rule& rule, double largest) : time_(largest), is_rank_(rule.quantity == Quantity::kKernelRank) {
    if (rule.quantity == Quantity::kGrowth || is_rank_) return;
    const Dimension dimension = dimension_of(rule);
    if (dimension == Dimension::kTime) {
      factor_ = core::units_a_second(time_);
      unit_ = std::string(" ") + time_.unit();
    } else if (dimension == Dimension::kRatio) {
      factor_ = 100;
      unit_ = " %";
    }
    is_bytes_ = dimension == Dimension::kBytes;
  }

  // "17 ms (8 to 1500)", "17 ms (8 or more)"; without an interval four digits.
  std::string of(const RuleValue& v) const {
    if (!v.low) return number(v.value, v.value, v.value).value + unit_;
    if (!v.high)
      return number(v.value, v.value, v.value).value + unit_ + " (" + number(*v.low, *v.low, *v.low).value +
             " or more)";
    const core::Bounded all = number(v.value, std::min(*v.low, v.value), std::max(*v.high, v.value));
    const bool is_none = all.value == "-";  // the rule is decided by it all the same
    return (is_none ? number(v.value, v.value, v.value).value : all.value) + unit_ +
           (all.low == all.high ? "" : " (" + all.low + " to " + all.high + ")");
  }

 private:
  core::Bounded number(double value, double low, double high) const {
    if (is_rank_) return {core::fixed(value, 0), core::fixed(low, 0), core::fixed(high, 0)};
    if (is_bytes_) return {core::bytes_text(value), core::bytes_text(low), core::bytes_text(high)};
    return core::bounded(factor_ * value, factor_ * low, factor_ * high);
  }

  core::TimeFormat time_;
  bool is_rank_, is_bytes_ = false;
  double factor_ = 1;
  std::string unit_;
};

std::string value_text(const RuleVerdict& verdict) {
  const RuleValue& v = verdict.fact.value;
  const std::string text = ValueText(verdict.rule, v.value).of(v);
  return v.low ? text : text + " (error not known: " + verdict.fact.error_unknown + ")";
}

// The reason why a verdict is uncertain.
enum class VerdictDoubt { kInterval, kNoInterval, kUndecided, kNothing };
constexpr std::array<std::pair<VerdictDoubt, const char*>, 4> kDoubts = {
    {{VerdictDoubt::kInterval, "the interval reaches over the limit, and the value decides"},
     {VerdictDoubt::kNoInterval, "nothing is known about the value's error, and the value decides"},
     {VerdictDoubt::kUndecided, "the data do not decide whether the kernel scales, and the rule counts as kept"},
     {VerdictDoubt::kNothing, "nothing can be concluded from these runs, and a value that breaks the rule decides"}}};

VerdictDoubt doubt_of(const RuleVerdict& verdict, const Trust& trust) {
  if (verdict.fact.origin == Origin::kPredicted && trust.tells_nothing()) return VerdictDoubt::kNothing;
  if (verdict.rule.quantity == Quantity::kScales) return VerdictDoubt::kUndecided;
  return verdict.fact.value.low ? VerdictDoubt::kInterval : VerdictDoubt::kNoInterval;
}

bool is_left_undecided(const RuleCheck& check, const RuleVerdict& verdict) {
  return verdict.undecided && !check.strict;
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
    if (is_left_undecided(check_, verdict)) {
      out_ += colored("UNDECIDED  ", "1;33");
    } else {
      out_ += colored(verdict.passed ? "PASS" : "FAIL", verdict.passed ? "1;32" : "1;31") +
              (verdict.certain ? "  " : colored(" (uncertain)  ", "1;33"));
    }
    out_ += core::printable(place + trimmed(verdict.rule.text)) + "\n";
    const RuleFact& fact = verdict.fact;
    print_line(verdict_value(verdict));
    print_line(fact.evidence);
    if (!fact.formula.empty()) print_line("model: " + fact.formula);
    if (verdict.undecided) {
      print_line("cannot be told from these runs, because " + text_of(check_.trust.reasons.front()));
    }
    if (verdict.holds && check_.fails(verdict)) {
      print_line(std::string(doubt_of(verdict, check_.trust) == VerdictDoubt::kUndecided ? "nothing shows that it fails"
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
    const auto undecided = count([](const RuleVerdict& v) { return v.undecided; });
    const auto uncertain = count([](const RuleVerdict& v) { return !v.certain && !v.undecided; });
    const size_t n = check_.verdicts.size();
    out_ += "\n" + std::to_string(n) + (n == 1 ? " rule, " : " rules, ") + std::to_string(check_.failed()) + " failed";
    if (undecided > 0 && !check_.strict) out_ += ", " + std::to_string(undecided) + " undecided";
    if (uncertain > 0) out_ += ", " + std::to_string(uncertain) + " uncertain";
    out_ += "; intervals hold 90 %\n";
    for (const auto& [doubt, meaning] : kDoubts) {
      const VerdictDoubt which = doubt;
      if (check_.strict ||
          count([which, this](const RuleVerdict& v) { return !v.certain && doubt_of(v, check_.trust) == which; }) == 0)
        continue;
      out_ += "uncertain: " + std::string(meaning) + "; --strict fails such a rule\n";
    }
    const bool predicted = count([](const RuleVerdict& v) { return v.fact.origin == Origin::kPredicted; }) > 0;
    if (predicted && check_.trust.grade() != Grade::kSure) {
      out_ += "predicted values: " + core::printable(text_of(check_.trust)) + "\n";
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
               {"undecided", v.undecided},
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

std::string verdict_word(const RuleCheck& check, const RuleVerdict& verdict) {
  if (is_left_undecided(check, verdict)) return "UNDECIDED";
  return std::string(verdict.passed ? "PASS" : "FAIL") + (verdict.certain ? "" : " (uncertain)");
}

std::string verdict_value(const RuleVerdict& verdict) {
  std::string line;
  if (verdict.rule.quantity != Quantity::kScales) line = value_text(verdict) + ", ";
  line += name_of(verdict.fact.origin);
  const bool over_scales = verdict.rule.quantity == Quantity::kGrowth && verdict.fact.origin != Origin::kPredicted;
  return over_scales ? line : line + " at " + text_of(verdict.at);
}

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
                             {"trust", json_of(check.trust)},
                             {"rules", rules},
                             {"notes", check.notes}},
                            2);
}

}  // namespace scalediag::report
