#include "report/render/ci/junit.h"

#include <algorithm>

#include "report/render/html/escape.h"
#include "report/render/text/rule_text.h"

namespace scalediag::report {
namespace {

std::string junit_attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + html::escaped(value) + "\"";
}

std::string junit_case(const RuleCheck& check, const RuleVerdict& verdict) {
  std::string out =
      "    <testcase" + junit_attribute("name", verdict.rule.text) + junit_attribute("classname", "scalediag");
  if (!verdict.place.file.empty()) out += junit_attribute("file", verdict.place.file);
  out += " time=\"0\">\n";
  const std::string value = verdict_value(verdict);
  if (check.fails(verdict)) {
    out += "      <failure" + junit_attribute("message", value) +
           junit_attribute("type", verdict.certain ? "rule" : "uncertain") + ">" +
           html::escaped(verdict_word(check, verdict) + ": " + value) + "</failure>\n";
  } else if (verdict.undecided) {
    out += "      <skipped" + junit_attribute("message", "cannot be told from these runs: " + value) + "/>\n";
  }
  std::string evidence = verdict_word(check, verdict) + "\n" + value + "\n" + verdict.fact.evidence;
  if (!verdict.fact.formula.empty()) evidence += "\nmodel: " + verdict.fact.formula;
  return out + "      <system-out>" + html::escaped(evidence) + "</system-out>\n    </testcase>\n";
}

}  // namespace

std::string check_junit(const RuleCheck& check) {
  const auto skipped =
      std::ranges::count_if(check.verdicts, [&check](const RuleVerdict& v) { return v.undecided && !check.fails(v); });
  const std::string counts = " tests=\"" + std::to_string(check.verdicts.size()) + "\" failures=\"" +
                             std::to_string(check.failed()) + "\" errors=\"0\" skipped=\"" + std::to_string(skipped) +
                             "\" time=\"0\"";
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"scalediag\"" + counts + ">\n" +
                    "  <testsuite" + junit_attribute("name", "scalediag check " + check.input) + counts + ">\n";
  for (const RuleVerdict& verdict : check.verdicts) out += junit_case(check, verdict);
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace scalediag::report
