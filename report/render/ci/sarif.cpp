#include "report/render/ci/sarif.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/json/json_writer.h"
#include "report/render/text/rule_text.h"

namespace scalediag::report {
namespace {

using SarifJson = nlohmann::ordered_json;

// A path as a URI reference: characters that a URI may not have are written as %XX.
std::string uri_of(const std::string& path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return out;
}

SarifJson location(const std::string& path, int line, const std::string& root) {
  const bool below = !root.empty() && path.starts_with(root + "/");
  const std::string uri =
      below ? uri_of(path.substr(root.size() + 1)) : (path.starts_with('/') ? "file://" : "") + uri_of(path);
  SarifJson physical = {{"artifactLocation", {{"uri", uri}}}};
  if (line > 0) physical["region"] = {{"startLine", line}};
  return SarifJson::array({SarifJson{{"physicalLocation", physical}}});
}

// The file and the line of "rules.txt:3".
std::pair<std::string, int> place_in_rules(const std::string& where) {
  const size_t colon = where.rfind(':');
  if (colon == std::string::npos) return {where, 0};
  return {where.substr(0, colon), std::atoi(where.c_str() + colon + 1)};
}

}  // namespace

core::Result<std::string> check_sarif(const RuleCheck& check, const std::string& root) {
  SarifJson results = SarifJson::array();
  for (const RuleVerdict& verdict : check.verdicts) {
    if (!check.fails(verdict)) continue;
    std::string message = verdict.rule.text + " fails: " + verdict_value(verdict);
    if (!verdict.fact.evidence.empty()) message += "; " + verdict.fact.evidence;
    SarifJson result = {{"ruleId", "scalediag-check"},
                        {"level", verdict.certain ? "error" : "warning"},
                        {"message", {{"text", message}}}};
    if (!verdict.place.file.empty()) {
      result["locations"] = location(verdict.place.file, verdict.place.line, root);
    } else if (!verdict.rule.where.empty()) {
      const auto [file, line] = place_in_rules(verdict.rule.where);
      result["locations"] = location(file, line, root);
    }
    results.push_back(std::move(result));
  }
  const SarifJson rule = {{"id", "scalediag-check"},
                          {"name", "ScalingRule"},
                          {"shortDescription", {{"text", "A rule about the scaling of the program"}}}};
  const SarifJson driver = {{"name", "scalediag"}, {"rules", SarifJson::array({rule})}};
  const SarifJson run = {{"tool", {{"driver", driver}}}, {"results", results}};
  return core::to_json_text({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                             {"version", "2.1.0"},
                             {"runs", SarifJson::array({run})}},
                            8);
}

}  // namespace scalediag::report
