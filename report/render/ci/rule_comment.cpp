#include "report/render/ci/rule_comment.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/document/svg_parts.h"
#include "report/render/text/rule_text.h"

namespace scalediag::report {
namespace {

// Text of a table's cell: whatever it contains, it stays text and in its cell.
std::string comment_cell(const std::string& raw) {
  std::string out;
  for (const char c : core::printable(raw, "\xEF\xBF\xBD")) {
    if (std::string_view("\\`*_{}[]<>()#+-!|&~@").find(c) != std::string_view::npos) {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      out += c;
    }
  }
  return out;
}

const char* comment_sign(const RuleCheck& check, const RuleVerdict& verdict) {
  if (check.fails(verdict)) return "\xE2\x9D\x8C";
  return verdict.undecided || !verdict.certain ? "\xE2\x9A\xA0\xEF\xB8\x8F" : "\xE2\x9C\x85";
}

bool can_be_drawn(const RuleVerdict& v) {
  return v.rule.quantity != Quantity::kScales && v.rule.limit > 0 && v.fact.value.value > 0;
}

struct DrawnRule {
  std::string name;
  double value, low, high;  // over the limit
  bool fails;
};

std::vector<DrawnRule> drawn_rules(const RuleCheck& check) {
  std::vector<DrawnRule> rules;
  for (const RuleVerdict& v : check.verdicts) {
    if (!can_be_drawn(v)) continue;
    const double value = v.fact.value.value / v.rule.limit;
    // An interval that reaches to nothing, or has no end, is drawn to the end of the axis.
    constexpr double kFar = 1000;
    const double low = v.fact.value.low.value_or(v.fact.value.value) / v.rule.limit;
    const double high = v.fact.value.low && !v.fact.value.high
                            ? kFar * value
                            : v.fact.value.high.value_or(v.fact.value.value) / v.rule.limit;
    rules.push_back({v.rule.text, value, low > 0 ? low : value / kFar, high, check.fails(v)});
  }
  return rules;
}

}  // namespace

std::string check_markdown(const RuleCheck& check, const std::string& picture) {
  const size_t failed = check.failed();
  std::string out =
      "### Scaling: " +
      (failed == 0 ? core::counted(check.verdicts.size(), "rule") + " kept"
                   : std::to_string(failed) + " of " + core::counted(check.verdicts.size(), "rule") + " broken") +
      "\n\n`scalediag check` of " + comment_cell(check.input) + "\n\n";
  out += "| | Rule | Value (90 % interval) | Evidence |\n|---|---|---|---|\n";
  for (const RuleVerdict& verdict : check.verdicts) {
    out += std::string("| ") + comment_sign(check, verdict) + " " + verdict_word(check, verdict) + " | " +
           comment_cell(verdict.rule.text) + " | " + comment_cell(verdict_value(verdict)) + " | " +
           comment_cell(verdict.fact.evidence) + " |\n";
  }
  if (!picture.empty()) out += "\n![Values over their limits](<" + picture + ">)\n";
  for (const std::string& note : check.notes) out += "\n- " + comment_cell(note);
  return out + (check.notes.empty() ? "" : "\n");
}

std::string check_svg(const RuleCheck& check) {
  const std::vector<DrawnRule> rules = drawn_rules(check);
  if (rules.empty()) return "";
  constexpr double kNames = 330, kWidth = 720, kRow = 22, kTop = 30;
  // The axis has the limit in its middle and holds every value.
  double reach = std::log(1.5);
  for (const DrawnRule& rule : rules) reach = std::max(reach, 1.1 * std::abs(std::log(rule.value)));
  const double middle = (kNames + kWidth - 10) / 2, half = (kWidth - 10 - kNames) / 2;
  const auto x = [&](double ratio) { return middle + half * std::clamp(std::log(ratio) / reach, -1.0, 1.0); };
  const double height = kTop + kRow * static_cast<double>(rules.size()) + 24;
  std::string out = svg_begin(kWidth, height, "Values of rules over their limits");
  out += svg_text(middle, 18, "middle", "limit", kSvgGrey);
  out += svg_line(middle, kTop - 6, middle, height - 20, kSvgGrey, 1, "4 3");
  for (size_t i = 0; i < rules.size(); ++i) {
    const DrawnRule& rule = rules[i];
    const double y = kTop + kRow * (static_cast<double>(i) + 0.5);
    const char* color = rule.fails ? "#b3261e" : "#1b6e3c";
    out += svg_text(kNames - 10, y + 4, "end", core::shorten_middle(core::printable(rule.name), 48), kSvgInk);
    out += svg_line(x(rule.low), y, x(rule.high), y, color, 2);
    out += svg_line(x(rule.value), y - 7, x(rule.value), y + 7, color, 3);
  }
  out += svg_text(kNames, height - 6, "start", core::times_text(std::exp(-reach)), kSvgGrey);
  out += svg_text(kWidth - 10, height - 6, "end", core::times_text(std::exp(reach)), kSvgGrey);
  return out + "</svg>\n";
}

}  // namespace scalediag::report
